#include "handrail/bytecode/program_text.h"

#include <fmt/format.h>

namespace handrail::bytecode {
namespace {

// Scalars in full, others by their kind.
std::string TextOfConstant(const values::Value& value) {
  switch (value.kind()) {
    case values::Value::Kind::kBool:
      return value.bool_value() ? "True" : "False";
    case values::Value::Kind::kInt:
      return std::to_string(value.int_value());
    case values::Value::Kind::kFloat:
      return fmt::format("{}", value.float_value());
    case values::Value::Kind::kString:
      return "'" + value.string() + "'";
    default:
      return std::string(values::ToString(value.kind()));
  }
}

std::string Meaning(const Function& function, const Instruction& instruction) {
  const auto x = static_cast<size_t>(instruction.x);
  switch (instruction.opcode) {
    case Opcode::OP:
    case Opcode::OPN: {
      const Operator& op = function.operators[x];
      std::string text = op.overload.empty() ? op.name : op.name + "." + op.overload;
      if (op.argument_count >= 0) text += fmt::format(", {} arguments", op.argument_count);
      return text;
    }
    case Opcode::LOADC:
    case Opcode::INTERFACE_CALL:
      return TextOfConstant(function.constants[x]);
    case Opcode::LIST_CONSTRUCT:
    case Opcode::DICT_CONSTRUCT:
    case Opcode::NAMED_TUPLE_CONSTRUCT:
    case Opcode::CREATE_OBJECT:
    case Opcode::ISINSTANCE:
      return function.types[x];
    default:
      return {};
  }
}

}  // namespace

std::string ToString(const Function& function) {
  std::string text =
      fmt::format("function {}, {} registers\n", function.name, function.register_count);
  for (size_t at = 0; at < function.instructions.size(); ++at) {
    const Instruction& instruction = function.instructions[at];
    std::string line = fmt::format("{:3}  {}", at, ToString(instruction.opcode));
    if (instruction.x != 0 || instruction.n != 0) line += fmt::format(" {}", instruction.x);
    if (instruction.n != 0) line += fmt::format(" {}", instruction.n);
    const std::string meaning = Meaning(function, instruction);
    text += meaning.empty() ? line : fmt::format("{:<24} {}", line, meaning);
    text += '\n';
  }
  return text;
}

}  // namespace handrail::bytecode
