#include "mobile_archive/mobile_limits.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "archive/quoted.h"

namespace handrail::mobile_archive {
namespace {

using bytecode::Function;
using bytecode::Instruction;
using bytecode::Opcode;
using values::Value;

// ", at model.py:12", or nothing if no line is known.
std::string PlaceOf(const Function& function, size_t instruction, const DebugInfo& info) {
  const Unit& unit = info.units.front();
  const DebugHandle handle = function.handles[instruction];
  const auto at = std::lower_bound(unit.handles.begin(), unit.handles.end(), handle);
  if (at == unit.handles.end() || *at != handle) return {};
  const Node& node = unit.nodes[static_cast<size_t>(at - unit.handles.begin())];
  const SourceRange& range = info.ranges[node.range.index];
  if (range.source.is_none()) return {};
  const Source& source = info.sources[range.source.index];
  return fmt::format(", at {}:{}",
                     source.file_name.is_none() ? "<unknown>" : info.strings.at(source.file_name),
                     source.first_line + range.start.line - 1);
}

bool HasEnum(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kEnum:
      return true;
    case Value::Kind::kTuple:
      return std::any_of(value.tuple().elements.begin(), value.tuple().elements.end(), HasEnum);
    case Value::Kind::kList:
      return std::any_of(value.list().elements.begin(), value.list().elements.end(), HasEnum);
    default:
      return false;
  }
}

// A class of Python code; PyTorch's mobile runtime knows custom classes of C++ alone.
bool IsPythonClass(std::string_view type) {
  return type.starts_with("__torch__.") && !type.starts_with("__torch__.torch.classes.") &&
         !type.ends_with("]");
}

// What the mobile runtime cannot do of an instruction; "": it can.
std::string Missing(const Function& function, const Instruction& instruction) {
  const auto x = static_cast<size_t>(instruction.x);
  if (instruction.opcode == Opcode::LOADC && HasEnum(function.constants[x])) {
    return "no members of enums";
  }
  std::span<const std::string> types;
  if (instruction.opcode == Opcode::ISINSTANCE) {
    types = std::span(function.types).subspan(x, instruction.n);
  } else if (instruction.opcode == Opcode::CREATE_OBJECT ||
             instruction.opcode == Opcode::LIST_CONSTRUCT ||
             instruction.opcode == Opcode::DICT_CONSTRUCT) {
    types = std::span(function.types).subspan(x, 1);
  }
  const auto type = std::find_if(types.begin(), types.end(), IsPythonClass);
  return type == types.end() ? "" : "no classes of Python code: " + Quoted(*type);
}

}  // namespace

Status CheckForMobile(const bytecode::Program& program, const values::ObjectGraph& objects,
                      const DebugInfo& info) {
  for (const Function& function : program.functions) {
    for (size_t i = 0; i < function.instructions.size(); ++i) {
      const std::string missing = Missing(function, function.instructions[i]);
      if (missing.empty()) continue;
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("function {}: the mobile runtime has {}{}", Quoted(function.name),
                              missing, PlaceOf(function, i, info)));
    }
  }
  for (uint32_t row = 0; row < objects.size(); ++row) {
    if (objects.kind({row}) != values::ValueKind::kEnum) continue;
    return Fail(ErrorCode::kUnsupported,
                fmt::format("an attribute is a member of {}: the mobile runtime has no enums",
                            Quoted(objects.class_name({row}))));
  }
  return {};
}

}  // namespace handrail::mobile_archive
