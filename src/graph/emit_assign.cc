// The part of FunctionEmitter that is about assignments.
#include <array>

#include <fmt/format.h>

#include "graph/emit_function.h"

namespace handrail::graph {

using script::NodeKind;
using script::Operator;

Status FunctionEmitter::SetVariable(TextRange range, StringId name, const Meaning& meaning,
                                    TypeId annotation) {
  Meaning stored = meaning;
  stored.operand.is_variable = false;
  const bool is_value = meaning.kind == MeaningKind::kValue;
  if (const Scope::Variable* outside = scope_.FindOutside(name)) {
    if (!annotation.is_none()) {
      return FailAt(range, fmt::format("'{}' cannot be annotated here: it is defined in an outer "
                                       "block",
                                       unit_.text(name)));
    }
    if (!is_value || !outside->is_value()) {
      return FailAt(range, fmt::format("'{}' cannot be set again: it is no value that a block can "
                                       "give",
                                       unit_.text(name)));
    }
    const TypeId type = outside->meaning.operand.type;
    HANDRAIL_ASSIGN_OR_RETURN(stored.operand, Convert(range, meaning.operand, type));
    if (!IsSubtypeOf(stored.operand.type, type)) {
      return FailAt(range, fmt::format("'{}' is a {} and cannot become a {}", unit_.text(name),
                                       Name(type), Name(stored.operand.type)));
    }
  }
  if (is_value && !annotation.is_none()) {
    if (!IsSubtypeOf(stored.operand.type, annotation)) {
      return FailAt(range,
                    fmt::format("'{}' is annotated as a {}, and is set to a {}", unit_.text(name),
                                Name(annotation), Name(stored.operand.type)));
    }
    stored.operand.type = annotation;
  }
  stored.operand.is_variable = false;
  scope_.Set(name, stored);
  return {};
}

Status FunctionEmitter::EmitAssign(SyntaxId statement) {
  const script::AssignView view = tree_.assign(statement);
  const TextRange range = tree_.range(statement);
  if (view.value.is_none()) {
    return FailAt(statement, "need a value: a declaration alone cannot stand in a function");
  }
  const TextRange value_range = tree_.range(view.value);
  if (view.targets.size() > 1) {
    HANDRAIL_ASSIGN_OR_RETURN(Meaning value, EmitMeaning(view.value));
    value.operand.is_variable = true;
    for (const SyntaxId target : view.targets) {
      HANDRAIL_RETURN_IF_ERROR(AssignTo(target, value, value_range, range));
    }
    return {};
  }
  const SyntaxId target = view.targets[0];
  TypeId annotation;
  if (!view.type.is_none()) {
    HANDRAIL_ASSIGN_OR_RETURN(annotation, ReadType(unit_, text_, view.type));
  }
  switch (tree_.kind(target)) {
    case NodeKind::kName: {
      HANDRAIL_ASSIGN_OR_RETURN(Meaning value, EmitMeaning(view.value, annotation));
      if (annotation == types::kAny && value.kind == MeaningKind::kValue &&
          value.operand.type != types::kAny) {
        value.operand = InsertCast(value.operand, annotation);
      }
      if (value.kind == MeaningKind::kNothing) {
        value = ValueMeaning(InsertConstant(unit_.constants.None(), value_range));
      }
      return SetVariable(tree_.range(target), Intern(tree_.text(target)), value, annotation);
    }
    case NodeKind::kSelect: {
      const script::SelectView select = tree_.select(target);
      HANDRAIL_ASSIGN_OR_RETURN(const Meaning object, EmitMeaning(select.value));
      HANDRAIL_ASSIGN_OR_RETURN(const Operand value, EmitExpression(view.value, annotation));
      return AssignToAttribute(object, Intern(select.name), value, range);
    }
    case NodeKind::kSubscript: {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand value, EmitExpression(view.value));
      return AssignToSubscript(target, value, range);
    }
    default: {
      HANDRAIL_ASSIGN_OR_RETURN(const Meaning value, EmitMeaning(view.value));
      return AssignTo(target, value, value_range, range);
    }
  }
}

