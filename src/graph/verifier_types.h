// What the verifier asks of the types and attributes of one node. Its inputs are visible and its
// blocks are checked.
#pragma once

#include <string_view>

#include "handrail/base/result.h"
#include "handrail/graph/graph.h"

namespace handrail::graph {

Status CheckNodeTypes(const Graph& graph, NodeId node, std::string_view what);

// "graph of f: aten::add.Tensor: input 1: … (model.py:12:5)".
Error ErrorAtNode(const Graph& graph, NodeId node, std::string_view what, std::string_view message);

}  // namespace handrail::graph
