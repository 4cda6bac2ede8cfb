#include "graph/pass_constants.h"

#include <optional>
#include <vector>

#include "handrail/graph/compilation_unit.h"

#include "graph/alias_sets.h"
#include "graph/fold_operator.h"
#include "graph/pass_dead_code.h"

namespace handrail::graph {
namespace {

class Propagation {
 public:
  explicit Propagation(Graph& graph) : graph_(graph), unit_(graph.unit()) {}

  void Run() {
    Open(graph_.root(), After::kNothing);
    while (!stack_.empty()) {
      Work& work = stack_.back();
      if (work.next == graph_.return_node(work.block)) {
        const Work done = work;
        stack_.pop_back();
        Finish(done);
        continue;
      }
      const NodeId node = work.next;
      work.next = graph_.next(node);
      Visit(node);
    }
  }

 private:
  // What follows when a block is done.
  enum class After : uint8_t { kNothing, kInlineIf, kFinishIf, kFinishLoop };
  struct Work {
    BlockId block;
    NodeId next;
    After after;
  };

  void Open(BlockId block, After after) {
    stack_.push_back({block, graph_.next(graph_.param_node(block)), after});
  }

  void Finish(const Work& done) {
    switch (done.after) {
      case After::kNothing:
        break;
      case After::kInlineIf:
        InlineIf(done.block);
        break;
      case After::kFinishIf:
        MergeEqualResults(graph_.owner(done.block));
        break;
      case After::kFinishLoop:
        RemoveUnchangedResults(graph_.owner(done.block));
        break;
    }
  }

  void Visit(NodeId node) {
    const Symbol kind = graph_.kind(node);
    if (kind == symbols::kIf) return VisitIf(node);
    if (kind == symbols::kLoop) return VisitLoop(node);
    for (size_t i = graph_.blocks(node).size(); i-- > 0;) {
      Open(graph_.blocks(node)[i], After::kNothing);
    }
    if (graph_.blocks(node).empty()) Fold(node);
  }

  std::optional<ConstantId> ConstantOf(ValueId value) const {
    const NodeId producer = graph_.producer(value);
    if (graph_.kind(producer) != symbols::kConstant) return std::nullopt;
    const ConstantId constant = graph_.constant(producer);
    return constant.is_none() ? unit_.constants.None() : constant;
  }

  void VisitIf(NodeId node) {
    const std::optional<ConstantId> condition = ConstantOf(graph_.input(node, 0));
    if (condition && unit_.constants.at(*condition).kind == ConstantKind::kBool) {
      Open(graph_.blocks(node)[unit_.constants.bool_value(*condition) ? 0 : 1], After::kInlineIf);
      return;
    }
    Open(graph_.blocks(node)[1], After::kFinishIf);
    Open(graph_.blocks(node)[0], After::kNothing);
  }

  void InlineIf(BlockId taken) {
    const NodeId node = graph_.owner(taken);
    for (NodeId next = graph_.next(graph_.param_node(taken)); next != graph_.return_node(taken);) {
      const NodeId moved = next;
      next = graph_.next(next);
      graph_.Move(moved, graph_.before(node));
    }
    for (uint32_t i = 0; i < graph_.outputs(node).size(); ++i) {
      graph_.ReplaceAllUses(graph_.outputs(node)[i], graph_.results(taken)[i]);
    }
    graph_.Erase(node);
  }

  void MergeEqualResults(NodeId node) {
    for (uint32_t i = 0; i < graph_.outputs(node).size();) {
      const ValueId output = graph_.outputs(node)[i];
      const ValueId a = graph_.results(graph_.blocks(node)[0])[i];
      const ValueId b = graph_.results(graph_.blocks(node)[1])[i];
      const std::optional<ConstantId> constant = ConstantOf(a);
      if (a == b) {
        graph_.ReplaceAllUses(output, a);
      } else if (constant && constant == ConstantOf(b) && graph_.type(a) == graph_.type(b)) {
        graph_.ReplaceAllUses(output, InsertBefore(node, *constant, graph_.type(output)));
      } else {
        ++i;
        continue;
      }
      for (uint32_t row = 0; row < 2; ++row) {
        graph_.RemoveInput(graph_.return_node(graph_.blocks(node)[row]), i);
      }
      graph_.RemoveOutput(node, i);
    }
  }

  void VisitLoop(NodeId node) {
    const std::optional<ConstantId> count = ConstantOf(graph_.input(node, 0));
    const std::optional<ConstantId> condition = ConstantOf(graph_.input(node, 1));
    const ConstantTable& constants = unit_.constants;
    const bool never_counts = count && constants.at(*count).kind == ConstantKind::kInt &&
                              constants.int_value(*count) <= 0;
    const bool never_starts = condition && constants.at(*condition).kind == ConstantKind::kBool &&
                              !constants.bool_value(*condition);
    if (!never_counts && !never_starts) return Open(graph_.blocks(node)[0], After::kFinishLoop);
    for (uint32_t i = 0; i < graph_.outputs(node).size(); ++i) {
      graph_.ReplaceAllUses(graph_.outputs(node)[i], graph_.input(node, i + 2));
    }
    graph_.Erase(node);
  }

