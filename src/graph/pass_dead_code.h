// Removes nodes whose results nobody uses: PyTorch's EliminateDeadCode.
#pragma once

#include "handrail/graph/graph.h"

namespace handrail::graph {

// Keeps what has side effects (calls, prints, warnings, exceptions), what writes to memory from
// outside, and what writes to memory that is used. Results of `if` and loops that nobody uses go,
// too.
void EliminateDeadCode(Graph& graph);

// True for nodes that do something beside giving results and writing to their arguments.
bool HasSideEffects(const Graph& graph, NodeId node);

}  // namespace handrail::graph
