// The part of FunctionEmitter that is about calls.
#include <array>

#include <fmt/format.h>

#include "graph/emit_function.h"

namespace handrail::graph {

using script::NodeKind;

// A call's nodes get the range of its callee, as PyTorch reports it.
Result<Meaning> FunctionEmitter::EmitApply(SyntaxId call, const Meaning& callee, TypeId hint) {
  if (callee.kind == MeaningKind::kSpecialForm) return EmitSpecialForm(call, callee, hint);
  const script::CallView view = tree_.call(call);
  HANDRAIL_ASSIGN_OR_RETURN(Arguments arguments, EmitArguments(view.arguments, view.keywords));
  return CallMeaning(callee, tree_.range(view.callee), std::move(arguments));
}

Result<FunctionEmitter::Arguments> FunctionEmitter::EmitArguments(SyntaxIds arguments,
                                                                  SyntaxIds keywords) {
  Arguments operands;
  operands.reserve(arguments.size() + keywords.size());
  for (const SyntaxId argument : arguments) {
    if (tree_.kind(argument) == NodeKind::kStarred) {
      HANDRAIL_ASSIGN_OR_RETURN(const Meaning sequence, EmitMeaning(tree_.operand(argument)));
      HANDRAIL_ASSIGN_OR_RETURN(const std::vector<Meaning> elements,
                                ElementsOf(sequence, tree_.range(argument), std::nullopt));
      for (const Meaning& element : elements) {
        HANDRAIL_ASSIGN_OR_RETURN(const Operand operand, AsValue(element, tree_.range(argument)));
        operands.push_back({operand, StringId::none()});
      }
      continue;
    }
    HANDRAIL_ASSIGN_OR_RETURN(const Operand operand, EmitExpression(argument));
    operands.push_back({operand, StringId::none()});
  }
  for (const SyntaxId keyword : keywords) {
    const script::KeywordView view = tree_.keyword(keyword);
    HANDRAIL_ASSIGN_OR_RETURN(const Operand operand, EmitExpression(view.value));
    operands.push_back({operand, Intern(view.name)});
  }
  return operands;
}

Result<Meaning> FunctionEmitter::CallMeaning(const Meaning& callee, TextRange range,
                                             Arguments arguments) {
  switch (callee.kind) {
    case MeaningKind::kOperator: {
      if (callee.has_receiver) {
        arguments.insert(arguments.begin(), {callee.operand, StringId::none()});
      }
      HANDRAIL_ASSIGN_OR_RETURN(const Operand result,
                                CallOperator(callee.symbol, range, arguments, callee.has_receiver));
      return ValueMeaning(result);
    }
    case MeaningKind::kMagic: {
      if (!arguments.empty() && arguments[0].keyword.is_none() &&
          unit_.types.is(arguments[0].operand.type, TypeKind::kClass)) {
        const Operand receiver = arguments[0].operand;
        arguments.erase(arguments.begin());
        const auto submodules = SubmodulesOf(receiver.type);
        if (submodules && callee.name == Intern("__len__")) {
          return ValueMeaning(InsertInt(static_cast<int64_t>(submodules->size()), range));
        }
        return CallMethod(receiver, callee.name, range, std::move(arguments));
      }
      HANDRAIL_ASSIGN_OR_RETURN(const Operand result,
                                CallOperator(callee.symbol, range, arguments, false));
      return ValueMeaning(result);
    }
    case MeaningKind::kCast:
      return CallCast(callee, range, arguments);
    case MeaningKind::kTensorCast: {
      arguments.insert(arguments.begin(),
                       {{callee.operand, StringId::none()},
                        {InsertInt(callee.number, range), StringId::none()},
                        {InsertConstant(unit_.constants.Bool(false), range), StringId::none()},
                        {InsertConstant(unit_.constants.Bool(false), range), StringId::none()}});
      HANDRAIL_ASSIGN_OR_RETURN(const Operand result,
                                CallOperator(Intern("aten::to"), range, arguments, true));
      return ValueMeaning(result);
    }
    case MeaningKind::kMethod:
      return CallMethod(callee.operand, callee.name, range, std::move(arguments));
    case MeaningKind::kFunction:
      return CallFunction(callee.function, range, arguments);
    case MeaningKind::kClass:
      return ConstructObject(callee.type, range, std::move(arguments));
    case MeaningKind::kNamedTuple:
      return ConstructNamedTuple(callee.type, range, arguments);
    case MeaningKind::kPrint: {
      std::vector<ValueId> inputs;
      for (const NamedOperand& argument : arguments) {
        if (!argument.keyword.is_none()) return FailAt(range, "print takes no keyword arguments");
        inputs.push_back(argument.operand.value);
      }
      InsertNode(symbols::kPrint, inputs, RangeOf(range));
      return Meaning{.kind = MeaningKind::kNothing};
    }
    case MeaningKind::kException:
      return MakeException(callee, range, arguments);
    case MeaningKind::kValue:
      if (unit_.types.is(callee.operand.type, TypeKind::kClass) ||
          unit_.types.is(callee.operand.type, TypeKind::kInterface)) {
        HANDRAIL_ASSIGN_OR_RETURN(const Definition* definition,
                                  DefinitionOf(callee.operand.type, range));
        // A module is called by its forward.
        const StringId name = definition->is_module() ? symbols::kForward : Intern("__call__");
        return CallMethod(callee.operand, name, range, std::move(arguments));
      }
      return FailAt(range, fmt::format("a {} cannot be called", Name(callee.operand.type)));
    default:
      return FailAt(range, "this cannot be called");
  }
}

Result<Meaning> FunctionEmitter::MakeException(const Meaning& exception, TextRange range,
                                               const Arguments& arguments) {
  Operand message;
  if (unit_.text(exception.name) == kAssertionError) {
    // PyTorch's compiler knows this one itself, and its message names it.
    message = InsertString("AssertionError: ", range);
    for (const NamedOperand& argument : arguments) {
      Operand part = argument.operand;
      if (part.type != types::kString) {
        HANDRAIL_ASSIGN_OR_RETURN(part, CallOperator("aten::str", range, {part}));
      }
      HANDRAIL_ASSIGN_OR_RETURN(message, CallOperator("aten::add", range, {message, part}));
    }
  } else if (arguments.empty()) {
    message = InsertString("", range);
  } else if (arguments.size() == 1) {
    message = arguments[0].operand;
  } else {
    std::vector<Operand> parts;
    for (const NamedOperand& argument : arguments) parts.push_back(argument.operand);
    message = InsertTuple(parts);
  }
  return Meaning{
      .kind = MeaningKind::kExceptionInstance, .operand = message, .name = exception.name};
}

Result<Meaning> FunctionEmitter::CallMethod(const Operand& receiver, StringId name, TextRange range,
                                            Arguments arguments) {
  HANDRAIL_ASSIGN_OR_RETURN(const Definition* definition, DefinitionOf(receiver.type, range));
  const auto row = definition->FindMethod(name);
  if (!row) {
    return FailAt(range,
                  fmt::format("{} has no method '{}'", Name(receiver.type), unit_.text(name)));
  }
  const FunctionId function = definition->methods[*row].function;
  if (!function.is_none()) HANDRAIL_RETURN_IF_ERROR(text_.resolver.CompleteSchema(function));
  const SchemaId schema = definition->methods[*row].schema;
  HANDRAIL_RETURN_IF_ERROR(ExpectResult(schema, name, range));
  arguments.insert(arguments.begin(), {receiver, StringId::none()});
  // The first argument, whatever its name is: only operators need it to be `self`.
  HANDRAIL_ASSIGN_OR_RETURN(const SchemaMatch match,
                            Match(std::array{schema}, name, range, arguments, false));
  HANDRAIL_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs,
                            PlannedInputs(match, range, arguments));
  const Operand result =
      InsertMatched(match, symbols::kCallMethod, inputs, range, SchemaId::none());
  graph_.AddAttribute(graph_.producer(result.value), symbols::kAttributeName, name);
  return ValueMeaning(result);
}

