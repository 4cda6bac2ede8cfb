// The order in which the nodes of a graph get their handles: that of PyTorch.
#pragma once

#include <vector>

#include "handrail/graph/graph.h"

namespace handrail {

// Calls `visit` with each node: all nodes of a block, then its nested blocks, the last one first.
// Stops at the first node for which `visit` is false, and is false then.
template <typename Visit>
bool ForEachNodeInHandleOrder(const graph::Graph& graph, Visit&& visit) {
  std::vector<graph::BlockId> open{graph.root()};
  while (!open.empty()) {
    const graph::BlockId block = open.back();
    open.pop_back();
    for (const graph::NodeId node : graph.nodes(block)) {
      if (!visit(node)) return false;
      const auto blocks = graph.blocks(node);
      open.insert(open.end(), blocks.begin(), blocks.end());
    }
  }
  return true;
}

}  // namespace handrail
