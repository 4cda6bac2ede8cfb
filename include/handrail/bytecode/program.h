// A program: functions of instructions, as PyTorch's mobile runtime knows them.
//
// In:  compiled from graphs (bytecode/bytecode.h), or read from an archive
//      (mobile_archive/mobile_archive.h).
// Out: runtime/ runs it.
//
// A function has registers, numbered from 1, and works on one stack of values. Its arguments are
// on the stack when it begins, `self` first, and its results are when it ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/debug_info/handle.h"
#include "handrail/values/value.h"

namespace handrail::bytecode {

enum class Opcode : uint8_t {
#define HANDRAIL_OPCODE(name, code) name = code,
#include "handrail/bytecode/opcodes.def"
};
std::string_view ToString(Opcode opcode);                     // "LIST_CONSTRUCT"
std::optional<Opcode> OpcodeFromText(std::string_view text);  // nothing: there is none such

// What X and N mean is in opcodes.def.
struct Instruction {
  Opcode opcode = Opcode::RET;
  uint16_t n = 0;
  int32_t x = 0;

  friend bool operator==(const Instruction&, const Instruction&) = default;
};
static_assert(sizeof(Instruction) == 8);

// An operator that a function calls. Trailing arguments whose values are the schema's defaults are
// left out of calls.
struct Operator {
  std::string name;      // "aten::add"
  std::string overload;  // "Tensor"
  // How many arguments stand on the stack; -1: all that the schema has (before version 6).
  int32_t argument_count = -1;

  friend bool operator==(const Operator&, const Operator&) = default;
};

struct Argument {
  std::string name;
  std::string type;  // as Python annotates it: "List[int]"
  bool has_default = false;
  values::Value default_value;
};

struct Function {
  std::string name;  // qualified: "__torch__.M.forward"
  std::vector<Instruction> instructions;
  // One for each instruction; empty: the program was made or saved without.
  std::vector<DebugHandle> handles;
  std::vector<Operator> operators;
  std::vector<values::Value> constants;
  std::vector<std::string> types;  // as Python annotates them
  uint32_t register_count = 0;
  std::vector<Argument> arguments;  // `self` first
  std::vector<Argument> results;
};

// Immutable once made; safe to read from many threads.
struct Program {
  int64_t version = 8;
  std::vector<Function> functions;

  // By qualified name; null: there is none.
  const Function* Find(std::string_view name) const;
};

// Checks what the interpreter relies on: that jumps, registers and rows of tables lie inside of the
// function, that every path ends with RET, and that each instruction has one handle, if any has.
// Errors name the function and the instruction. What is on the stack is checked when it runs.
Status Verify(const Function& function);

}  // namespace handrail::bytecode
