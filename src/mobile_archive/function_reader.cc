#include "mobile_archive/function_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "archive/quoted.h"

namespace handrail::mobile_archive {
namespace {

using bytecode::Argument;
using bytecode::Function;
using bytecode::Instruction;
using bytecode::Operator;
using values::ValueId;
using values::ValueKind;

// Registers of one function, which its call allocates; the largest networks have 200,000.
constexpr uint32_t kRegistersMax = 1U << 22;

// "instruction 5: <error>".
tl::unexpected<Error> In(std::string_view what, size_t row, Error error) {
  return tl::unexpected<Error>(std::move(error).In(fmt::format("{} {}", what, row)));
}

// Whether a missing default and the default None are written alike, and mean the same.
bool CanBeNone(std::string_view type) {
  return type.starts_with("Optional[") || type == "NoneType";
}

}  // namespace

tl::unexpected<Error> FunctionReader::Mismatch(ValueId value, std::string_view what,
                                               std::string_view need) const {
  std::string have(values::ToString(graph_.kind(value)));
  switch (graph_.kind(value)) {
    case ValueKind::kTuple:
      have += fmt::format(" of {}", graph_.elements(value).size());
      break;
    case ValueKind::kInt:
      have = std::to_string(graph_.int_value(value));
      break;
    case ValueKind::kString:
      have = Quoted(graph_.string_value(value));
      break;
    default:
      break;
  }
  return Fail(ErrorCode::kCorrupt, fmt::format("{}: need {}, have {}", what, need, have));
}

Result<FunctionReader::Rows> FunctionReader::Tuple(ValueId value, std::string_view what) const {
  if (graph_.kind(value) != ValueKind::kTuple) return Mismatch(value, what, "a tuple");
  return graph_.elements(value);
}

Result<FunctionReader::Rows> FunctionReader::Tuple(ValueId value, std::string_view what,
                                                   size_t least, size_t most) const {
  if (graph_.kind(value) == ValueKind::kTuple) {
    const Rows rows = graph_.elements(value);
    if (rows.size() >= least && rows.size() <= most) return rows;
  }
  return Mismatch(value, what,
                  least == most ? fmt::format("a tuple of {}", least)
                                : fmt::format("a tuple of {} or {}", least, most));
}

Result<std::string_view> FunctionReader::Text(ValueId value, std::string_view what) const {
  if (graph_.kind(value) != ValueKind::kString) return Mismatch(value, what, "a text");
  return graph_.string_value(value);
}

Result<int64_t> FunctionReader::Int(ValueId value, std::string_view what, int64_t least,
                                    int64_t most) const {
  if (graph_.kind(value) == ValueKind::kInt) {
    const int64_t number = graph_.int_value(value);
    if (number >= least && number <= most) return number;
  }
  return Mismatch(value, what, fmt::format("a number from {} to {}", least, most));
}

Result<ValueId> FunctionReader::Row(ValueId row, std::string_view key) const {
  HANDRAIL_ASSIGN_OR_RETURN(const Rows parts, Tuple(row, key, 2, 2));
  HANDRAIL_ASSIGN_OR_RETURN(const std::string_view name, Text(parts[0], key));
  if (name != key) return Mismatch(parts[0], "name of a row", Quoted(key));
  return parts[1];
}

Status FunctionReader::Take(size_t count, size_t each, std::string_view what) {
  return budget_.Take(uint64_t{count} * each, what);
}

Result<std::string> FunctionReader::Copy(ValueId value, std::string_view what) {
  HANDRAIL_ASSIGN_OR_RETURN(const std::string_view text, Text(value, what));
  HANDRAIL_RETURN_IF_ERROR(Take(text.size(), 1, what));
  return std::string(text);
}

Result<Instruction> FunctionReader::ReadInstruction(ValueId row) const {
  HANDRAIL_ASSIGN_OR_RETURN(const Rows parts, Tuple(row, "instruction", 3, 3));
  HANDRAIL_ASSIGN_OR_RETURN(const std::string_view name, Text(parts[0], "opcode"));
  const std::optional<bytecode::Opcode> opcode = bytecode::OpcodeFromText(name);
  if (!opcode) return Mismatch(parts[0], "opcode", "one of the mobile runtime's");
  HANDRAIL_ASSIGN_OR_RETURN(const int64_t x, Int(parts[1], "X", INT32_MIN, INT32_MAX));
  HANDRAIL_ASSIGN_OR_RETURN(const int64_t n, Int(parts[2], "N", 0, UINT16_MAX));
  return Instruction{*opcode, static_cast<uint16_t>(n), static_cast<int32_t>(x)};
}

Status FunctionReader::ReadInstructions(Rows rows, Function& function) {
  HANDRAIL_RETURN_IF_ERROR(Take(rows.size(), sizeof(Instruction), "instructions"));
  function.instructions.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    Result<Instruction> instruction = ReadInstruction(rows[i]);
    if (!instruction) return In("instruction", i, std::move(instruction).error());
    function.instructions.push_back(*instruction);
  }
  return {};
}

Result<Operator> FunctionReader::ReadOperator(ValueId row) {
  HANDRAIL_ASSIGN_OR_RETURN(const Rows parts, Tuple(row, "operator", 2, 3));
  Operator result;
  HANDRAIL_ASSIGN_OR_RETURN(result.name, Copy(parts[0], "name"));
  HANDRAIL_ASSIGN_OR_RETURN(result.overload, Copy(parts[1], "overload"));
  if (parts.size() == 3) {
    HANDRAIL_ASSIGN_OR_RETURN(const int64_t count,
                              Int(parts[2], "number of arguments", -1, UINT16_MAX));
    result.argument_count = static_cast<int32_t>(count);
  }
  return result;
}

