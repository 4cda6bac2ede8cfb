// The part of FunctionEmitter that is about branches, and what they leave behind.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "graph/emit_function.h"
#include "graph/subtyping.h"

namespace handrail::graph {

Status FunctionEmitter::EmitIf(SyntaxId statement) {
  const script::IfView view = tree_.if_statement(statement);
  HANDRAIL_ASSIGN_OR_RETURN(const Condition condition, EmitCondition(view.condition));
  return EmitBranches(
      tree_.range(statement), condition, [&] { return EmitStatements(view.then_block); },
      [&] { return view.else_block.is_none() ? Status() : EmitStatements(view.else_block); });
}

Status FunctionEmitter::ApplyRefinements(TextRange range,
                                         const std::vector<Refinement>& refinements) {
  for (const Refinement& refinement : refinements) {
    const Scope::Variable* variable = scope_.Find(refinement.name);
    if (variable == nullptr || !variable->is_value()) continue;
    const Operand cast = InsertCast(variable->meaning.operand, refinement.type);
    HANDRAIL_RETURN_IF_ERROR(SetVariable(range, refinement.name, cast));
  }
  return {};
}

// What a frame set, by name.
FunctionEmitter::BranchVariables FunctionEmitter::CloseBranch() {
  BranchVariables variables;
  scope_.Close([&](const Scope::Variable& variable) {
    if (variable.is_value()) variables.emplace_back(variable.name, variable.meaning.operand);
  });
  std::sort(variables.begin(), variables.end(), [&](const auto& a, const auto& b) {
    return unit_.text(a.first) < unit_.text(b.first);
  });
  return variables;
}

Status FunctionEmitter::EmitBranches(TextRange range, const Condition& condition,
                                     const EmitBody& if_true, const EmitBody& if_false) {
  if (condition.known) {
    HANDRAIL_RETURN_IF_ERROR(ApplyRefinements(
        range, *condition.known ? condition.refinements.if_true : condition.refinements.if_false));
    return *condition.known ? if_true() : if_false();
  }
  const BlockId around = block_;
  const NodeId node = InsertNode(symbols::kIf, std::array{condition.value.value}, RangeOf(range));
  const auto branch = [&](const std::vector<Refinement>& refinements,
                          const EmitBody& body) -> Result<BranchVariables> {
    block_ = graph_.AddBlock(node);
    scope_.Open();
    HANDRAIL_RETURN_IF_ERROR(ApplyRefinements(range, refinements));
    HANDRAIL_RETURN_IF_ERROR(body());
    return CloseBranch();
  };
  HANDRAIL_ASSIGN_OR_RETURN(BranchVariables in_true,
                            branch(condition.refinements.if_true, if_true));
  HANDRAIL_ASSIGN_OR_RETURN(BranchVariables in_false,
                            branch(condition.refinements.if_false, if_false));
  block_ = around;
  const BlockId true_block = graph_.blocks(node)[0];
  const BlockId false_block = graph_.blocks(node)[1];
  if (HasExited(true_block) && HasExited(false_block)) {
    MarkExited(around);
    return {};
  }
  return MergeBranches(range, node, in_true, in_false);
}

// Gives the node an output for each variable that one branch set and that has a value behind both.
Status FunctionEmitter::MergeBranches(TextRange range, NodeId node, const BranchVariables& in_true,
                                      const BranchVariables& in_false) {
  const BlockId blocks[] = {graph_.blocks(node)[0], graph_.blocks(node)[1]};
  const bool exits[] = {HasExited(blocks[0]), HasExited(blocks[1])};
  constexpr std::string_view kBranchNames[] = {"true", "false"};
  auto true_row = in_true.begin();
  auto false_row = in_false.begin();
  while (true_row != in_true.end() || false_row != in_false.end()) {
    const bool is_in_true =
        true_row != in_true.end() && (false_row == in_false.end() ||
                                      unit_.text(true_row->first) <= unit_.text(false_row->first));
    const bool is_in_false =
        false_row != in_false.end() && (!is_in_true || true_row->first == false_row->first);
    const StringId name = is_in_true ? true_row->first : false_row->first;
    std::optional<Operand> values[2];
    if (is_in_true) values[0] = (true_row++)->second;
    if (is_in_false) values[1] = (false_row++)->second;
    const Scope::Variable* before = scope_.Find(name);
    for (int side = 0; side < 2; ++side) {
      if (values[side] || before == nullptr || !before->is_value()) continue;
      values[side] = before->meaning.operand;
    }
    bool is_defined = true;
    for (int side = 0; side < 2; ++side) {
      if (!values[side] && !exits[side]) {
        is_defined = false;
        scope_.SetReason(
            name, fmt::format("it has no value where the condition is {}", kBranchNames[side]));
      }
    }
    if (!is_defined) continue;
    for (int side = 0; side < 2; ++side) {
      if (!exits[side]) continue;
      block_ = blocks[side];
      values[side] = InsertUninitialized(values[1 - side]->type, OriginTable::null_range());
      block_ = graph_.block(node);
    }
    // A variable that may be one of several may be another on each way.
    const bool may_be_union = before != nullptr && before->is_value() &&
                              unit_.types.is(before->meaning.operand.type, TypeKind::kUnion);
    const auto type = UnifyTypes(unit_, values[0]->type, values[1]->type, may_be_union);
    if (!type) {
      const std::string message =
          fmt::format("it is a {} where the condition is true, and a {} where it is false",
                      Name(values[0]->type), Name(values[1]->type));
      if (before != nullptr) {
        return FailAt(range, fmt::format("'{}' has two types: {}", unit_.text(name), message));
      }
      scope_.SetReason(name, message);
      continue;
    }
    for (int side = 0; side < 2; ++side) graph_.AddResult(blocks[side], values[side]->value);
    const ValueId output = graph_.AddOutput(node, *type, name);
    scope_.Set(name, ValueMeaning({output, *type}));
  }
  return {};
}

Result<Operand> FunctionEmitter::EmitConditional(SyntaxId expression, TypeId hint) {
  const script::ConditionalView view = tree_.conditional(expression);
  HANDRAIL_ASSIGN_OR_RETURN(const Condition condition, EmitCondition(view.condition));
  if (condition.known) return EmitExpression(*condition.known ? view.if_true : view.if_false, hint);
  return EmitBranchValues(
      tree_.range(expression), condition, [&] { return EmitExpression(view.if_true, hint); },
      [&] { return EmitExpression(view.if_false, hint); });
}

Result<Operand> FunctionEmitter::EmitBranchValues(TextRange range, const Condition& condition,
                                                  const EmitOperand& if_true,
                                                  const EmitOperand& if_false) {
  const BlockId around = block_;
  const NodeId node = InsertNode(symbols::kIf, std::array{condition.value.value}, RangeOf(range));
  TypeId value_types[2];
  BranchVariables variables[2];
  const auto branch = [&](int side, const std::vector<Refinement>& refinements,
                          const EmitOperand& value) -> Status {
    block_ = graph_.AddBlock(node);
    const BlockId block = block_;
    scope_.Open();
    HANDRAIL_RETURN_IF_ERROR(ApplyRefinements(range, refinements));
    HANDRAIL_ASSIGN_OR_RETURN(const Operand operand, value());
    graph_.AddResult(block, operand.value);
    value_types[side] = operand.type;
    variables[side] = CloseBranch();
    return {};
  };
  HANDRAIL_RETURN_IF_ERROR(branch(0, condition.refinements.if_true, if_true));
  HANDRAIL_RETURN_IF_ERROR(branch(1, condition.refinements.if_false, if_false));
  block_ = around;
  const auto type = UnifyTypes(unit_, value_types[0], value_types[1]);
  if (!type) {
    return FailAt(range, fmt::format("this is a {} where the condition is true, and a {} where it "
                                     "is false",
                                     Name(value_types[0]), Name(value_types[1])));
  }
  const Operand result{graph_.AddOutput(node, *type), *type};
  HANDRAIL_RETURN_IF_ERROR(MergeBranches(range, node, variables[0], variables[1]));
  return result;
}

}  // namespace handrail::graph
