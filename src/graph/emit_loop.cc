// The part of FunctionEmitter that is about loops.
#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "graph/emit_function.h"

namespace handrail::graph {

using script::NodeKind;
using script::Operator;

Status FunctionEmitter::EmitWhile(SyntaxId statement) {
  const script::WhileView view = tree_.while_loop(statement);
  return EmitLoop(tree_.range(statement), nullptr, nullptr, view.condition, statement,
                  [&] { return EmitStatements(view.body); });
}

Status FunctionEmitter::EmitFor(SyntaxId statement) {
  const script::ForView view = tree_.for_loop(statement);
  const TextRange range = tree_.range(statement);
  if (view.iterables.size() != 1) {
    return FailAt(view.iterables[1], "a loop over several iterables is not supported",
                  ErrorCode::kUnsupported);
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning source, EmitMeaning(view.iterables[0]));
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning iterable, IterableOf(source, range));
  return EmitLoopOver(
      range, iterable, [&](const Meaning& item) { return AssignToAll(view.targets, item, range); },
      statement, [&] { return EmitStatements(view.body); });
}

Status FunctionEmitter::EmitLoopOver(TextRange range, const Meaning& iterable,
                                     const EmitAssignment& assign, SyntaxId whole,
                                     const EmitBody& body) {
  if (StaticLength(iterable) >= 0) return EmitUnrolled(range, iterable, assign, body);
  return EmitLoop(range, &iterable, assign, SyntaxId::none(), whole, body);
}

// Over submodules and the elements of a tuple, which need not be of one type.
Status FunctionEmitter::EmitUnrolled(TextRange range, const Meaning& iterable,
                                     const EmitAssignment& assign, const EmitBody& body) {
  const int64_t length = StaticLength(iterable);
  open_loops_.push_back({.is_unrolled = true,
                         .condition = SyntaxId::none(),
                         .carried = {},
                         .types = {},
                         .continuations = {}});
  for (int64_t row = 0; row < length; ++row) {
    HANDRAIL_ASSIGN_OR_RETURN(const Meaning item, ItemOf(iterable, range, InsertInt(row, range)));
    HANDRAIL_RETURN_IF_ERROR(assign(item));
    HANDRAIL_RETURN_IF_ERROR(body());
  }
  open_loops_.pop_back();
  return {};
}

Status FunctionEmitter::EmitLoop(TextRange range, const Meaning* iterable,
                                 const EmitAssignment& assign, SyntaxId condition, SyntaxId whole,
                                 const EmitBody& body) {
  Operand trip_count;
  if (iterable != nullptr) {
    HANDRAIL_ASSIGN_OR_RETURN(trip_count, LengthOf(*iterable, range));
  } else {
    trip_count = InsertInt(std::numeric_limits<int64_t>::max(), range);
  }
  OpenLoop loop{.is_unrolled = false,
                .condition = condition,
                .carried = {},
                .types = {},
                .continuations = {}};
  HANDRAIL_ASSIGN_OR_RETURN(const Operand first_condition, EmitLoopCondition(loop, range));
  const BlockId around = block_;
  const NodeId node = InsertNode(
      symbols::kLoop, std::array{trip_count.value, first_condition.value}, RangeOf(range));
  const BlockId block = graph_.AddBlock(node);
  const Operand trip{graph_.AddParameter(block, types::kInt), types::kInt};

  std::vector<Operand> parameters;
  for (const StringId name : NamesSetIn(whole)) {
    const Scope::Variable* variable = scope_.Find(name);
    if (variable == nullptr || !variable->is_value()) continue;
    const Operand before = variable->meaning.operand;
    loop.carried.push_back(name);
    loop.types.push_back(before.type);
    graph_.AddOperand(node, before.value);
    parameters.push_back({graph_.AddParameter(block, before.type, name), before.type});
  }
  // The carried variables are around the body, which may narrow their types.
  block_ = block;
  scope_.Open();
  for (size_t row = 0; row < parameters.size(); ++row) {
    scope_.Set(loop.carried[row], ValueMeaning(parameters[row]));
  }
  open_loops_.push_back(std::move(loop));
  scope_.Open();
  if (iterable != nullptr) {
    HANDRAIL_ASSIGN_OR_RETURN(const Meaning item, ItemOf(*iterable, range, trip));
    HANDRAIL_ASSIGN_OR_RETURN(const Operand value, AsValue(item, range));
    Operand element = value;
    element.is_variable = false;
    HANDRAIL_RETURN_IF_ERROR(assign(ValueMeaning(element)));
  }
  HANDRAIL_RETURN_IF_ERROR(body());
  HANDRAIL_RETURN_IF_ERROR(CloseLoop(node, range));
  block_ = around;
  scope_.Close();
  HANDRAIL_RETURN_IF_ERROR(SetLoopOutputs(node));
  open_loops_.pop_back();
  return {};
}

// Ends the body: the next condition, and the values that variables have then.
Status FunctionEmitter::CloseLoop(NodeId loop_node, TextRange range) {
  const OpenLoop& loop = open_loops_.back();
  std::vector<Operand> values;
  for (size_t row = 0; row < loop.carried.size(); ++row) {
    const Scope::Variable* variable = scope_.Find(loop.carried[row]);
    if (variable == nullptr || !variable->is_value()) {
      // Deleted in the body, or out of reach behind a return.
      values.push_back({graph_.parameters(block_)[row + 1], loop.types[row]});
    } else {
      values.push_back(variable->meaning.operand);
    }
  }
  scope_.Close();
  for (size_t row = 0; row < loop.carried.size(); ++row) {
    scope_.Set(loop.carried[row], ValueMeaning({values[row].value, loop.types[row]}));
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Operand condition, EmitLoopCondition(loop, range));
  const BlockId body = graph_.blocks(loop_node)[0];
  graph_.AddResult(body, condition.value);
  for (const Operand& value : values) graph_.AddResult(body, value.value);
  return {};
}

