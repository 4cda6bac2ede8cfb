// Walks over the nodes of a graph, nested blocks included, without recursion.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "handrail/graph/graph.h"

namespace handrail::graph {

// Calls `visit(node)`, or `visit(node, depth)`, with each node, depth first: a node before the
// nodes of its blocks. Nodes of the root block have depth 0. `visit` may erase the node it is
// given, but must not add blocks to it.
template <typename Visit>
void ForEachNode(const Graph& graph, Visit&& visit) {
  struct Open {
    NodeId next;
    NodeId end;
    uint32_t depth;
  };
  const auto open = [&](BlockId block, uint32_t depth) {
    return Open{graph.next(graph.param_node(block)), graph.return_node(block), depth};
  };
  std::vector<Open> stack{open(graph.root(), 0)};
  while (!stack.empty()) {
    const NodeId node = stack.back().next;
    if (node == stack.back().end) {
      stack.pop_back();
      continue;
    }
    stack.back().next = graph.next(node);
    const uint32_t depth = stack.back().depth;
    if constexpr (std::is_invocable_v<Visit&, NodeId, uint32_t>) {
      visit(node, depth);
    } else {
      visit(node);
    }
    if (graph.is_erased(node)) continue;
    const auto blocks = graph.blocks(node);
    for (size_t i = blocks.size(); i-- > 0;) stack.push_back(open(blocks[i], depth + 1));
  }
}

}  // namespace handrail::graph