Status FunctionEmitter::AssignTo(SyntaxId target, const Meaning& meaning, TextRange value_range,
                                 TextRange statement_range) {
  switch (tree_.kind(target)) {
    case NodeKind::kName:
      return SetVariable(tree_.range(target), Intern(tree_.text(target)), meaning);
    case NodeKind::kTuple: {
      HANDRAIL_RETURN_IF_ERROR(Descend(target));
      Status status =
          AssignToEach(tree_.children(target), tree_.range(target), meaning, value_range);
      --depth_;
      return status;
    }
    case NodeKind::kSelect: {
      const script::SelectView select = tree_.select(target);
      HANDRAIL_ASSIGN_OR_RETURN(const Meaning object, EmitMeaning(select.value));
      HANDRAIL_ASSIGN_OR_RETURN(const Operand value, AsValue(meaning, value_range));
      return AssignToAttribute(object, Intern(select.name), value, statement_range);
    }
    case NodeKind::kSubscript: {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand value, AsValue(meaning, value_range));
      return AssignToSubscript(target, value, statement_range);
    }
    default:
      return FailAt(target, "this cannot be assigned to");
  }
}

// The targets of a `for`: several are a tuple.
Status FunctionEmitter::AssignToAll(SyntaxIds targets, const Meaning& meaning, TextRange range) {
  if (targets.size() == 1) return AssignTo(targets[0], meaning, range, range);
  return AssignToEach(targets, range, meaning, range);
}

Status FunctionEmitter::AssignToEach(SyntaxIds targets, TextRange range, const Meaning& meaning,
                                     TextRange value_range) {
  size_t starred_count = 0;
  for (const SyntaxId target : targets) {
    if (tree_.kind(target) == NodeKind::kStarred) ++starred_count;
  }
  if (starred_count > 1 || (starred_count == 1 && targets.size() == 1)) {
    return FailAt(range, "need at most one starred target, beside others");
  }
  const size_t needed = targets.size() - starred_count;
  HANDRAIL_ASSIGN_OR_RETURN(
      const std::vector<Meaning> elements,
      ElementsOf(meaning, value_range,
                 starred_count > 0 ? std::nullopt : std::optional(static_cast<uint32_t>(needed))));
  if (elements.size() < needed || (elements.size() > needed && starred_count == 0)) {
    return FailAt(range, fmt::format("need {} values to unpack, have {}", needed, elements.size()));
  }
  size_t row = 0;
  for (const SyntaxId target : targets) {
    if (tree_.kind(target) != NodeKind::kStarred) {
      HANDRAIL_RETURN_IF_ERROR(AssignTo(target, elements[row++], value_range, value_range));
      continue;
    }
    std::vector<Operand> rest;
    for (size_t end = row + elements.size() - needed; row < end; ++row) {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand value, AsValue(elements[row], tree_.range(target)));
      rest.push_back(value);
    }
    HANDRAIL_RETURN_IF_ERROR(
        AssignTo(tree_.operand(target), ValueMeaning(InsertTuple(rest)), value_range, value_range));
  }
  return {};
}