// What the body leaves as it was is not carried; the other variables are outputs.
Status FunctionEmitter::SetLoopOutputs(NodeId node) {
  const OpenLoop& loop = open_loops_.back();
  const BlockId body = graph_.blocks(node)[0];
  std::vector<bool> is_carried;
  for (size_t row = 0; row < loop.carried.size(); ++row) {
    bool changes = graph_.results(body)[row + 1] != graph_.parameters(body)[row + 1];
    for (const NodeId exit : loop.continuations) {
      changes |=
          graph_.input(exit, static_cast<uint32_t>(row + 1)) != graph_.parameters(body)[row + 1];
    }
    is_carried.push_back(changes);
  }
  for (size_t row = loop.carried.size(); row-- > 0;) {
    if (is_carried[row]) continue;
    const auto place = static_cast<uint32_t>(row + 1);
    graph_.ReplaceAllUses(graph_.parameters(body)[place], graph_.input(node, place + 1));
    graph_.RemoveInput(node, place + 1);
    graph_.RemoveInput(graph_.return_node(body), place);
    graph_.RemoveOutput(graph_.param_node(body), place);
    for (const NodeId exit : loop.continuations) graph_.RemoveInput(exit, place);
  }
  for (size_t row = 0; row < loop.carried.size(); ++row) {
    if (!is_carried[row]) continue;
    const ValueId output = graph_.AddOutput(node, loop.types[row], loop.carried[row]);
    scope_.Set(loop.carried[row], ValueMeaning({output, loop.types[row]}));
  }
  return {};
}

// The condition with the values that variables have here, and the types they had before the loop.
Result<Operand> FunctionEmitter::EmitLoopCondition(const OpenLoop& loop, TextRange range) {
  if (loop.condition.is_none()) return InsertConstant(unit_.constants.Bool(true), range);
  const SyntaxId condition = loop.condition;
  const std::vector<StringId> carried = loop.carried;
  const std::vector<TypeId> types = loop.types;
  scope_.Open();
  for (size_t row = 0; row < carried.size(); ++row) {
    const Scope::Variable* variable = scope_.Find(carried[row]);
    if (variable == nullptr || !variable->is_value()) continue;
    scope_.Set(carried[row], ValueMeaning({variable->meaning.operand.value, types[row]}));
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Operand operand, EmitExpression(condition));
  HANDRAIL_ASSIGN_OR_RETURN(const Operand value, ToBool(tree_.range(condition), operand));
  scope_.Close();
  return value;
}

// Names that a part of the body may set. Nodes stand behind all that is in them, so that the rows
// of a part are in one run.
std::vector<StringId> FunctionEmitter::NamesSetIn(SyntaxId whole) {
  if (!knows_names_set_) FindNamesSet();
  const uint32_t start = tree_.range(whole).start;
  const auto last =
      std::upper_bound(names_set_.begin(), names_set_.end(), whole.index,
                       [](uint32_t row, const auto& name) { return row < name.first; });
  std::vector<StringId> names;
  for (auto name = last; name != names_set_.begin();) {
    --name;
    if (tree_.range({name->first}).start < start) break;
    names.push_back(name->second);
  }
  std::sort(names.begin(), names.end(),
            [&](StringId a, StringId b) { return unit_.text(a) < unit_.text(b); });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Targets, and variables whose types a condition may narrow.
void FunctionEmitter::FindNamesSet() {
  knows_names_set_ = true;
  const uint32_t start = tree_.range(syntax_).start;
  uint32_t first = syntax_.index;
  while (first > 0 && tree_.range({first - 1}).start >= start) --first;
  std::vector<SyntaxId> open;
  for (uint32_t row = first; row < syntax_.index; ++row) {
    const SyntaxId id{row};
    open.clear();
    switch (tree_.kind(id)) {
      case NodeKind::kAssign: {
        const SyntaxIds targets = tree_.assign(id).targets;
        open.assign(targets.begin(), targets.end());
        break;
      }
      case NodeKind::kFor: {
        const SyntaxIds targets = tree_.for_loop(id).targets;
        open.assign(targets.begin(), targets.end());
        break;
      }
      case NodeKind::kAugmentedAssign:
        open.push_back(tree_.augmented_assign(id).target);
        break;
      case NodeKind::kWithItem:
        if (!tree_.with_item(id).name.is_none()) open.push_back(tree_.with_item(id).name);
        break;
      case NodeKind::kBinary:
        if (tree_.at(id).op == Operator::kIs || tree_.at(id).op == Operator::kIsNot) {
          open = {tree_.binary(id).left, tree_.binary(id).right};
        }
        break;
      case NodeKind::kCall: {
        const script::CallView call = tree_.call(id);
        if (!call.arguments.empty() && IsTypeCheck(tree_.text(call.callee))) {
          open.push_back(call.arguments[0]);
        }
        break;
      }
      default:
        break;
    }
    while (!open.empty()) {
      const SyntaxId target = open.back();
      open.pop_back();
      if (tree_.kind(target) == NodeKind::kName) {
        names_set_.emplace_back(row, Intern(tree_.text(target)));
      } else if (tree_.kind(target) == NodeKind::kTuple ||
                 tree_.kind(target) == NodeKind::kStarred) {
        for (const SyntaxId child : tree_.children(target)) open.push_back(child);
      }
    }
  }
}

}  // namespace handrail::graph
