// The passes that PyTorch runs over every graph that it compiles, as far as they change which
// operators there are.
#pragma once

#include "handrail/graph/graph.h"

namespace handrail::graph {

// All of them, in PyTorch's order.
void CleanUp(Graph& graph);

}  // namespace handrail::graph
