#include "graph/emit_condition.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "graph/emit_function.h"
#include "graph/subtyping.h"
#include "script/literals.h"

namespace handrail::graph {

using script::NodeKind;
using script::Operator;

namespace {

using RefinementList = std::vector<Refinement>;

// Both hold. Two types for one variable tell nothing.
RefinementList Both(const RefinementList& a, const RefinementList& b) {
  RefinementList result = a;
  for (const Refinement& refinement : b) {
    const auto known = std::find_if(result.begin(), result.end(), [&](const Refinement& other) {
      return other.name == refinement.name;
    });
    if (known == result.end()) {
      result.push_back(refinement);
    } else if (known->type != refinement.type) {
      result.erase(known);
    }
  }
  return result;
}

// One of them holds.
RefinementList Either(const RefinementList& a, const RefinementList& b) {
  RefinementList result;
  for (const Refinement& refinement : a) {
    const bool is_in_both = std::any_of(b.begin(), b.end(), [&](const Refinement& other) {
      return other.name == refinement.name && other.type == refinement.type;
    });
    if (is_in_both) result.push_back(refinement);
  }
  return result;
}

}  // namespace

Refinements And(const Refinements& a, const Refinements& b) {
  return {Both(a.if_true, b.if_true), Either(a.if_false, b.if_false)};
}

Refinements Or(const Refinements& a, const Refinements& b) {
  return {Either(a.if_true, b.if_true), Both(a.if_false, b.if_false)};
}

Condition FunctionEmitter::StaticCondition(bool value, TextRange range) {
  return {.value = InsertConstant(unit_.constants.Bool(value), range),
          .refinements = {},
          .known = value};
}

Result<Condition> FunctionEmitter::EmitCondition(SyntaxId expression) {
  const TextRange range = tree_.range(expression);
  switch (tree_.kind(expression)) {
    case NodeKind::kBinary: {
      const Operator op = tree_.at(expression).op;
      if (op == Operator::kAnd || op == Operator::kOr) return EmitShortCircuit(expression);
      if (op == Operator::kIs || op == Operator::kIsNot) return EmitIs(expression);
      break;
    }
    case NodeKind::kUnary: {
      if (tree_.at(expression).op != Operator::kNot) break;
      HANDRAIL_ASSIGN_OR_RETURN(Condition inner, EmitNested(tree_.unary(expression).operand));
      HANDRAIL_ASSIGN_OR_RETURN(inner.value, CallOperator(symbols::kNot, range, {inner.value}));
      inner.refinements = Not(std::move(inner.refinements));
      if (inner.known) inner.known = !*inner.known;
      return inner;
    }
    case NodeKind::kCall: {
      const script::CallView call = tree_.call(expression);
      const std::string_view callee = tree_.text(call.callee);
      if (call.arguments.size() != 2 || !call.keywords.empty()) break;
      if (IsTypeCheck(callee)) return EmitIsInstance(call.arguments[0], call.arguments[1]);
      if (callee == "hasattr") return EmitHasAttribute(call.arguments[0], call.arguments[1]);
      break;
    }
    default:
      break;
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Operand operand, EmitExpression(expression));
  HANDRAIL_ASSIGN_OR_RETURN(const Operand value, ToBool(range, operand));
  Condition condition{.value = value, .refinements = {}, .known = std::nullopt};
  if (value.is_variable) return condition;
  const Symbol kind = graph_.kind(graph_.producer(value.value));
  if (unit_.text(kind) == "aten::is_scripting") condition.known = true;
  if (unit_.text(kind) == "aten::has_torch_function") condition.known = false;
  if (const ConstantId constant = ConstantOf(value); !constant.is_none()) {
    condition.known = unit_.constants.bool_value(constant);
  }
  return condition;
}

Result<Condition> FunctionEmitter::EmitNested(SyntaxId condition) {
  HANDRAIL_RETURN_IF_ERROR(Descend(condition));
  Result<Condition> result = EmitCondition(condition);
  --depth_;
  return result;
}

Result<Operand> FunctionEmitter::ToBool(TextRange range, const Operand& operand) {
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning cast, MeaningOfName("bool", range));
  const Arguments arguments{{operand, StringId::none()}};
  const Result<Meaning> result = CallMeaning(cast, range, arguments);
  if (!result || result->kind != MeaningKind::kValue || result->operand.type != types::kBool) {
    return FailAt(range, fmt::format("a {} cannot be a condition", Name(operand.type)));
  }
  return result->operand;
}

