// bytecode.pkl, as far as debug info is concerned: which functions there are, and how long they
// are.
//
// In:  the record's bytes: (version, function, ...), before version 4 without the version.
//        function = (name, (("instructions", ((opcode, X, N), ...)), ("operators", (operator,
//        ...)),
//                           ("constants", ...), ("types", ...), ("register_size", n))
//                    [, schema: from version 4 on])
//        operator = (name, overload [, number of arguments: from version 6 on])
// Out: names, counts, operator names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"

#include "archive/memory_budget.h"
#include "archive/pickle.h"
#include "torch_debug/warning_list.h"

namespace handrail {

class BytecodeRecord {
 public:
  static constexpr std::string_view kName = "bytecode.pkl";

  struct Function {
    std::string_view name;
    std::optional<size_t> instruction_count;  // nothing if the code cannot be read
    std::span<const PickleValue> operators;   // OperatorName reads them
  };

  // Views are into `content`, which must outlive the result. Fails if the record as a whole cannot
  // be used; a function that cannot be read is a warning and keeps what was read of it.
  static Result<BytecodeRecord> Read(std::span<const std::byte> content, MemoryBudget& budget,
                                     WarningList& warnings);

  std::optional<int64_t> version() const { return version_; }
  // One for each function of the record, in its order; unreadable ones may have no name.
  const std::vector<Function>& functions() const { return functions_; }

  // "aten::add" of an operator; empty if it cannot be read.
  static std::string_view OperatorName(PickleValue value);

 private:
  explicit BytecodeRecord(Pickle pickle, MemoryBudget& budget)
      : pickle_(std::move(pickle)), charge_(budget) {}
  Status ReadFunction(PickleValue entry, Function& function) const;
  Status ReadCode(PickleValue code, Function& function) const;

  Pickle pickle_;
  MemoryCharge charge_;
  std::optional<int64_t> version_;
  std::vector<Function> functions_;
};

}  // namespace handrail
