#include "mobile_archive/mobile_limits.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

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

// Looks for members of enums in constants, which may be deep, shared and contain themselves.
class EnumFinder {
 public:
  // Whether there is one in `value`, apart from what was looked at before and had none.
  bool Finds(const Value& value) {
    std::vector<const Value*> waiting{&value};
    while (!waiting.empty()) {
      const Value& next = *waiting.back();
      waiting.pop_back();
      if (next.kind() == Value::Kind::kEnum) return true;
      std::span<const Value> parts;
      if (next.kind() == Value::Kind::kTuple && seen_.insert(&next.tuple()).second) {
        parts = next.tuple().elements;
      } else if (next.kind() == Value::Kind::kList && seen_.insert(&next.list()).second) {
        parts = next.list().elements;
      }
      for (const Value& part : parts) waiting.push_back(&part);
    }
    return false;
  }

 private:
  std::unordered_set<const values::Counted*> seen_;
};

// A class of Python code; PyTorch's mobile runtime knows custom classes of C++ alone.
bool IsPythonClass(std::string_view type) {
  return type.starts_with("__torch__.") && !type.starts_with("__torch__.torch.classes.") &&
         !type.ends_with("]");
}

// What the mobile runtime cannot do of an instruction; "": it can.
std::string Missing(const Function& function, const Instruction& instruction, EnumFinder& enums) {
  const auto x = static_cast<size_t>(instruction.x);
  if (instruction.opcode == Opcode::LOADC && enums.Finds(function.constants[x])) {
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
  EnumFinder enums;
  for (const Function& function : program.functions) {
    for (size_t i = 0; i < function.instructions.size(); ++i) {
      const std::string missing = Missing(function, function.instructions[i], enums);
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
