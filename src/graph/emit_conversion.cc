// The part of FunctionEmitter that is about operands on their way into nodes: overloads, implicit
// conversions, results.
#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "graph/emit_function.h"
#include "graph/operators.h"
#include "graph/subtyping.h"

namespace handrail::graph {
namespace {

Symbol OperatorOf(Conversion conversion, CompilationUnit& unit) {
  switch (conversion) {
    case Conversion::kNone:
      break;
    case Conversion::kTensorToInt:
      return symbols::kIntImplicit;
    case Conversion::kTensorToFloat:
      return symbols::kFloatImplicit;
    case Conversion::kTensorToComplex:
      return symbols::kComplexImplicit;
    case Conversion::kTensorToNumber:
      return symbols::kScalarImplicit;
    case Conversion::kNumberToInt:
      return symbols::kInt;
    case Conversion::kNumberToFloat:
      return symbols::kFloat;
    case Conversion::kNumberToComplex:
      return unit.strings.Intern("aten::Complex");
    case Conversion::kStringToDevice:
      return unit.strings.Intern("aten::device");
  }
  return Symbol::none();
}

const std::unordered_map<std::string_view, std::string_view>& Aliases() {
  static const auto* const aliases = new std::unordered_map<std::string_view, std::string_view>{
#define HANDRAIL_OPERATOR_ALIAS(written, means) {written, means},
#include "graph/operator_aliases.def"
  };
  return *aliases;
}

bool IsNumber(TypeId type) {
  return type == types::kInt || type == types::kFloat || type == types::kComplex;
}

}  // namespace

// Tensors and numbers become the numbers that are asked for, strings devices, tuples lists, and
// `[]` a list of any type; what stands in an Optional or a tuple is converted in it.
Result<Operand> FunctionEmitter::Convert(TextRange range, Operand operand, TypeId type) {
  TypeTable& types = unit_.types;
  if (operand.type == type) return operand;
  const TypeId wanted = types.WithoutOptional(type);
  if (wanted != type && !types.is(operand.type, TypeKind::kOptional) &&
      !IsSubtypeOf(operand.type, types::kNone)) {
    return Convert(range, operand, wanted);
  }
  if (types.is(type, TypeKind::kList) && IsEmptyListLiteral(operand)) {
    operand = InsertList(types.element(type), {});
  }
  if (types.is(operand.type, TypeKind::kTuple)) {
    const std::span<const TypeId> elements = types.elements(operand.type);
    const bool is_list = types.is(wanted, TypeKind::kList) &&
                         std::all_of(elements.begin(), elements.end(), [&](TypeId element) {
                           return IsSubtypeOf(element, types.element(wanted));
                         });
    if (is_list) return InsertList(types.element(wanted), UnpackTuple(operand));
    if (types.is(type, TypeKind::kTuple) && !IsSubtypeOf(operand.type, type) &&
        types.elements(type).size() == elements.size()) {
      std::vector<Operand> parts = UnpackTuple(operand);
      const std::vector<TypeId> targets(types.elements(type).begin(), types.elements(type).end());
      for (size_t row = 0; row < parts.size(); ++row) {
        HANDRAIL_ASSIGN_OR_RETURN(parts[row], Convert(range, parts[row], targets[row]));
      }
      return InsertTuple(parts);
    }
    return operand;
  }
  Symbol conversion;
  if (IsTensor(operand.type)) {
    if (type == types::kFloat) conversion = symbols::kFloatImplicit;
    if (type == types::kComplex) conversion = symbols::kComplexImplicit;
    if (type == types::kInt) conversion = symbols::kIntImplicit;
    if (type == types::kNumber) conversion = symbols::kScalarImplicit;
  } else if (operand.type == types::kNumber) {
    if (type == types::kFloat) conversion = symbols::kFloat;
    if (type == types::kComplex) conversion = Intern("aten::Complex");
    if (type == types::kInt) conversion = symbols::kInt;
  } else if (operand.type == types::kBool) {
    if (type == types::kFloat) conversion = symbols::kFloat;
    if (type == types::kInt || type == types::kNumber) conversion = symbols::kInt;
  } else if (operand.type == types::kString && type == types::kDevice) {
    conversion = Intern("aten::device");
  }
  if (conversion.is_none()) return operand;
  return CallOperator(conversion, range, {operand});
}

Result<SchemaMatch> FunctionEmitter::Match(std::span<const SchemaId> schemas, Symbol name,
                                           TextRange range, const Arguments& arguments,
                                           bool has_receiver) {
  std::vector<CallArgument> types;
  types.reserve(arguments.size());
  for (const NamedOperand& argument : arguments) {
    types.push_back({.keyword = argument.keyword,
                     .type = argument.operand.type,
                     .is_empty_list_literal = IsEmptyListLiteral(argument.operand)});
  }
  const Call call{.name = unit_.text(name), .arguments = types, .has_receiver = has_receiver};
  Result<SchemaMatch> match = schemas.size() == 1 ? MatchSchema(unit_, schemas[0], call)
                                                  : MatchOverload(unit_, schemas, call);
  if (!match) return FailAt(range, match.error().message, match.error().code);
  return match;
}

// One value of an argument's plan; `values` are those its index counts.
Result<Operand> FunctionEmitter::Planned(const ArgumentPlan& plan, TextRange range,
                                         std::span<const Operand> values,
                                         const Argument* argument) {
  using Shape = ArgumentPlan::Shape;
  Operand result;
  switch (plan.shape) {
    case Shape::kValue:
      result = values[plan.index];
      break;
    case Shape::kDefault:
      result = InsertConstant(argument->default_value, range);
      break;
    case Shape::kEmptyList:
      result = InsertList(unit_.types.element(unit_.types.WithoutOptional(plan.type)), {});
      break;
    case Shape::kRepeatedList: {
      const std::vector<Operand> elements(plan.count, values[plan.index]);
      result = InsertList(values[plan.index].type, elements);
      break;
    }
    case Shape::kList: {
      std::vector<Operand> elements;
      elements.reserve(plan.parts.size());
      for (const ArgumentPlan& part : plan.parts) {
        HANDRAIL_ASSIGN_OR_RETURN(const Operand element, Planned(part, range, values, nullptr));
        elements.push_back(element);
      }
      result = InsertList(unit_.types.element(unit_.types.WithoutOptional(plan.type)), elements);
      break;
    }
    case Shape::kTupleToList:
      result = InsertList(unit_.types.element(unit_.types.WithoutOptional(plan.type)),
                          UnpackTuple(values[plan.index]));
      break;
    case Shape::kTupleToTuple: {
      const std::vector<Operand> elements = UnpackTuple(values[plan.index]);
      std::vector<Operand> converted;
      for (const ArgumentPlan& part : plan.parts) {
        HANDRAIL_ASSIGN_OR_RETURN(const Operand element, Planned(part, range, elements, nullptr));
        converted.push_back(element);
      }
      result = InsertTuple(converted);
      break;
    }
  }
  if (plan.conversion == Conversion::kNone) return result;
  return CallOperator(OperatorOf(plan.conversion, unit_), range, {result});
}

Result<std::vector<ValueId>> FunctionEmitter::PlannedInputs(const SchemaMatch& match,
                                                            TextRange range,
                                                            const Arguments& arguments) {
  const Schema& schema = unit_.schema(match.schema);
  std::vector<Operand> values;
  values.reserve(arguments.size());
  for (const NamedOperand& argument : arguments) values.push_back(argument.operand);
  std::vector<ValueId> inputs;
  inputs.reserve(match.arguments.size());
  for (size_t row = 0; row < match.arguments.size(); ++row) {
    const Argument* argument = row < schema.arguments.size() ? &schema.arguments[row] : nullptr;
    HANDRAIL_ASSIGN_OR_RETURN(const Operand input,
                              Planned(match.arguments[row], range, values, argument));
    inputs.push_back(input.value);
  }
  return inputs;
}

// Several results are one tuple.
Operand FunctionEmitter::InsertMatched(const SchemaMatch& match, Symbol kind,
                                       std::span<const ValueId> inputs, TextRange range,
                                       SchemaId schema) {
  const NodeId node = InsertNode(kind, inputs, RangeOf(range), schema);
  if (kind == symbols::kRaiseException) exits_.has_inner_exits = true;
  std::vector<Operand> results;
  for (const TypeId type : match.results) results.push_back({graph_.AddOutput(node, type), type});
  if (results.size() == 1) return results[0];
  if (results.empty()) return InsertConstant(unit_.constants.None(), range);
  return InsertTuple(results);
}

// An operator by the one name that it has in graphs.
Result<Operand> FunctionEmitter::InsertOperator(const SchemaMatch& match, Symbol name,
                                                std::vector<ValueId> inputs, TextRange range) {
  const std::string_view text = unit_.text(name);
  const std::string_view overload = unit_.text(unit_.schema(match.schema).overload);
  if (text == "aten::rsub" && overload == "Tensor") {
    const Symbol sub = Intern("aten::sub");
    std::swap(inputs[0], inputs[1]);
    return InsertMatched(match, sub, inputs, range, FindOperator(unit_, sub, "Tensor"));
  }
  const bool is_identity = name == symbols::kIs || name == symbols::kIsNot;
  if (is_identity && graph_.type(inputs[0]) == types::kBool &&
      graph_.type(inputs[1]) == types::kBool) {
    const Symbol comparison = Intern(name == symbols::kIs ? "aten::eq" : "aten::ne");
    return InsertMatched(match, comparison, inputs, range, FindOperator(unit_, comparison, "bool"));
  }
  const auto alias = Aliases().find(text);
  if (alias == Aliases().end()) return InsertMatched(match, name, inputs, range, match.schema);
  const Symbol means = Intern(alias->second);
  SchemaId schema = FindOperator(unit_, means, overload);
  if (schema.is_none()) {
    Arguments arguments;
    for (const ValueId input : inputs) {
      arguments.push_back({{input, graph_.type(input), true}, StringId::none()});
    }
    HANDRAIL_ASSIGN_OR_RETURN(const SchemaMatch other,
                              Match(OperatorsNamed(unit_, means), means, range, arguments, false));
    schema = other.schema;
  }
  return InsertMatched(match, means, inputs, range, schema);
}

Result<Operand> FunctionEmitter::CallOperator(Symbol name, TextRange range,
                                              const Arguments& arguments, bool has_receiver) {
  const std::span<const SchemaId> operators = OperatorsNamed(unit_, name);
  std::span<const Wrapper> wrappers = WrappersNamed(unit_.text(name));
  if (!wrappers.empty() && NeedsNumberAndTensor(wrappers[0].body) &&
      !(arguments.size() == 2 && IsNumber(arguments[0].operand.type) &&
        IsTensor(arguments[1].operand.type))) {
    wrappers = {};
  }
  if (operators.empty() && wrappers.empty()) {
    return FailAt(range, fmt::format("there is no operator '{}'", unit_.text(name)),
                  ErrorCode::kUnsupported);
  }
  if (wrappers.empty()) {
    HANDRAIL_ASSIGN_OR_RETURN(const SchemaMatch match,
                              Match(operators, name, range, arguments, has_receiver));
    HANDRAIL_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs,
                              PlannedInputs(match, range, arguments));
    return InsertOperator(match, name, inputs, range);
  }
  // Wrappers are tried behind the operators of their name.
  std::vector<SchemaId> schemas(operators.begin(), operators.end());
  for (const Wrapper& wrapper : wrappers) {
    HANDRAIL_ASSIGN_OR_RETURN(const SchemaId schema, SchemaOf(wrapper));
    schemas.push_back(schema);
  }
  HANDRAIL_ASSIGN_OR_RETURN(const SchemaMatch match,
                            Match(schemas, name, range, arguments, has_receiver));
  HANDRAIL_ASSIGN_OR_RETURN(const std::vector<ValueId> inputs,
                            PlannedInputs(match, range, arguments));
  const auto chosen = std::find(schemas.begin(), schemas.end(), match.schema) - schemas.begin();
  if (static_cast<size_t>(chosen) < operators.size()) {
    return InsertOperator(match, name, inputs, range);
  }
  std::vector<Operand> operands;
  const Schema& schema = unit_.schema(match.schema);
  for (size_t row = 0; row < inputs.size(); ++row) {
    operands.push_back({inputs[row], schema.arguments[row].type, true});
  }
  return EmitWrapper(wrappers[static_cast<size_t>(chosen) - operators.size()].body, range,
                     operands);
}

Result<Operand> FunctionEmitter::CallOperator(Symbol name, TextRange range,
                                              std::initializer_list<Operand> operands) {
  Arguments arguments;
  arguments.reserve(operands.size());
  for (const Operand& operand : operands) arguments.push_back({operand, StringId::none()});
  return CallOperator(name, range, arguments, false);
}

}  // namespace handrail::graph
