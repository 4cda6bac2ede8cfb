#include "graph/passes.h"

#include "graph/pass_constants.h"
#include "graph/pass_dead_code.h"
#include "graph/pass_tuples.h"

namespace handrail::graph {

// What PyTorch runs besides changes no operators: pooling of equal constants, names of outputs,
// numbers of warnings.
void CleanUp(Graph& graph) {
  LowerSimpleTuples(graph);
  EliminateDeadCode(graph);
  PropagateConstants(graph);
  EliminateDeadCode(graph);
}

}  // namespace handrail::graph