Status FunctionEmitter::AssignToAttribute(const Meaning& object, StringId name,
                                          const Operand& value, TextRange range) {
  if (object.kind != MeaningKind::kValue) {
    return FailAt(range, "only the attributes of objects can be set");
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Definition* definition, DefinitionOf(object.operand.type, range));
  auto row = definition->FindAttribute(name);
  if (!row) {
    // `__init__` of a class defines its attributes.
    const Function& function = unit_.function(function_);
    const bool is_init = !function.owner.is_none() &&
                         unit_.definition(function.owner).type == object.operand.type &&
                         LastAtom(unit_.text(function.name)) == "__init__" &&
                         !definition->is_module() && block_ == graph_.root();
    if (!is_init) {
      return FailAt(range, fmt::format("{} has no attribute '{}'", Name(object.operand.type),
                                       unit_.text(name)));
    }
    unit_.definition(function.owner)
        .attributes.push_back({.name = name, .type = value.type, .default_value = {}});
    row = definition->FindAttribute(name);
  }
  const TypeId type = definition->attributes[*row].type;
  if (!IsSubtypeOf(value.type, type)) {
    return FailAt(range, fmt::format("attribute '{}' is a {} and cannot become a {}",
                                     unit_.text(name), Name(type), Name(value.type)));
  }
  const NodeId node = InsertNode(symbols::kSetAttr, std::array{object.operand.value, value.value},
                                 OriginTable::null_range());
  graph_.AddAttribute(node, symbols::kAttributeName, name);
  return {};
}

namespace {

struct AugmentRow {
  std::string_view in_place;      // of tensors and lists
  std::string_view out_of_place;  // of all else
  std::string_view in_place_method;
  std::string_view out_of_place_method;
};

AugmentRow RowOf(Operator op) {
  switch (op) {
    case Operator::kAdd:
      return {"aten::add_", "aten::add", "__iadd__", "__add__"};
    case Operator::kSub:
      return {"aten::sub_", "aten::sub", "__isub__", "__sub__"};
    case Operator::kMul:
      return {"aten::mul_", "aten::mul", "__imul__", "__mul__"};
    case Operator::kDiv:
      return {"aten::div_", "aten::div", "__itruediv__", "__truediv__"};
    case Operator::kMod:
      return {"aten::fmod_", "aten::fmod", "__imod__", "__mod__"};
    case Operator::kBitOr:
      return {"aten::bitwise_or", "aten::__or__", "", ""};
    case Operator::kBitAnd:
      return {"aten::bitwise_and", "aten::__and__", "", ""};
    case Operator::kBitXor:
      return {"aten::bitwise_xor", "aten::__xor__", "", ""};
    case Operator::kShiftLeft:
      return {"aten::__ilshift__", "aten::__lshift__", "", ""};
    case Operator::kShiftRight:
      return {"aten::__irshift__", "aten::__rshift__", "", ""};
    default:
      return {"aten::pow", "aten::pow", "", ""};
  }
}

}  // namespace

Status FunctionEmitter::EmitAugmentedAssign(SyntaxId statement) {
  const script::AugmentedAssignView view = tree_.augmented_assign(statement);
  const TextRange range = tree_.range(statement);
  switch (tree_.kind(view.target)) {
    case NodeKind::kName: {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand before, EmitExpression(view.target));
      HANDRAIL_ASSIGN_OR_RETURN(const Operand result, Augment(statement, before, before.type));
      return SetVariable(tree_.range(view.target), Intern(tree_.text(view.target)), result);
    }
    case NodeKind::kSelect: {
      const script::SelectView select = tree_.select(view.target);
      HANDRAIL_ASSIGN_OR_RETURN(const Meaning object, EmitMeaning(select.value));
      HANDRAIL_ASSIGN_OR_RETURN(const Meaning attribute,
                                EmitAttribute(object, select.name, tree_.range(view.target)));
      HANDRAIL_ASSIGN_OR_RETURN(const Operand before, AsValue(attribute, tree_.range(view.target)));
      HANDRAIL_ASSIGN_OR_RETURN(const Operand result, Augment(statement, before, before.type));
      return AssignToAttribute(object, Intern(select.name), result, range);
    }
    case NodeKind::kSubscript:
      return AugmentSubscript(statement);
    default:
      return FailAt(view.target, "this cannot be assigned to");
  }
}

