// Facts of torch/csrc/jit/runtime/interpreter/{preprocess_graph,can_emit_inline}.cpp of PyTorch
// 1.13: which instructions there are depends on them.
#include "bytecode/stack_order.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "handrail/graph/compilation_unit.h"

namespace handrail::bytecode {
namespace {

using graph::BlockId;
using graph::Graph;
using graph::NodeId;
using graph::ValueId;

bool IsConstant(const Graph& graph, NodeId node) {
  return graph.kind(node) == graph::symbols::kConstant;
}

class DropInserter {
 public:
  explicit DropInserter(Graph& graph)
      : graph_(graph), drop_(graph.unit().strings.Intern("prim::Drop")) {}

  Status Insert() {
    HANDRAIL_RETURN_IF_ERROR(DropUnused(graph_.root(), 0));
    seen_.assign(graph_.value_count(), false);
    Scan(graph_.root());
    return {};
  }

 private:
  NodeId InsertDrop(graph::InsertPoint at, std::span<const ValueId> values) {
    return graph_.Insert(at, drop_, values, graph::OriginTable::null_range());
  }

  void DropUnusedOf(std::span<const ValueId> values, graph::InsertPoint at) {
    std::vector<ValueId> unused;
    std::copy_if(values.begin(), values.end(), std::back_inserter(unused),
                 [&](ValueId value) { return !graph_.is_used(value); });
    if (!unused.empty()) InsertDrop(at, unused);
  }

  Status DropUnused(BlockId block, int depth) {
    if (depth == kBlockDepthMax) {
      return Fail(ErrorCode::kLimit, "bytecode: blocks inside of blocks");
    }
    NodeId node = graph_.next(graph_.param_node(block));
    DropUnusedOf(graph_.parameters(block), {node});
    while (node != graph_.return_node(block)) {
      const NodeId next = graph_.next(node);
      if (!IsConstant(graph_, node)) DropUnusedOf(graph_.outputs(node), {next});
      const std::vector<BlockId> blocks(graph_.blocks(node).begin(), graph_.blocks(node).end());
      for (const BlockId inner : blocks) HANDRAIL_RETURN_IF_ERROR(DropUnused(inner, depth + 1));
      node = next;
    }
    return {};
  }

  // Backwards, so that a value's first use here is its last.
  void Scan(BlockId block) {
    ScanUses(graph_.return_node(block));
    NodeId node = graph_.previous(graph_.return_node(block));
    while (node != graph_.param_node(block)) {
      const NodeId previous = graph_.previous(node);
      const std::vector<BlockId> blocks(graph_.blocks(node).begin(), graph_.blocks(node).end());
      for (const BlockId inner : blocks) Scan(inner);
      ScanUses(node);
      node = previous;
    }
  }

  void ScanUses(NodeId node) {
    for (size_t i = graph_.inputs(node).size(); i-- > 0;) {
      const ValueId value = graph_.inputs(node)[i];
      const NodeId producer = graph_.producer(value);
      if (value.index >= seen_.size() || seen_[value.index]) continue;
      seen_[value.index] = true;
      if (IsConstant(graph_, producer)) continue;
      NodeId owner = node;
      while (graph_.block(owner) != graph_.block(producer)) {
        owner = graph_.owner(graph_.block(owner));
      }
      if (owner != node) DropAfter(owner, value);
    }
  }

  void DropAfter(NodeId node, ValueId value) {
    const auto [row, is_new] = drops_.try_emplace(node);
    if (is_new) row->second = InsertDrop(graph_.after(node), {});
    graph_.AddOperand(row->second, value);
  }

  Graph& graph_;
  graph::Symbol drop_;
  std::vector<bool> seen_;
  std::unordered_map<NodeId, NodeId> drops_;  // by the node they follow
};

class InlineFinder {
 public:
  explicit InlineFinder(const Graph& graph)
      : graph_(graph), is_inline_(graph.node_count(), false) {}

  std::vector<bool> Find() && {
    ScanBlock(graph_.root());
    return std::move(is_inline_);
  }

 private:
  struct Frame {
    NodeId node;
    NodeId point;     // what would have to be the producer of the next operand
    size_t operands;  // still to be looked at, last first
  };

  NodeId PreviousNonConstant(NodeId node) const {
    do {
      node = graph_.previous(node);
    } while (!node.is_none() && IsConstant(graph_, node));
    return node;
  }

  bool CanBeInline(ValueId value) const {
    const NodeId producer = graph_.producer(value);
    const graph::UseId use = graph_.first_use(value);
    return graph_.kind(producer) != graph::symbols::kParam &&
           graph_.outputs(producer).size() == 1 && !use.is_none() && graph_.next_use(use).is_none();
  }

  void ScanBlock(BlockId block) {
    ScanNode(graph_.return_node(block));
    for (NodeId node = graph_.previous(graph_.return_node(block)); node != graph_.param_node(block);
         node = graph_.previous(node)) {
      ScanNode(node);
    }
  }

  Frame Open(NodeId node) {
    for (const BlockId block : graph_.blocks(node)) ScanBlock(block);
    return {node, PreviousNonConstant(node), graph_.inputs(node).size()};
  }

  // A node, and the nodes that become inline by it.
  void ScanNode(NodeId node) {
    if (is_inline_[node.index]) return;
    std::vector<Frame> frames{Open(node)};
    while (!frames.empty()) {
      Frame& frame = frames.back();
      if (frame.operands == 0) {
        const Frame done = frame;
        frames.pop_back();
        if (frames.empty()) return;
        is_inline_[done.node.index] = true;
        frames.back().point = done.point;
        continue;
      }
      const ValueId value = graph_.inputs(frame.node)[--frame.operands];
      const NodeId producer = graph_.producer(value);
      if (producer == frame.point && CanBeInline(value)) frames.push_back(Open(producer));
    }
  }

  const Graph& graph_;
  std::vector<bool> is_inline_;
};

}  // namespace

Status InsertDrops(Graph& graph) {
  return DropInserter(graph).Insert();
}

std::vector<bool> FindInlineNodes(const Graph& graph) {
  return InlineFinder(graph).Find();
}

}  // namespace handrail::bytecode
