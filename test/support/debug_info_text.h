// Debug info as text, so that a test says in a few lines what was recorded:
//
//   source model.py
//   | def forward(self, x):
//   |     return self.a(x) + 3
//   source layers.py line=40            without lines of text: the text is not there
//   unit backend key=top type=__torch__.Top
//   function __torch__.Top.forward
//   call a = forward on a:__torch__.A at model.py:2 "self.a(x)"
//   call b = a > helper at layers.py:1:5-1:14
//   node aten::mul in b at layers.py:2:1-2:4
//   node aten::add at model.py:2 "self.a(x) + 3"
//   node - gap kStripped
//   unit foreign key=x                  nodes of such a unit say their handle: node handle=7 ...
//
// A place is a source's line and the text to find in it (lines count from the text's first), or
// line and column of start and end. '-' is a name that nobody knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info.h"

namespace handrail::golden {

struct DescribedDebugInfo {
  DebugInfo info;
  // In the order of the text.
  std::vector<DebugHandle> handles;
};

// Fails with kInvalidArgument, naming the line, if the description has no meaning.
Result<DescribedDebugInfo> DescribeDebugInfo(std::string_view text);

}  // namespace handrail::golden