// What an Optional, or a Union with None, is beside None; none: it cannot be None.
TypeId FunctionEmitter::WithoutNone(TypeId type) {
  if (unit_.types.is(type, TypeKind::kOptional)) return unit_.types.element(type);
  if (!unit_.types.is(type, TypeKind::kUnion)) return TypeId::none();
  std::vector<TypeId> rest;
  for (const TypeId member : unit_.types.elements(type)) {
    if (member != types::kNone) rest.push_back(member);
  }
  return rest.size() == unit_.types.elements(type).size() ? TypeId::none()
                                                          : unit_.types.Union(rest);
}

namespace {
enum class Nullness : uint8_t { kAlways, kMaybe, kNever };
}  // namespace

Result<Condition> FunctionEmitter::EmitIs(SyntaxId expression) {
  const script::BinaryView view = tree_.binary(expression);
  const TextRange range = tree_.range(expression);
  const bool is_is = view.op == Operator::kIs;
  HANDRAIL_ASSIGN_OR_RETURN(const Operand left, EmitExpression(view.left));
  HANDRAIL_ASSIGN_OR_RETURN(const Operand right, EmitExpression(view.right));
  const auto nullness = [&](const Operand& operand) {
    if (operand.type == types::kNone) return Nullness::kAlways;
    if (WithoutNone(operand.type).is_none()) return Nullness::kNever;
    const ConstantId constant = ConstantOf(operand);
    const bool is_none = !constant.is_none() && constant == unit_.constants.None();
    return is_none ? Nullness::kAlways : Nullness::kMaybe;
  };
  const Nullness left_null = nullness(left);
  const Nullness right_null = nullness(right);
  if (left_null == Nullness::kAlways && right_null == Nullness::kAlways) {
    return StaticCondition(is_is, range);
  }
  if ((left_null == Nullness::kAlways && right_null == Nullness::kNever) ||
      (left_null == Nullness::kNever && right_null == Nullness::kAlways)) {
    return StaticCondition(!is_is, range);
  }
  Condition condition;
  HANDRAIL_ASSIGN_OR_RETURN(
      condition.value, CallOperator(is_is ? symbols::kIs : symbols::kIsNot, range, {left, right}));
  // `None is x` tells of x what `x is None` tells.
  const bool is_turned =
      tree_.kind(view.left) == NodeKind::kNone && tree_.kind(view.right) != NodeKind::kNone;
  const SyntaxId subject = is_turned ? view.right : view.left;
  const SyntaxId none = is_turned ? view.left : view.right;
  const TypeId type = is_turned ? right.type : left.type;
  const TypeId rest = WithoutNone(type);
  if (tree_.kind(none) == NodeKind::kNone && tree_.kind(subject) == NodeKind::kName &&
      !rest.is_none()) {
    const Refinement present{Intern(tree_.text(subject)), rest};
    (is_is ? condition.refinements.if_false : condition.refinements.if_true).push_back(present);
  }
  return condition;
}

// prim::If whose one branch is the second operand, and the other the value that decides alone.
Result<Condition> FunctionEmitter::EmitShortCircuit(SyntaxId expression) {
  const script::BinaryView view = tree_.binary(expression);
  const TextRange range = tree_.range(expression);
  const bool is_or = view.op == Operator::kOr;
  HANDRAIL_ASSIGN_OR_RETURN(const Condition left, EmitNested(view.left));
  Condition right;
  const EmitOperand decided = [&]() -> Result<Operand> {
    return InsertConstant(unit_.constants.Bool(is_or), range);
  };
  const EmitOperand more = [&]() -> Result<Operand> {
    HANDRAIL_ASSIGN_OR_RETURN(right, EmitNested(view.right));
    return right.value;
  };
  Condition result;
  HANDRAIL_ASSIGN_OR_RETURN(
      result.value, EmitBranchValues(range, left, is_or ? decided : more, is_or ? more : decided));
  result.refinements =
      is_or ? Or(left.refinements, right.refinements) : And(left.refinements, right.refinements);
  const auto decides = [&](const Condition& side) { return side.known && *side.known == is_or; };
  if (decides(left) || decides(right)) {
    result.known = is_or;
  } else if (left.known && right.known) {
    result.known = !is_or;
  }
  return result;
}

