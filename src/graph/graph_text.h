// The text form of a graph; it parses back to an equal graph.
//
//   graph(%self : __torch__.N, %x.1 : Tensor):
//     %0 : __torch__.M = prim::GetAttr[name="m"](%self)
//     %1 : int = prim::Constant[value=2]()  # model.py:5:14 @0:[80,81) via 0
//     %y.1 : Tensor = aten::sub.Scalar(%x.1, %1, %1)  # model.py:5:10 @0:[76,81) via 0
//     return (%y.1)
//   source 0 = "model.py" line 1 text 5e2c…
//   call 0 = "forward" type "__torch__.M" as "m" at @0:[220,231)
//
// Values without a debug name are numbered in the order of the text; the others are the name and
// a number. Behind `#` stands where the node comes from: first the place, for people, and from the
// last `@` on what is read back: source and byte range, and the call stack. The tables of sources
// and calls follow the graph.
#pragma once

#include <string>
#include <string_view>

#include "handrail/base/result.h"
#include "handrail/graph/compilation_unit.h"
#include "handrail/graph/graph.h"

namespace handrail::graph {

struct GraphTextOptions {
  // False: without `#` and tables; ranges and stacks are lost.
  bool has_origins = true;
};
std::string ToString(const Graph& graph, const GraphTextOptions& options = {});

// Reads the text form. Names of classes and functions must be known to the unit. Sources are found
// in the unit by name, first line and hash of the text; one that is not there is added without
// text. Fails with kCorrupt and line and column. Whether the graph makes sense is VerifyGraph's
// question.
Result<Graph> ParseGraph(CompilationUnit& unit, std::string_view text);

// True if both have the same nodes in the same order, with the same names, types, attributes,
// ranges and stacks. Both must be of one unit. Schemas of structural kinds do not count.
bool IsEqual(const Graph& a, const Graph& b);

}  // namespace handrail::graph