Status FunctionReader::ReadOperators(Rows rows, Function& function) {
  HANDRAIL_RETURN_IF_ERROR(Take(rows.size(), sizeof(Operator), "operators"));
  function.operators.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    Result<Operator> op = ReadOperator(rows[i]);
    if (!op) return In("operator", i, std::move(op).error());
    function.operators.push_back(*std::move(op));
  }
  return {};
}

Status FunctionReader::ReadConstants(Rows rows, Function& function) {
  HANDRAIL_RETURN_IF_ERROR(Take(rows.size(), sizeof(values::Value), "constants"));
  function.constants.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    Result<values::Value> value = instantiator_.ValueOf(rows[i]);
    if (!value) return In("constant", i, std::move(value).error());
    function.constants.push_back(*std::move(value));
  }
  return {};
}

Status FunctionReader::ReadTypes(Rows rows, Function& function) {
  HANDRAIL_RETURN_IF_ERROR(Take(rows.size(), sizeof(std::string), "types"));
  function.types.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    Result<std::string> type = Copy(rows[i], "type");
    if (!type) return In("type", i, std::move(type).error());
    function.types.push_back(*std::move(type));
  }
  return {};
}

Status FunctionReader::ReadCode(ValueId code, Function& function) {
  HANDRAIL_ASSIGN_OR_RETURN(const Rows rows, Tuple(code, "code", 5, 5));
  const auto tuple_of = [this](ValueId row, std::string_view key) -> Result<Rows> {
    HANDRAIL_ASSIGN_OR_RETURN(const ValueId value, Row(row, key));
    return Tuple(value, key);
  };
  HANDRAIL_ASSIGN_OR_RETURN(const Rows instructions, tuple_of(rows[0], "instructions"));
  HANDRAIL_RETURN_IF_ERROR(ReadInstructions(instructions, function));
  HANDRAIL_ASSIGN_OR_RETURN(const Rows operators, tuple_of(rows[1], "operators"));
  HANDRAIL_RETURN_IF_ERROR(ReadOperators(operators, function));
  HANDRAIL_ASSIGN_OR_RETURN(const Rows constants, tuple_of(rows[2], "constants"));
  HANDRAIL_RETURN_IF_ERROR(ReadConstants(constants, function));
  HANDRAIL_ASSIGN_OR_RETURN(const Rows types, tuple_of(rows[3], "types"));
  HANDRAIL_RETURN_IF_ERROR(ReadTypes(types, function));
  HANDRAIL_ASSIGN_OR_RETURN(const ValueId registers, Row(rows[4], "register_size"));
  HANDRAIL_ASSIGN_OR_RETURN(const int64_t count, Int(registers, "register_size", 0, kRegistersMax));
  function.register_count = static_cast<uint32_t>(count);
  return {};
}

Result<Argument> FunctionReader::ReadArgument(ValueId row) {
  HANDRAIL_ASSIGN_OR_RETURN(const Rows parts, Tuple(row, "argument", 3, 3));
  Argument argument;
  HANDRAIL_ASSIGN_OR_RETURN(const ValueId name, Row(parts[0], "name"));
  HANDRAIL_ASSIGN_OR_RETURN(argument.name, Copy(name, "name"));
  HANDRAIL_ASSIGN_OR_RETURN(const ValueId type, Row(parts[1], "type"));
  HANDRAIL_ASSIGN_OR_RETURN(argument.type, Copy(type, "type"));
  HANDRAIL_ASSIGN_OR_RETURN(const ValueId value, Row(parts[2], "default_value"));
  HANDRAIL_ASSIGN_OR_RETURN(argument.default_value, instantiator_.ValueOf(value));
  argument.has_default = !argument.default_value.is_none() || CanBeNone(argument.type);
  return argument;
}

Result<std::vector<Argument>> FunctionReader::ReadArguments(ValueId rows_id) {
  HANDRAIL_ASSIGN_OR_RETURN(const Rows rows, Tuple(rows_id, "arguments"));
  HANDRAIL_RETURN_IF_ERROR(Take(rows.size(), sizeof(Argument), "arguments"));
  std::vector<Argument> result;
  result.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    Result<Argument> argument = ReadArgument(rows[i]);
    if (!argument) return In("argument", i, std::move(argument).error());
    result.push_back(*std::move(argument));
  }
  return result;
}

Status FunctionReader::ReadSchema(ValueId schema, Function& function) {
  HANDRAIL_ASSIGN_OR_RETURN(const Rows rows, Tuple(schema, "schema", 2, 2));
  HANDRAIL_ASSIGN_OR_RETURN(const ValueId arguments, Row(rows[0], "arguments"));
  HANDRAIL_ASSIGN_OR_RETURN(function.arguments, ReadArguments(arguments));
  HANDRAIL_ASSIGN_OR_RETURN(const ValueId results, Row(rows[1], "returns"));
  HANDRAIL_ASSIGN_OR_RETURN(function.results, ReadArguments(results));
  // A result has no default, whatever its type.
  for (Argument& result : function.results) result.has_default = false;
  return {};
}

Result<Function> FunctionReader::Read(ValueId entry) {
  HANDRAIL_RETURN_IF_ERROR(Take(1, sizeof(Function), "functions"));
  HANDRAIL_ASSIGN_OR_RETURN(const Rows parts, Tuple(entry, "function", 2, 3));
  Function function;
  HANDRAIL_ASSIGN_OR_RETURN(function.name, Copy(parts[0], "name"));
  Status status = ReadCode(parts[1], function);
  if (status && parts.size() == 3) status = ReadSchema(parts[2], function);
  if (!status) {
    return tl::unexpected<Error>(std::move(status).error().In(Quoted(function.name)));
  }
  return function;
}

}  // namespace handrail::mobile_archive
