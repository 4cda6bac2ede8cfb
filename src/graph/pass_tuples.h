// Tuples that are taken apart where they were made: PyTorch's LowerSimpleTuples.
#pragma once

#include "handrail/graph/graph.h"

namespace handrail::graph {

// Uses of an element of a prim::TupleConstruct become uses of what went into it. What is no longer
// used stays for EliminateDeadCode.
void LowerSimpleTuples(Graph& graph);

}  // namespace handrail::graph