  void RemoveUnchangedResults(NodeId node) {
    const BlockId body = graph_.blocks(node)[0];
    for (auto i = static_cast<uint32_t>(graph_.outputs(node).size()); i-- > 0;) {
      const ValueId carried = graph_.parameters(body)[i + 1];
      if (graph_.results(body)[i + 1] != carried) continue;
      const ValueId start = graph_.input(node, i + 2);
      graph_.ReplaceAllUses(graph_.outputs(node)[i], start);
      graph_.RemoveInput(graph_.return_node(body), i + 1);
      graph_.ReplaceAllUses(carried, start);
      graph_.RemoveOutput(graph_.param_node(body), i + 1);
      graph_.RemoveInput(node, i + 2);
      graph_.RemoveOutput(node, i);
    }
  }

  ValueId InsertBefore(NodeId node, ConstantId constant, TypeId type) {
    const ValueId value = graph_.InsertConstant(graph_.before(node), constant, graph_.range(node),
                                                graph_.stack(node));
    // None has the type that was asked for, so that its uses fit.
    if (unit_.constants.at(constant).kind == ConstantKind::kNone) graph_.SetType(value, type);
    return value;
  }

  bool IsMutable(ValueId value) const {
    return AliasSets::IsMutable(unit_.types, graph_.type(value));
  }

  void Fold(NodeId node) {
    const Symbol kind = graph_.kind(node);
    if (kind == symbols::kConstant || kind == symbols::kUninitialized ||
        kind == symbols::kUncheckedUnwrapOptional || HasSideEffects(graph_, node)) {
      return;
    }
    arguments_.clear();
    for (const ValueId input : graph_.inputs(node)) {
      const std::optional<ConstantId> constant = ConstantOf(input);
      if (!constant || IsMutable(input)) return;
      arguments_.push_back(*constant);
    }
    for (const ValueId output : graph_.outputs(node)) {
      if (IsMutable(output)) return;
    }
    if (kind == symbols::kTupleUnpack) return FoldUnpack(node);
    if (graph_.outputs(node).size() != 1) return;
    const ValueId output = graph_.output(node);
    if (const std::optional<ConstantId> value = FoldOne(kind, graph_.type(output))) {
      graph_.ReplaceAllUses(output, InsertBefore(node, *value, graph_.type(output)));
    }
  }

  std::optional<ConstantId> FoldOne(Symbol kind, TypeId type) {
    if (kind == symbols::kTupleConstruct) {
      return unit_.constants.Compound(ConstantKind::kTuple, type, arguments_);
    }
    if (kind == symbols::kTupleIndex) {
      if (unit_.constants.at(arguments_[0]).kind != ConstantKind::kTuple ||
          unit_.constants.at(arguments_[1]).kind != ConstantKind::kInt) {
        return std::nullopt;
      }
      const auto elements = unit_.constants.elements(arguments_[0]);
      int64_t row = unit_.constants.int_value(arguments_[1]);
      if (row < 0) row += static_cast<int64_t>(elements.size());
      if (row < 0 || row >= static_cast<int64_t>(elements.size())) return std::nullopt;
      return elements[static_cast<size_t>(row)];
    }
    // These give what they are given.
    if (kind == symbols::kUncheckedCast) return arguments_[0];
    if (kind == symbols::kUnwrapOptional) {
      if (arguments_[0] == unit_.constants.None()) return std::nullopt;
      return arguments_[0];
    }
    return FoldOperator(unit_, kind, type, arguments_);
  }

  void FoldUnpack(NodeId node) {
    if (unit_.constants.at(arguments_[0]).kind != ConstantKind::kTuple) return;
    const auto elements = unit_.constants.elements(arguments_[0]);
    if (elements.size() != graph_.outputs(node).size()) return;
    const std::vector<ConstantId> values(elements.begin(), elements.end());
    for (uint32_t i = 0; i < values.size(); ++i) {
      const ValueId output = graph_.outputs(node)[i];
      graph_.ReplaceAllUses(output, InsertBefore(node, values[i], graph_.type(output)));
    }
  }

  Graph& graph_;
  CompilationUnit& unit_;
  std::vector<Work> stack_;
  std::vector<ConstantId> arguments_;
};

}  // namespace

void PropagateConstants(Graph& graph) {
  Propagation(graph).Run();
}

}  // namespace handrail::graph
