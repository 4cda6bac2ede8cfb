#include "torch_debug/bytecode_record.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "archive/quoted.h"
#include "torch_debug/pickle_shape.h"

namespace handrail {
namespace {

// The rows of a function's code, in this order.
constexpr std::array<std::string_view, 5> kCodeRows = {"instructions", "operators", "constants",
                                                       "types", "register_size"};
constexpr size_t kInstructionsRow = 0;
constexpr size_t kOperatorsRow = 1;

}  // namespace

std::string_view BytecodeRecord::OperatorName(PickleValue value) {
  if (!value.is_tuple() || value.size() == 0 || !value.at(0).is_text()) return {};
  return value.at(0).as_text();
}

Status BytecodeRecord::ReadCode(PickleValue code, Function& function) const {
  HANDRAIL_ASSIGN_OR_RETURN(const auto rows, pickle_.ExpectTuple(code, "code", kCodeRows.size()));
  for (size_t i = 0; i < kCodeRows.size(); ++i) {
    HANDRAIL_ASSIGN_OR_RETURN(const auto row, pickle_.ExpectTuple(rows[i], kCodeRows[i], 2));
    HANDRAIL_ASSIGN_OR_RETURN(const auto name, pickle_.ExpectText(row[0], "code"));
    if (name != kCodeRows[i]) {
      return Fail(ErrorCode::kCorrupt,
                  fmt::format("code: need {}, have {}", Quoted(kCodeRows[i]), Quoted(name)),
                  pickle_.OffsetOf(row[0]));
    }
    if (i == kInstructionsRow) {
      HANDRAIL_ASSIGN_OR_RETURN(const auto instructions,
                                ExpectAnyTuple(pickle_, row[1], "instructions"));
      function.instruction_count = instructions.size();
      for (const PickleValue instruction : instructions) {
        if (!instruction.is_tuple() || instruction.size() != 3) {
          return FailShape(pickle_, instruction, "instruction", "a tuple of 3 (opcode, X, N)");
        }
      }
    } else if (i == kOperatorsRow) {
      HANDRAIL_ASSIGN_OR_RETURN(const auto operators, ExpectAnyTuple(pickle_, row[1], "operators"));
      function.operators = operators;
      for (const PickleValue op : operators) {
        if (!op.is_tuple() || (op.size() != 2 && op.size() != 3)) {
          return FailShape(pickle_, op, "operator",
                           "a tuple of 2 or 3 (name, overload, number of arguments)");
        }
      }
    }
  }
  return {};
}

Status BytecodeRecord::ReadFunction(PickleValue entry, Function& function) const {
  HANDRAIL_ASSIGN_OR_RETURN(const auto parts, pickle_.ExpectTuple(entry, "function", 2));
  HANDRAIL_ASSIGN_OR_RETURN(function.name, ExpectFunctionName(pickle_, parts[0]));
  Status status = ReadCode(parts[1], function);
  if (!status) {
    return tl::unexpected<Error>(
        std::move(status).error().In(fmt::format("function {}", Quoted(function.name))));
  }
  return {};
}

Result<BytecodeRecord> BytecodeRecord::Read(std::span<const std::byte> content,
                                            MemoryBudget& budget, WarningList& warnings) {
  HANDRAIL_ASSIGN_OR_RETURN(Pickle pickle, Pickle::Parse(content, budget));
  BytecodeRecord record(std::move(pickle), budget);
  HANDRAIL_ASSIGN_OR_RETURN(auto entries,
                            ExpectAnyTuple(record.pickle_, record.pickle_.root(), "bytecode"));
  if (!entries.empty() && entries[0].is_int()) {
    record.version_ = entries[0].as_int();
    entries = entries.subspan(1);
  }
  HANDRAIL_RETURN_IF_ERROR(record.charge_.Take(entries.size() * sizeof(Function), "functions"));
  record.functions_.resize(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    if (Status status = record.ReadFunction(entries[i], record.functions_[i]); !status) {
      warnings.Add(kName, Fault::kEntry,
                   std::move(status).error().In(fmt::format("entry {}", i + 1)));
    }
  }
  return record;
}

}  // namespace handrail
