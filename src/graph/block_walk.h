// Walks over the nodes of a graph, nested blocks included, without recursion.
#pragma once

#include <vector>

#include "handrail/graph/graph.h"

namespace handrail::graph {

// Calls `visit` with each node, depth first: a node before the nodes of its blocks. `visit` may
// erase the node it is given, but must not add blocks to it.
template <typename Visit>
void ForEachNode(const Graph& graph, Visit&& visit) {
  struct Open {
    NodeId next;
    NodeId end;
  };
  const auto open = [&](BlockId block) {
    return Open{graph.next(graph.param_node(block)), graph.return_node(block)};
  };
  std::vector<Open> stack{open(graph.root())};
  while (!stack.empty()) {
    const NodeId node = stack.back().next;
    if (node == stack.back().end) {
      stack.pop_back();
      continue;
    }
    stack.back().next = graph.next(node);
    visit(node);
    if (graph.is_erased(node)) continue;
    const auto blocks = graph.blocks(node);
    for (size_t i = blocks.size(); i-- > 0;) stack.push_back(open(blocks[i]));
  }
}

}  // namespace handrail::graph
