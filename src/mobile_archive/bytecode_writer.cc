#include "mobile_archive/bytecode_writer.h"

#include <vector>

#include <fmt/format.h>

#include "archive/quoted.h"
#include "torch_debug/debug_record_writer.h"

namespace handrail::mobile_archive {
namespace {

using bytecode::Argument;
using bytecode::Function;

class BytecodeWriter {
 public:
  explicit BytecodeWriter(const StorageNames& storages)
      : name_of_([&storages](const values::Tensor& tensor) { return storages.NameOf(tensor); }) {}

  Result<std::string> Write(const bytecode::Program& program) && {
    writer_.BeginTuple(program.functions.size() + 1);
    writer_.Int(program.version);
    for (const Function& function : program.functions) {
      if (Status status = WriteFunction(function); !status) {
        return tl::unexpected<Error>(
            std::move(status).error().In("function " + Quoted(function.name)));
      }
    }
    writer_.EndTuple(program.functions.size() + 1);
    return std::move(writer_).Finish();
  }

 private:
  // A row (key, value); `write_value` returns a Status.
  template <typename WriteValue>
  Status Row(std::string_view key, WriteValue&& write_value) {
    writer_.BeginTuple(2);
    writer_.Text(key);
    HANDRAIL_RETURN_IF_ERROR(write_value());
    writer_.EndTuple(2);
    return {};
  }
  // A row (key, (element, ...)).
  template <typename Elements, typename WriteElement>
  Status Rows(std::string_view key, const Elements& elements, WriteElement&& write_element) {
    return Row(key, [&]() -> Status {
      writer_.BeginTuple(elements.size());
      for (const auto& element : elements) HANDRAIL_RETURN_IF_ERROR(write_element(element));
      writer_.EndTuple(elements.size());
      return {};
    });
  }
  Status Value(const values::Value& value) { return WriteValue(value, name_of_, writer_); }
  Status Text(std::string_view text) {
    writer_.Text(text);
    return {};
  }

  Status WriteInstruction(const bytecode::Instruction& instruction) {
    writer_.BeginTuple(3);
    writer_.Text(bytecode::ToString(instruction.opcode));
    writer_.Int(instruction.x);
    writer_.Int(instruction.n);
    writer_.EndTuple(3);
    return {};
  }

  Status WriteOperator(const bytecode::Operator& op) {
    writer_.BeginTuple(3);
    writer_.Text(op.name);
    writer_.Text(op.overload);
    writer_.Int(op.argument_count);
    writer_.EndTuple(3);
    return {};
  }

  Status WriteArgument(const Argument& argument) {
    writer_.BeginTuple(3);
    HANDRAIL_RETURN_IF_ERROR(Row("name", [&] { return Text(argument.name); }));
    HANDRAIL_RETURN_IF_ERROR(Row("type", [&] { return Text(argument.type); }));
    HANDRAIL_RETURN_IF_ERROR(Row("default_value", [&] { return Value(argument.default_value); }));
    writer_.EndTuple(3);
    return {};
  }

  Status WriteFunction(const Function& function) {
    writer_.BeginTuple(3);
    writer_.Text(function.name);
    writer_.BeginTuple(5);
    HANDRAIL_RETURN_IF_ERROR(Rows("instructions", function.instructions,
                                  [this](const auto& row) { return WriteInstruction(row); }));
    HANDRAIL_RETURN_IF_ERROR(Rows("operators", function.operators,
                                  [this](const auto& row) { return WriteOperator(row); }));
    HANDRAIL_RETURN_IF_ERROR(
        Rows("constants", function.constants, [this](const auto& value) { return Value(value); }));
    HANDRAIL_RETURN_IF_ERROR(
        Rows("types", function.types, [this](const auto& type) { return Text(type); }));
    HANDRAIL_RETURN_IF_ERROR(Row("register_size", [&]() -> Status {
      writer_.Int(function.register_count);
      return {};
    }));
    writer_.EndTuple(5);
    const auto write_argument = [this](const Argument& row) { return WriteArgument(row); };
    writer_.BeginTuple(2);
    HANDRAIL_RETURN_IF_ERROR(Rows("arguments", function.arguments, write_argument));
    HANDRAIL_RETURN_IF_ERROR(Rows("returns", function.results, write_argument));
    writer_.EndTuple(2);
    writer_.EndTuple(3);
    return {};
  }

  PickleWriter writer_;
  values::StorageNameOf name_of_;
};

}  // namespace

Result<std::string> WriteBytecode(const bytecode::Program& program, const StorageNames& storages) {
  return BytecodeWriter(storages).Write(program);
}

std::string WriteHandles(const bytecode::Program& program) {
  std::vector<FunctionHandles> functions;
  functions.reserve(program.functions.size());
  for (const Function& function : program.functions) {
    functions.push_back({function.name, function.handles});
  }
  return WriteHandleRecord(program.version, functions);
}

}  // namespace handrail::mobile_archive