// `type` decides between the operator in place and the other one.
Result<Operand> FunctionEmitter::Augment(SyntaxId statement, const Operand& target, TypeId type) {
  const script::AugmentedAssignView view = tree_.augmented_assign(statement);
  const TextRange range = tree_.range(statement);
  const AugmentRow row = RowOf(view.op);
  HANDRAIL_ASSIGN_OR_RETURN(const Operand value, EmitExpression(view.value));
  if (unit_.types.is(target.type, TypeKind::kClass)) {
    HANDRAIL_ASSIGN_OR_RETURN(const Definition* definition, DefinitionOf(target.type, range));
    for (const std::string_view method : {row.in_place_method, row.out_of_place_method}) {
      if (method.empty() || !definition->FindMethod(Intern(method))) continue;
      HANDRAIL_ASSIGN_OR_RETURN(const Meaning result, CallMethod(target, Intern(method), range,
                                                                 {{value, StringId::none()}}));
      return AsValue(result, range);
    }
    return FailAt(range, fmt::format("{} has no method for this operator", Name(target.type)));
  }
  const bool is_in_place = IsTensor(type) || unit_.types.is(type, TypeKind::kList);
  return CallOperator(is_in_place ? row.in_place : row.out_of_place, range, {target, value});
}

Status FunctionEmitter::AugmentSubscript(SyntaxId statement) {
  const script::AugmentedAssignView view = tree_.augmented_assign(statement);
  const script::SubscriptView target = tree_.subscript(view.target);
  const TextRange range = tree_.range(statement);
  HANDRAIL_ASSIGN_OR_RETURN(const Operand container, EmitExpression(target.value));
  if (IsTensor(container.type)) {
    HANDRAIL_ASSIGN_OR_RETURN(const Indexed indexed,
                              IndexByPosition(tree_.range(view.target), container, target.indices));
    if (indexed.rest.empty()) {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand result,
                                Augment(statement, indexed.value, container.type));
      static_cast<void>(result);
      return {};
    }
    // PyTorch compiles the value before it picks the elements.
    HANDRAIL_ASSIGN_OR_RETURN(const Operand value, EmitExpression(view.value));
    const Operand indices = MakeIndexList(indexed.rest, range);
    HANDRAIL_ASSIGN_OR_RETURN(const Operand before,
                              CallOperator("aten::index", range, {indexed.value, indices}));
    HANDRAIL_ASSIGN_OR_RETURN(const Operand after,
                              CallOperator(RowOf(view.op).in_place, range, {before, value}));
    HANDRAIL_ASSIGN_OR_RETURN(const Operand result, CallOperator("aten::index_put_", range,
                                                                 {indexed.value, indices, after}));
    static_cast<void>(result);
    return {};
  }
  const bool is_list = unit_.types.is(container.type, TypeKind::kList);
  if (target.indices.size() != 1 ||
      (!is_list && !unit_.types.is(container.type, TypeKind::kDict))) {
    return FailAt(view.target,
                  fmt::format("an augmented assignment to this part of a {} is not "
                              "supported",
                              Name(container.type)),
                  ErrorCode::kUnsupported);
  }
  // Of dicts, too, the type of the index decides, as in PyTorch.
  const TypeId deciding =
      is_list ? unit_.types.element(container.type) : unit_.types.key(container.type);
  HANDRAIL_ASSIGN_OR_RETURN(const Operand index, EmitExpression(target.indices[0]));
  HANDRAIL_ASSIGN_OR_RETURN(const Operand value, EmitExpression(view.value));
  HANDRAIL_ASSIGN_OR_RETURN(const Operand before,
                            CallOperator("aten::__getitem__", range, {container, index}));
  const AugmentRow row = RowOf(view.op);
  const bool is_in_place = IsTensor(deciding) || unit_.types.is(deciding, TypeKind::kList);
  HANDRAIL_ASSIGN_OR_RETURN(
      const Operand after,
      CallOperator(is_in_place ? row.in_place : row.out_of_place, range, {before, value}));
  HANDRAIL_ASSIGN_OR_RETURN(const Operand result,
                            CallOperator("aten::_set_item", range, {container, index, after}));
  static_cast<void>(result);
  return {};
}

}  // namespace handrail::graph
