// Checks that a graph is what every later stage takes for granted.
#pragma once

#include "handrail/base/result.h"
#include "handrail/graph/graph.h"

namespace handrail::graph {

// Fails with kCorrupt at the first fault, naming function, node and source line: an input that is
// not above its use, a type that the schema does not take, a block with the wrong number of
// parameters or results, a missing attribute, broken links. `what` names the graph in messages.
Status VerifyGraph(const Graph& graph, std::string_view what);

}  // namespace handrail::graph
