// The part of FunctionEmitter that is about literals and comprehensions.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "graph/emit_function.h"
#include "graph/subtyping.h"
#include "script/literals.h"

namespace handrail::graph {

using script::NodeKind;

Result<Operand> FunctionEmitter::EmitNumber(SyntaxId expression) {
  HANDRAIL_ASSIGN_OR_RETURN(const script::Number number, script::NumberValue(tree_, expression));
  const TextRange range = tree_.range(expression);
  if (const auto* integer = std::get_if<int64_t>(&number)) return InsertInt(*integer, range);
  if (const auto* real = std::get_if<double>(&number)) {
    return InsertConstant(unit_.constants.Float(*real), range);
  }
  return InsertConstant(unit_.constants.Complex(std::get<std::complex<double>>(number)), range);
}

// aten::format of the text with `{}` for each field.
Result<Operand> FunctionEmitter::EmitFormatString(SyntaxId expression) {
  const TextRange range = tree_.range(expression);
  std::string format;
  std::vector<Operand> fields;
  for (const SyntaxId part : tree_.children(expression)) {
    if (tree_.kind(part) == NodeKind::kFormatText) {
      format += script::StringValue(tree_, part);
    } else {
      format += "{}";
      HANDRAIL_ASSIGN_OR_RETURN(const Operand field, EmitExpression(part));
      fields.push_back(field);
    }
  }
  Arguments arguments{{InsertString(format, range), StringId::none()}};
  for (const Operand& field : fields) arguments.push_back({field, StringId::none()});
  return CallOperator(symbols::kFormat, range, arguments, false);
}

Result<std::vector<Operand>> FunctionEmitter::EmitOperands(SyntaxIds expressions) {
  HANDRAIL_ASSIGN_OR_RETURN(const Arguments arguments, EmitArguments(expressions, {}));
  std::vector<Operand> operands;
  operands.reserve(arguments.size());
  for (const NamedOperand& argument : arguments) operands.push_back(argument.operand);
  return operands;
}

TypeId FunctionEmitter::HintOfKind(TypeId hint, TypeKind kind) const {
  if (hint.is_none()) return TypeId::none();
  if (unit_.types.is(hint, kind)) return hint;
  if (unit_.types.is(hint, TypeKind::kOptional) || unit_.types.is(hint, TypeKind::kUnion)) {
    for (const TypeId member : unit_.types.elements(hint)) {
      if (unit_.types.is(member, kind)) return member;
    }
  }
  return TypeId::none();
}

Result<Operand> FunctionEmitter::EmitList(SyntaxId expression, TypeId hint) {
  HANDRAIL_ASSIGN_OR_RETURN(const std::vector<Operand> elements,
                            EmitOperands(tree_.children(expression)));
  const TypeId list = HintOfKind(hint, TypeKind::kList);
  TypeId element = types::kTensor;
  if (!list.is_none()) element = unit_.types.element(list);
  if (!elements.empty()) {
    std::vector<TypeId> element_types;
    element_types.reserve(elements.size());
    for (const Operand& operand : elements) element_types.push_back(operand.type);
    const auto unified = UnifyTypes(unit_, element_types, true);
    if (!list.is_none()) {
      const bool fits = std::all_of(element_types.begin(), element_types.end(),
                                    [&](TypeId type) { return IsSubtypeOf(type, element); });
      if (!fits) {
        return FailAt(expression, fmt::format("need elements of a {}, have {}", Name(list),
                                              unified ? Name(*unified) : "others"));
      }
    } else if (unified) {
      element = *unified;
    }
  }
  const Operand result = InsertList(element, elements);
  if (elements.empty() && hint.is_none()) empty_lists_.push_back(result.value);
  if (!hint.is_none() && hint != list && !list.is_none()) return InsertCast(result, hint);
  return result;
}

Result<Operand> FunctionEmitter::EmitDict(SyntaxId expression, TypeId hint) {
  std::vector<ValueId> inputs;
  TypeId key;
  TypeId value;
  const SyntaxIds children = tree_.children(expression);
  for (size_t row = 0; row + 1 < children.size(); row += 2) {
    HANDRAIL_ASSIGN_OR_RETURN(const Operand next_key, EmitExpression(children[row]));
    HANDRAIL_ASSIGN_OR_RETURN(const Operand next_value, EmitExpression(children[row + 1]));
    if (row > 0 && next_key.type != key) {
      return FailAt(children[row], fmt::format("need a {}, as the first key is, have a {}",
                                               Name(key), Name(next_key.type)));
    }
    key = next_key.type;
    if (row == 0) {
      value = next_value.type;
    } else {
      value = *UnifyTypes(unit_, value, next_value.type, true);
    }
    inputs.push_back(next_key.value);
    inputs.push_back(next_value.value);
  }
  TypeId dict = HintOfKind(hint, TypeKind::kDict);
  const TypeId union_hint = dict.is_none() || dict == hint ? TypeId::none() : hint;
  if (dict.is_none()) {
    dict = inputs.empty() ? unit_.types.Dict(types::kString, types::kTensor)
                          : unit_.types.Dict(key, value);
  } else if (!inputs.empty() &&
             (unit_.types.key(dict) != key || !IsSubtypeOf(value, unit_.types.value(dict)))) {
    return FailAt(expression, fmt::format("need elements of a {}, have keys {} and values {}",
                                          Name(dict), Name(key), Name(value)));
  }
  const Operand result =
      InsertValue(symbols::kDictConstruct, inputs, dict, OriginTable::null_range());
  return union_hint.is_none() ? result : InsertCast(result, union_hint);
}

// An empty list, and a loop that appends.
Result<Operand> FunctionEmitter::EmitListComprehension(TextRange range,
                                                       const EmitAssignment& assign,
                                                       const EmitOperand& element,
                                                       const EmitIterable& iterable, SyntaxId whole,
                                                       TypeId hint) {
  TypeId list_type = HintOfKind(hint, TypeKind::kList);
  const bool is_typed = !list_type.is_none();
  if (!is_typed) list_type = unit_.types.List(types::kTensor);
  Operand list = InsertValue(symbols::kListConstruct, {}, list_type, OriginTable::null_range());
  list.is_variable = true;
  bool is_first = true;
  scope_.Open();
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning source, iterable());
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning over, IterableOf(source, range));
  HANDRAIL_RETURN_IF_ERROR(EmitLoopOver(range, over, assign, whole, [&]() -> Status {
    HANDRAIL_ASSIGN_OR_RETURN(const Operand next, element());
    if (!is_typed) {
      const TypeId before = unit_.types.element(list.type);
      const auto both = is_first ? next.type : UnifyTypes(unit_, before, next.type, true);
      list.type = unit_.types.List(both ? *both : next.type);
      graph_.SetType(list.value, list.type);
    } else if (!IsSubtypeOf(next.type, unit_.types.element(list.type))) {
      return FailAt(
          range, fmt::format("need elements of a {}, have {}", Name(list.type), Name(next.type)));
    }
    is_first = false;
    Operand item = next;
    item.type = unit_.types.element(list.type);
    HANDRAIL_ASSIGN_OR_RETURN(
        const Operand result,
        CallOperator(Intern("aten::append"), range,
                     {{list, StringId::none()}, {item, StringId::none()}}, true));
    static_cast<void>(result);
    return {};
  }));
  scope_.Close();
  list.is_variable = false;
  return list;
}