Result<Condition> FunctionEmitter::EmitHasAttribute(SyntaxId object, SyntaxId name) {
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning meaning, EmitMeaning(object));
  if (tree_.kind(name) != NodeKind::kString) {
    return FailAt(name, "need a string literal as hasattr's second argument");
  }
  const TextRange range = tree_.range(object);
  HANDRAIL_ASSIGN_OR_RETURN(const bool has,
                            HasAttributeNamed(meaning, script::StringValue(tree_, name), range));
  return StaticCondition(has, range);
}

Status FunctionEmitter::ReadTypes(SyntaxId classes, std::vector<TypeId>& types) {
  if (tree_.kind(classes) == NodeKind::kTuple) {
    HANDRAIL_RETURN_IF_ERROR(Descend(classes));
    for (const SyntaxId child : tree_.children(classes)) {
      HANDRAIL_RETURN_IF_ERROR(ReadTypes(child, types));
    }
    --depth_;
    return {};
  }
  HANDRAIL_ASSIGN_OR_RETURN(const TypeId type, ReadType(unit_, text_, classes));
  AddAlternatives(type, types);
  return {};
}

// The members of a Union or Optional, or the type itself.
void FunctionEmitter::AddAlternatives(TypeId type, std::vector<TypeId>& types) {
  if (unit_.types.is(type, TypeKind::kUnion)) {
    for (const TypeId member : unit_.types.elements(type)) types.push_back(member);
  } else if (unit_.types.is(type, TypeKind::kOptional)) {
    types.push_back(unit_.types.element(type));
    types.push_back(types::kNone);
  } else {
    types.push_back(type);
  }
}

// Decided from the types if they allow it. The alternatives of the value's type that the classes
// may hold are what it is where the check holds, and the others what it is elsewhere.
Result<Condition> FunctionEmitter::EmitIsInstance(SyntaxId object, SyntaxId classes) {
  const TextRange range = tree_.range(object);
  HANDRAIL_ASSIGN_OR_RETURN(const Operand operand, EmitExpression(object));
  std::vector<TypeId> candidates;
  HANDRAIL_RETURN_IF_ERROR(ReadTypes(classes, candidates));
  std::vector<TypeId> alternatives;
  AddAlternatives(operand.type, alternatives);

  std::vector<TypeId> if_true;
  std::vector<TypeId> if_false;
  bool is_certain = true;
  for (const TypeId alternative : alternatives) {
    if (alternative == types::kAny) {
      if_true.insert(if_true.end(), candidates.begin(), candidates.end());
      if_false.push_back(types::kAny);
      is_certain = if_true.size() == 1 && if_true[0] == types::kAny;
      break;
    }
    std::optional<TypeId> found;
    for (const TypeId candidate : candidates) {
      if (IsSubtypeOf(alternative, candidate)) {
        found = alternative;
      } else if (IsSubtypeOf(candidate, alternative)) {
        found = found ? UnifyTypes(unit_, *found, candidate, true) : candidate;
      }
    }
    if (found) {
      if_true.push_back(*found);
    } else {
      if_false.push_back(alternative);
      is_certain = false;
    }
  }
  Refinements refinements;
  if (tree_.kind(object) == NodeKind::kName) {
    const StringId name = Intern(tree_.text(object));
    if (!if_true.empty()) {
      refinements.if_true.push_back({name, *UnifyTypes(unit_, if_true, true)});
    }
    if (!if_false.empty()) {
      refinements.if_false.push_back({name, *UnifyTypes(unit_, if_false, true)});
    }
  }
  if (is_certain || if_true.empty()) {
    Condition condition = StaticCondition(is_certain, range);
    condition.refinements = std::move(refinements);
    return condition;
  }
  const Operand result = InsertValue(symbols::kIsInstance, std::array{operand.value}, types::kBool,
                                     OriginTable::null_range());
  graph_.AddAttribute(graph_.producer(result.value), symbols::kAttributeTypes,
                      unit_.types.Tuple(candidates));
  return Condition{.value = result, .refinements = std::move(refinements), .known = std::nullopt};
}

}  // namespace handrail::graph
