#include "handrail/bytecode/program.h"

#include <algorithm>

#include <fmt/format.h>

namespace handrail::bytecode {
namespace {

struct OpcodeName {
  Opcode opcode;
  std::string_view text;
};
constexpr OpcodeName kOpcodes[] = {
#define HANDRAIL_OPCODE(name, code) {Opcode::name, #name},
#include "handrail/bytecode/opcodes.def"
};

// Checks one function.
class FunctionVerifier {
 public:
  explicit FunctionVerifier(const Function& function) : function_(function) {}

  Status Verify() {
    const auto& code = function_.instructions;
    if (code.empty() || (code.back().opcode != Opcode::RET && code.back().opcode != Opcode::JMP)) {
      return Fail(ErrorCode::kCorrupt,
                  fmt::format("function '{}': need RET at its end, have {}", function_.name,
                              code.empty() ? "no instructions" : ToString(code.back().opcode)));
    }
    if (!function_.handles.empty() && function_.handles.size() != code.size()) {
      return Fail(ErrorCode::kCorrupt,
                  fmt::format("function '{}': need one debug handle for each of {} instructions, "
                              "have {}",
                              function_.name, code.size(), function_.handles.size()));
    }
    for (at_ = 0; at_ < code.size(); ++at_) {
      HANDRAIL_RETURN_IF_ERROR(VerifyInstruction(code[at_]));
    }
    return {};
  }

 private:
  Status Bad(std::string_view what, int64_t value, int64_t least, int64_t most) const {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("function '{}': instruction {}: {}: need {} from {} to {}, have {}",
                            function_.name, at_, ToString(function_.instructions[at_].opcode), what,
                            least, most, value));
  }
  Status InRange(std::string_view what, int64_t value, int64_t least, int64_t most) const {
    if (value < least || value > most) return Bad(what, value, least, most);
    return {};
  }
  static int64_t Last(size_t count) { return static_cast<int64_t>(count) - 1; }

  Status VerifyJump(int64_t distance) const {
    const int64_t here = static_cast<int64_t>(at_);
    return InRange("a jump", distance, -here, Last(function_.instructions.size()) - here);
  }
  Status VerifyRegisters(int64_t first, int64_t count) const {
    HANDRAIL_RETURN_IF_ERROR(InRange("a register", first, 1, function_.register_count));
    return InRange("a register", first + count - 1, 0, function_.register_count);
  }

  Status VerifyInstruction(const Instruction& instruction) const {
    switch (instruction.opcode) {
      case Opcode::OP:
      case Opcode::OPN:
        return InRange("an operator", instruction.x, 0, Last(function_.operators.size()));
      case Opcode::LOAD:
      case Opcode::MOVE:
      case Opcode::STORE:
      case Opcode::DROPR:
        return VerifyRegisters(instruction.x, 1);
      case Opcode::STOREN:
        return VerifyRegisters(instruction.x, instruction.n);
      case Opcode::LOADC:
        return InRange("a constant", instruction.x, 0, Last(function_.constants.size()));
      case Opcode::INTERFACE_CALL:
        HANDRAIL_RETURN_IF_ERROR(
            InRange("a constant", instruction.x, 0, Last(function_.constants.size())));
        return InRange("a number of arguments", instruction.n, 1, UINT16_MAX);
      case Opcode::JF:
      case Opcode::JMP:
        return VerifyJump(instruction.x);
      case Opcode::LOOP:
        HANDRAIL_RETURN_IF_ERROR(
            InRange("a number of carried values", instruction.n, 2, UINT16_MAX));
        return VerifyJump(instruction.x);
      case Opcode::GET_ATTR:
      case Opcode::SET_ATTR:
      case Opcode::LIST_UNPACK:
      case Opcode::TUPLE_CONSTRUCT:
      case Opcode::FORMAT:
        return InRange("a number", instruction.x, 0, UINT16_MAX);
      case Opcode::NAMED_TUPLE_CONSTRUCT:
      case Opcode::LIST_CONSTRUCT:
      case Opcode::DICT_CONSTRUCT:
      case Opcode::CREATE_OBJECT:
        return InRange("a type", instruction.x, 0, Last(function_.types.size()));
      case Opcode::ISINSTANCE:
        HANDRAIL_RETURN_IF_ERROR(InRange("a type", instruction.x, 0, Last(function_.types.size())));
        return InRange("a type", int64_t{instruction.x} + instruction.n - 1, 0,
                       Last(function_.types.size()));
      default:
        return {};
    }
  }

  const Function& function_;
  size_t at_ = 0;
};

}  // namespace

std::string_view ToString(Opcode opcode) {
  const auto* const row =
      std::find_if(std::begin(kOpcodes), std::end(kOpcodes),
                   [&](const OpcodeName& each) { return each.opcode == opcode; });
  return row == std::end(kOpcodes) ? "?" : row->text;
}

std::optional<Opcode> OpcodeFromText(std::string_view text) {
  const auto* const row = std::find_if(std::begin(kOpcodes), std::end(kOpcodes),
                                       [&](const OpcodeName& each) { return each.text == text; });
  if (row == std::end(kOpcodes)) return std::nullopt;
  return row->opcode;
}

const Function* Program::Find(std::string_view name) const {
  const auto function = std::find_if(functions.begin(), functions.end(),
                                     [&](const Function& each) { return each.name == name; });
  return function == functions.end() ? nullptr : &*function;
}

Status Verify(const Function& function) {
  return FunctionVerifier(function).Verify();
}

}  // namespace handrail::bytecode