Result<Operand> FunctionEmitter::EmitDictComprehension(
    TextRange range, const EmitAssignment& assign, const EmitOperand& key, const EmitOperand& value,
    const EmitIterable& iterable, SyntaxId whole, TypeId hint) {
  TypeId dict_type = HintOfKind(hint, TypeKind::kDict);
  const bool is_typed = !dict_type.is_none();
  if (!is_typed) dict_type = unit_.types.Dict(types::kString, types::kTensor);
  Operand dict = InsertValue(symbols::kDictConstruct, {}, dict_type, OriginTable::null_range());
  scope_.Open();
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning source, iterable());
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning over, IterableOf(source, range));
  HANDRAIL_RETURN_IF_ERROR(EmitLoopOver(range, over, assign, whole, [&]() -> Status {
    HANDRAIL_ASSIGN_OR_RETURN(Operand next_key, key());
    HANDRAIL_ASSIGN_OR_RETURN(Operand next_value, value());
    if (!is_typed) {
      dict.type = unit_.types.Dict(next_key.type, next_value.type);
      graph_.SetType(dict.value, dict.type);
    } else if (!IsSubtypeOf(next_key.type, unit_.types.key(dict.type)) ||
               !IsSubtypeOf(next_value.type, unit_.types.value(dict.type))) {
      return FailAt(
          range, fmt::format("need elements of a {}, have keys {} and values {}", Name(dict.type),
                             Name(next_key.type), Name(next_value.type)));
    }
    next_value.type = unit_.types.value(dict.type);
    HANDRAIL_ASSIGN_OR_RETURN(const Operand result,
                              CallOperator("aten::_set_item", range, {dict, next_key, next_value}));
    static_cast<void>(result);
    return {};
  }));
  scope_.Close();
  return !hint.is_none() && hint != dict.type && is_typed ? InsertCast(dict, hint) : dict;
}

}  // namespace handrail::graph
