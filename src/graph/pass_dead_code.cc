#include "graph/pass_dead_code.h"

#include <array>
#include <string_view>
#include <vector>

#include "handrail/graph/compilation_unit.h"

#include "graph/alias_sets.h"
#include "graph/block_walk.h"

namespace handrail::graph {
namespace {

// What PyTorch says of its operators: Node::hasSideEffects, and those that are registered with
// AliasAnalysisKind::CONSERVATIVE.
constexpr std::array<std::string_view, 20> kNamesWithSideEffects = {
    "aten::warn",
    "aten::save",
    "aten::manual_seed",
    "aten::wait",
    "aten::backward",
    "aten::is_autocast_cpu_enabled",
    "aten::is_autocast_enabled",
    "aten::is_grad_enabled",
    "aten::set_grad_enabled",
    "profiler::_record_function_exit",
    "cuda::set_stream",
    "cuda::_set_device",
    "cuda::_current_device",
    "cuda::synchronize",
    "prim::PythonOp",
    "prim::AddStatValue",
    "prim::TimePoint",
    "prim::rpc_async",
    "prim::rpc_sync",
    "prim::rpc_remote",
};

class DeadCode {
 public:
  explicit DeadCode(Graph& graph)
      : graph_(graph),
        aliases_(graph),
        node_is_live_(graph.node_count()),
        value_is_live_(graph.value_count()),
        set_is_live_(graph.value_count() + 1) {}

  void Run() {
    Mark(graph_.return_node(graph_.root()));
    std::vector<NodeId> writers;
    std::vector<ValueId> written;
    ForEachNode(graph_, [&](NodeId node) {
      written.clear();
      AliasSets::AddWritten(graph_, node, written);
      bool is_live = HasSideEffects(graph_, node);
      for (const ValueId value : written) is_live |= aliases_.IsWildcard(value);
      if (is_live) {
        Mark(node);
      } else if (!written.empty()) {
        writers.push_back(node);
      }
    });
    for (bool is_changed = true; is_changed;) {
      Propagate();
      is_changed = false;
      for (const NodeId node : writers) {
        if (node_is_live_[node.index]) continue;
        written.clear();
        AliasSets::AddWritten(graph_, node, written);
        for (const ValueId value : written) {
          if (node_is_live_[node.index] || !set_is_live_[aliases_.SetOf(value)]) continue;
          Mark(node);
          is_changed = true;
        }
      }
    }
    Sweep();
  }

 private:
  void Mark(NodeId node) {
    if (node_is_live_[node.index]) return;
    node_is_live_[node.index] = true;
    live_nodes_.push_back(node);
  }

  void MarkValue(ValueId value) {
    if (value_is_live_[value.index]) return;
    value_is_live_[value.index] = true;
    set_is_live_[aliases_.SetOf(value)] = true;
    const NodeId producer = graph_.producer(value);
    const uint32_t row = graph_.output_index(value);
    if (graph_.kind(producer) == symbols::kParam) {
      const NodeId owner = graph_.owner(graph_.block(producer));
      if (owner.is_none()) return;
      Mark(owner);
      // What a loop carries is live if the next round reads it.
      if (graph_.kind(owner) == symbols::kLoop && row > 0) {
        pending_values_.push_back(graph_.results(graph_.block(producer))[row]);
      }
      return;
    }
    Mark(producer);
    const Symbol kind = graph_.kind(producer);
    const uint32_t offset = kind == symbols::kLoop ? 1 : 0;
    if (kind != symbols::kIf && kind != symbols::kLoop) return;
    for (const BlockId block : graph_.blocks(producer)) {
      pending_values_.push_back(graph_.results(block)[row + offset]);
    }
  }

