#include <algorithm>
#include <vector>

#include "graph/graph_text.h"
#include "graph/structural_kinds.h"

namespace handrail::graph {
namespace {

// Walks two graphs side by side. Values correspond if they are defined at the same place.
class Comparison {
 public:
  Comparison(const Graph& a, const Graph& b) : a_(a), b_(b), values_(a.value_count()) {}

  bool Run() {
    if (!SameHeads(a_.root(), b_.root())) return false;
    struct Open {
      BlockId block_a;
      BlockId block_b;
      NodeId next_a;
      NodeId next_b;
    };
    const auto open = [&](BlockId block_a, BlockId block_b) {
      return Open{block_a, block_b, a_.next(a_.param_node(block_a)),
                  b_.next(b_.param_node(block_b))};
    };
    std::vector<Open> pending{open(a_.root(), b_.root())};
    while (!pending.empty()) {
      Open& current = pending.back();
      const NodeId node_a = current.next_a;
      const NodeId node_b = current.next_b;
      const bool ends_a = node_a == a_.return_node(current.block_a);
      if (ends_a != (node_b == b_.return_node(current.block_b))) return false;
      if (ends_a) {
        if (!SameOrigin(node_a, node_b) || !SameInputs(node_a, node_b)) return false;
        pending.pop_back();
        continue;
      }
      current.next_a = a_.next(node_a);
      current.next_b = b_.next(node_b);
      if (!SameNode(node_a, node_b)) return false;
      const auto blocks_a = a_.blocks(node_a);
      const auto blocks_b = b_.blocks(node_b);
      if (blocks_a.size() != blocks_b.size()) return false;
      // The walk is depth first: a node's blocks, and then what follows it.
      for (size_t i = blocks_a.size(); i-- > 0;) pending.push_back(open(blocks_a[i], blocks_b[i]));
      for (size_t i = 0; i < blocks_a.size(); ++i) {
        if (!SameHeads(blocks_a[i], blocks_b[i])) return false;
      }
    }
    return true;
  }

 private:
  bool SameHeads(BlockId block_a, BlockId block_b) {
    const NodeId node_a = a_.param_node(block_a);
    const NodeId node_b = b_.param_node(block_b);
    return SameOrigin(node_a, node_b) && SameOutputs(node_a, node_b);
  }

  bool SameNode(NodeId node_a, NodeId node_b) {
    if (a_.kind(node_a) != b_.kind(node_b) || !SameOrigin(node_a, node_b)) return false;
    if (FindStructuralKind(a_.kind(node_a)) == nullptr && a_.schema(node_a) != b_.schema(node_b)) {
      return false;
    }
    return std::ranges::equal(a_.attributes(node_a), b_.attributes(node_b)) &&
           SameInputs(node_a, node_b) && SameOutputs(node_a, node_b);
  }

  bool SameOrigin(NodeId node_a, NodeId node_b) const {
    return a_.range(node_a) == b_.range(node_b) && a_.stack(node_a) == b_.stack(node_b);
  }

  bool SameInputs(NodeId node_a, NodeId node_b) const {
    return std::ranges::equal(
        a_.inputs(node_a), b_.inputs(node_b),
        [&](ValueId value_a, ValueId value_b) { return values_[value_a.index] == value_b; });
  }

  bool SameOutputs(NodeId node_a, NodeId node_b) {
    return std::ranges::equal(a_.outputs(node_a), b_.outputs(node_b),
                              [&](ValueId value_a, ValueId value_b) {
                                values_[value_a.index] = value_b;
                                return a_.type(value_a) == b_.type(value_b) &&
                                       a_.debug_name(value_a) == b_.debug_name(value_b);
                              });
  }

  const Graph& a_;
  const Graph& b_;
  std::vector<ValueId> values_;  // of a_: what corresponds in b_
};

}  // namespace

bool IsEqual(const Graph& a, const Graph& b) {
  return &a.unit() == &b.unit() && Comparison(a, b).Run();
}

}  // namespace handrail::graph
