// Evaluates what is constant: PyTorch's ConstantPropagationImmutableTypes, without the dead-code
// elimination at its end.
#pragma once

#include "handrail/graph/graph.h"

namespace handrail::graph {

// Operators on constants of types that nobody can change become constants; an `if` with a constant
// condition becomes the branch taken; a loop that never runs becomes its inputs; results of `if`
// that are the same on both branches, and what loops carry without changing it, become that value.
void PropagateConstants(Graph& graph);

}  // namespace handrail::graph
