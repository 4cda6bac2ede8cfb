#include "bytecode/constant_value.h"

#include <complex>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace handrail::bytecode {
namespace {

using graph::ConstantId;
using graph::ConstantKind;
using values::Value;

// Constants inside of constants, which are as deep as their types.
Result<Value> ValueAt(const graph::CompilationUnit& unit, ConstantId id,
                      const ExternalConstant& external, uint32_t depth) {
  if (depth == limits::kTypeDepthMax) {
    return Fail(ErrorCode::kLimit, "constant: containers inside of containers");
  }
  const graph::ConstantTable& constants = unit.constants;
  const graph::Constant& constant = constants.at(id);
  const auto elements = [&]() -> Result<std::vector<Value>> {
    std::vector<Value> result;
    for (const ConstantId element : constants.elements(id)) {
      HANDRAIL_ASSIGN_OR_RETURN(Value value, ValueAt(unit, element, external, depth + 1));
      result.push_back(std::move(value));
    }
    return result;
  };
  const auto type_text = [&] { return ToAnnotation(unit.types, unit.strings, constant.type); };
  switch (constant.kind) {
    case ConstantKind::kNone:
      return Value();
    case ConstantKind::kBool:
      return Value(constants.bool_value(id));
    case ConstantKind::kInt:
      return Value(constants.int_value(id));
    case ConstantKind::kFloat:
      return Value(constants.float_value(id));
    case ConstantKind::kComplex:
      return Value(constants.complex_value(id));
    case ConstantKind::kString:
      return Value(unit.text(constants.name(id)));
    case ConstantKind::kDevice:
      return Value::Device(std::string(unit.text(constants.name(id))));
    case ConstantKind::kFunction:
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("function '{}' as a value", unit.text(constants.name(id))));
    case ConstantKind::kEnum: {
      const graph::Definition* const definition = unit.DefinitionOf(constant.type);
      const auto member = definition->FindConstant(constants.name(id));
      if (!member) return Fail(ErrorCode::kCorrupt, "constant: an enum without this member");
      HANDRAIL_ASSIGN_OR_RETURN(
          Value value, ValueAt(unit, definition->constants[*member].value, external, depth + 1));
      return Value(values::MakeRef<values::EnumMember>(std::string(unit.text(definition->name)),
                                                       std::string(unit.text(constants.name(id))),
                                                       std::move(value)));
    }
    case ConstantKind::kExternal:
      return external(constants.external_row(id));
    case ConstantKind::kList: {
      HANDRAIL_ASSIGN_OR_RETURN(std::vector<Value> values, elements());
      return Value(values::MakeRef<values::List>(std::move(values), type_text()));
    }
    case ConstantKind::kTuple: {
      HANDRAIL_ASSIGN_OR_RETURN(std::vector<Value> values, elements());
      return values::MakeTuple(std::move(values));
    }
    case ConstantKind::kDict: {
      HANDRAIL_ASSIGN_OR_RETURN(std::vector<Value> values, elements());
      auto dict = values::MakeRef<values::Dict>();
      dict->type_text = type_text();
      for (size_t i = 0; i + 1 < values.size(); i += 2) dict->Set(values[i], values[i + 1]);
      return Value(std::move(dict));
    }
  }
  return Fail(ErrorCode::kUnsupported, "constant of an unknown kind");
}

}  // namespace

Result<Value> ValueOf(const graph::CompilationUnit& unit, ConstantId constant,
                      const ExternalConstant& external) {
  return ValueAt(unit, constant, external, 0);
}

}  // namespace handrail::bytecode