Result<Meaning> FunctionEmitter::CallFunction(FunctionId function, TextRange range,
                                              const Arguments& arguments) {
  HANDRAIL_RETURN_IF_ERROR(text_.resolver.CompleteSchema(function));
  const StringId name = unit_.function(function).name;
  const SchemaId schema = unit_.function(function).schema;
  HANDRAIL_RETURN_IF_ERROR(ExpectResult(schema, name, range));
  const Operand callee =
      InsertConstant(unit_.constants.Function(unit_.types.Function(name), name), range);
  HANDRAIL_ASSIGN_OR_RETURN(const SchemaMatch match,
                            Match(std::array{schema}, name, range, arguments, false));
  HANDRAIL_ASSIGN_OR_RETURN(std::vector<ValueId> inputs, PlannedInputs(match, range, arguments));
  inputs.insert(inputs.begin(), callee.value);
  return ValueMeaning(
      InsertMatched(match, symbols::kCallFunction, inputs, range, SchemaId::none()));
}

Status FunctionEmitter::ExpectResult(SchemaId schema, StringId name, TextRange range) const {
  if (schema.is_none()) {
    return FailAt(range, fmt::format("the head of '{}' is not known", unit_.text(name)));
  }
  if (unit_.schema(schema).results.empty()) {
    return FailAt(range,
                  fmt::format("'{}' calls itself, so its result needs a type: annotate it with "
                              "'-> T'",
                              unit_.text(name)));
  }
  return {};
}

