#include "graph/emit_wrapper.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "graph/emit_function.h"
#include "graph/schema_parser.h"

namespace handrail::graph {
namespace {

constexpr Wrapper kWrappers[] = {
#define HANDRAIL_WRAPPER(schema, body) {schema, WrapperBody::body},
#include "graph/wrappers.def"
};

// "aten::mul" of "aten::mul.from_int(…".
constexpr std::string_view NameOf(const Wrapper& wrapper) {
  return wrapper.schema.substr(0, wrapper.schema.find_first_of(".("));
}

}  // namespace

std::span<const Wrapper> WrappersNamed(std::string_view name) {
  static const auto* const rows = [] {
    auto* made = new std::unordered_map<std::string_view, std::span<const Wrapper>>;
    for (const auto* row = std::begin(kWrappers); row != std::end(kWrappers);) {
      const auto* last = std::find_if(row, std::end(kWrappers), [&](const Wrapper& other) {
        return NameOf(other) != NameOf(*row);
      });
      made->emplace(NameOf(*row), std::span(row, last));
      row = last;
    }
    return made;
  }();
  const auto found = rows->find(name);
  return found == rows->end() ? std::span<const Wrapper>() : found->second;
}

bool NeedsNumberAndTensor(WrapperBody body) {
  return body <= WrapperBody::kDiv;
}

// Parsed once for each body: few bodies use wrappers, and few of them.
Result<SchemaId> FunctionEmitter::SchemaOf(const Wrapper& wrapper) {
  const auto found = wrapper_schemas_.find(wrapper.schema);
  if (found != wrapper_schemas_.end()) return found->second;
  HANDRAIL_ASSIGN_OR_RETURN(Schema schema, ParseSchema(unit_, wrapper.schema));
  const SchemaId id = unit_.AddSchema(std::move(schema));
  wrapper_schemas_.emplace(wrapper.schema, id);
  return id;
}

Result<Operand> FunctionEmitter::EmitWrapper(WrapperBody body, TextRange range,
                                             std::span<const Operand> operands) {
  const auto swapped = [&](std::string_view name) {
    return CallOperator(name, range, {operands[1], operands[0]});
  };
  const auto renamed = [&](std::string_view name) {
    Arguments arguments;
    for (const Operand& operand : operands) arguments.push_back({operand, StringId::none()});
    return CallOperator(Intern(name), range, arguments, false);
  };
  const auto none = [&] { return InsertConstant(unit_.constants.None(), range); };
  switch (body) {
    case WrapperBody::kMul:
      return swapped("aten::mul");
    case WrapperBody::kAdd:
      return swapped("aten::add");
    case WrapperBody::kNe:
      return swapped("aten::ne");
    case WrapperBody::kEq:
      return swapped("aten::eq");
    case WrapperBody::kLt:
      return swapped("aten::gt");
    case WrapperBody::kLe:
      return swapped("aten::ge");
    case WrapperBody::kGt:
      return swapped("aten::lt");
    case WrapperBody::kGe:
      return swapped("aten::le");
    case WrapperBody::kSub: {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand negated,
                                CallOperator("aten::neg", range, {operands[1]}));
      return CallOperator("aten::add", range, {negated, operands[0]});
    }
    case WrapperBody::kDiv: {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand inverse,
                                CallOperator("aten::reciprocal", range, {operands[1]}));
      return CallOperator("aten::mul", range, {inverse, operands[0]});
    }
    case WrapperBody::kFloorDiv:
      return renamed("aten::floor_divide");
    case WrapperBody::kIdentity:
      return operands[0];
    case WrapperBody::kNothing:
      return none();
    case WrapperBody::kListWithDefault: {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand defaults,
                                CallOperator("aten::len", range, {operands[1]}));
      HANDRAIL_ASSIGN_OR_RETURN(const Operand sizes,
                                CallOperator("aten::len", range, {operands[0]}));
      HANDRAIL_ASSIGN_OR_RETURN(const Operand is_longer,
                                CallOperator("aten::gt", range, {defaults, sizes}));
      HANDRAIL_RETURN_IF_ERROR(RaiseUnless(is_longer, InsertString("", range), range));
      return operands[0];
    }
    case WrapperBody::kAssert: {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand condition, ToBool(range, operands[0]));
      HANDRAIL_RETURN_IF_ERROR(RaiseUnless(condition, operands[1], range));
      return none();
    }
    case WrapperBody::kStringContains: {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand length,
                                CallOperator("aten::len", range, {operands[0]}));
      HANDRAIL_ASSIGN_OR_RETURN(const Operand place, CallOperator("aten::find", range,
                                                                  {operands[0], operands[1],
                                                                   InsertInt(0, range), length}));
      return CallOperator("aten::ne", range, {place, InsertInt(-1, range)});
    }
    case WrapperBody::kDevice:
      return renamed("aten::device");
    case WrapperBody::kTo:
      return renamed("aten::to");
    case WrapperBody::kDim:
      return renamed("aten::dim");
    case WrapperBody::kNumpyT:
      return renamed("aten::numpy_T");
    case WrapperBody::kMatrixH:
      return renamed("aten::matrix_H");
    case WrapperBody::kMT:
      return renamed("aten::mT");
    case WrapperBody::kMH:
      return renamed("aten::mH");
    case WrapperBody::kSize:
      return renamed("aten::size");
  }
  return none();
}

Status FunctionEmitter::RaiseUnless(const Operand& condition, const Operand& message,
                                    TextRange range) {
  return EmitBranches(
      range, {.value = condition, .refinements = {}, .known = std::nullopt},
      [] { return Status(); }, [&] { return RaiseAssertion(message, range); });
}

}  // namespace handrail::graph