  void Propagate() {
    while (!live_nodes_.empty() || !pending_values_.empty()) {
      if (!pending_values_.empty()) {
        const ValueId value = pending_values_.back();
        pending_values_.pop_back();
        MarkValue(value);
        continue;
      }
      const NodeId node = live_nodes_.back();
      live_nodes_.pop_back();
      for (const ValueId input : graph_.inputs(node)) pending_values_.push_back(input);
      const BlockId block = graph_.block(node);
      if (const NodeId owner = graph_.owner(block); !owner.is_none()) Mark(owner);
      if (graph_.kind(node) == symbols::kLoop) {
        pending_values_.push_back(graph_.results(graph_.blocks(node)[0])[0]);
      } else if (graph_.kind(node) != symbols::kIf) {
        for (const BlockId inner : graph_.blocks(node)) Mark(graph_.return_node(inner));
      }
    }
  }

  // From the last node to the first, each before the nodes of its blocks, and removed after them.
  void Sweep() {
    struct Open {
      NodeId node;     // the next one to look at
      NodeId begin;    // the block's first row
      NodeId owner;    // of the block; it is looked at again when the block is done
      uint32_t block;  // its number among the owner's
    };
    const auto open = [this](BlockId block, NodeId owner, uint32_t row) {
      return Open{graph_.previous(graph_.return_node(block)), graph_.param_node(block), owner, row};
    };
    std::vector<Open> stack{open(graph_.root(), NodeId::none(), 0)};
    while (!stack.empty()) {
      Open& top = stack.back();
      if (top.node == top.begin) {
        const NodeId owner = top.owner;
        const uint32_t row = top.block + 1;
        stack.pop_back();
        if (owner.is_none()) break;
        if (row < graph_.blocks(owner).size()) {
          stack.push_back(open(graph_.blocks(owner)[row], owner, row));
        } else {
          RemoveIfDead(owner);
        }
        continue;
      }
      const NodeId node = top.node;
      top.node = graph_.previous(node);
      RemoveDeadResults(node);
      if (graph_.blocks(node).empty()) {
        RemoveIfDead(node);
      } else {
        stack.push_back(open(graph_.blocks(node)[0], node, 0));
      }
    }
  }

  void RemoveDeadResults(NodeId node) {
    const bool is_loop = graph_.kind(node) == symbols::kLoop;
    if (!is_loop && graph_.kind(node) != symbols::kIf) return;
    for (auto row = static_cast<uint32_t>(graph_.outputs(node).size()); row-- > 0;) {
      if (graph_.is_used(graph_.outputs(node)[row])) continue;
      if (is_loop) {
        const BlockId body = graph_.blocks(node)[0];
        if (graph_.is_used(graph_.parameters(body)[row + 1])) continue;
        graph_.RemoveInput(graph_.return_node(body), row + 1);
        graph_.RemoveOutput(graph_.param_node(body), row + 1);
        graph_.RemoveInput(node, row + 2);
      } else {
        for (uint32_t i = 0; i < graph_.blocks(node).size(); ++i) {
          graph_.RemoveInput(graph_.return_node(graph_.blocks(node)[i]), row);
        }
      }
      graph_.RemoveOutput(node, row);
    }
  }

  void RemoveIfDead(NodeId node) {
    if (node_is_live_[node.index]) return;
    for (const ValueId output : graph_.outputs(node)) {
      if (graph_.is_used(output)) return;
    }
    graph_.Erase(node);
  }

  Graph& graph_;
  AliasSets aliases_;
  std::vector<bool> node_is_live_;
  std::vector<bool> value_is_live_;
  std::vector<bool> set_is_live_;
  std::vector<NodeId> live_nodes_;       // whose inputs are still to be marked
  std::vector<ValueId> pending_values_;  // still to be marked
};

}  // namespace

bool HasSideEffects(const Graph& graph, NodeId node) {
  const Symbol kind = graph.kind(node);
  if (kind == symbols::kCallMethod || kind == symbols::kCallFunction || kind == symbols::kPrint ||
      kind == symbols::kRaiseException || kind == symbols::kEnter || kind == symbols::kExit) {
    return true;
  }
  const std::string_view name = graph.kind_name(node);
  for (const std::string_view other : kNamesWithSideEffects) {
    if (name == other) return true;
  }
  return false;
}

void EliminateDeadCode(Graph& graph) {
  DeadCode(graph).Run();
}

}  // namespace handrail::graph
