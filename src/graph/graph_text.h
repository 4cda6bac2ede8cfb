// The text form of a graph; it parses back to an equal graph.
//
//   graph(%self : __torch__.N, %x : Tensor):
//     %2 : int = prim::Constant[value=3]()  # model.py:12:20 @0:[231,232)
//     %3 : Tensor = aten::sub.Tensor(%x, %2, %2)  # model.py:5:9 @0:[80,85) via 0
//     return (%3)
//   source 0 = "model.py" line 1 text 5e2c…
//   call 0 = __torch__.M(m)::forward at @0:[220,231)
//
// Behind `#` stands where the node comes from: a place for people, then source and byte range, then
// the call stack. The tables of sources and calls follow the graph.
#pragma once

#include <string>
#include <string_view>

#include "handrail/base/result.h"
#include "handrail/graph/compilation_unit.h"
#include "handrail/graph/graph.h"

namespace handrail::graph {

struct GraphTextOptions {
  bool origins = true;  // false: no `#` comments and no tables; then ranges and stacks are lost
};
std::string ToString(const Graph& graph, const GraphTextOptions& options = {});

// Reads the text form. Names of classes and functions must be known to the unit. Sources are found
// in the unit by name, first line and hash of the text, or added without text. Fails with the line
// and column; what it returns passes VerifyGraph's structural checks.
Result<Graph> ParseGraph(CompilationUnit& unit, std::string_view text);

// True if both graphs have the same structure, names, types, attributes, ranges and stacks. They
// may be of different units.
bool IsEqual(const Graph& a, const Graph& b);

}  // namespace handrail::graph