// A new object, then its __init__.
Result<Meaning> FunctionEmitter::ConstructObject(TypeId type, TextRange range,
                                                 Arguments arguments) {
  const Operand object = InsertValue(symbols::kCreateObject, {}, type, RangeOf(range));
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning result,
                            CallMethod(object, Intern("__init__"), range, std::move(arguments)));
  static_cast<void>(result);
  return ValueMeaning(object);
}

Result<Meaning> FunctionEmitter::ConstructNamedTuple(TypeId type, TextRange range,
                                                     const Arguments& arguments) {
  HANDRAIL_ASSIGN_OR_RETURN(const Definition* definition, DefinitionOf(type, range));
  Schema schema{.name = definition->name, .overload = Intern(""), .arguments = {}, .results = {}};
  for (const AttributeDefinition& field : definition->attributes) {
    schema.arguments.push_back({.name = field.name,
                                .type = field.type,
                                .default_value = field.default_value,
                                .alias = StringId::none()});
  }
  schema.results.push_back({.name = StringId::none(),
                            .type = type,
                            .default_value = ConstantId::none(),
                            .alias = StringId::none()});
  const SchemaId id = unit_.AddSchema(std::move(schema));
  HANDRAIL_ASSIGN_OR_RETURN(const SchemaMatch match,
                            Match(std::array{id}, definition->name, range, arguments, false));
  HANDRAIL_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs,
                            PlannedInputs(match, range, arguments));
  return ValueMeaning(InsertValue(symbols::kTupleConstruct, inputs, type, RangeOf(range)));
}

// int(x) and so on: nothing is done to what has the type already.
Result<Meaning> FunctionEmitter::CallCast(const Meaning& cast, TextRange range,
                                          const Arguments& arguments) {
  if (!arguments.empty() && arguments[0].keyword.is_none()) {
    const Operand& operand = arguments[0].operand;
    if (unit_.types.is(operand.type, TypeKind::kClass)) {
      return CallMethod(operand, cast.name, range,
                        Arguments(arguments.begin() + 1, arguments.end()));
    }
    if (arguments.size() == 1 && operand.type == cast.type) return ValueMeaning(operand);
    const TypeKind kind = unit_.types.kind(operand.type);
    if (arguments.size() == 1 && cast.type == types::kBool &&
        (kind == TypeKind::kList || kind == TypeKind::kString || kind == TypeKind::kDict)) {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand length, CallOperator("aten::len", range, {operand}));
      HANDRAIL_ASSIGN_OR_RETURN(const Operand result,
                                CallOperator("aten::gt", range, {length, InsertInt(0, range)}));
      return ValueMeaning(result);
    }
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Operand result,
                            CallOperator(cast.symbol, range, arguments, false));
  return ValueMeaning(result);
}

Result<Operand> FunctionEmitter::CallMagic(std::string_view method, Symbol name, TextRange range,
                                           std::initializer_list<Operand> operands) {
  const Operand& receiver = *operands.begin();
  if (!unit_.types.is(receiver.type, TypeKind::kClass)) return CallOperator(name, range, operands);
  Arguments arguments;
  for (const Operand& operand : operands) arguments.push_back({operand, StringId::none()});
  arguments.erase(arguments.begin());
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning result,
                            CallMethod(receiver, Intern(method), range, std::move(arguments)));
  return AsValue(result, range);
}

}  // namespace handrail::graph
