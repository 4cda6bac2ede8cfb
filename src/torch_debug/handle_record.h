// mobile_debug_handles.pkl (PyTorch 1.9 and up): which handles each function's instructions have.
//
// In:  the record's bytes:
//        (bytecode version, (function, (("function_debug_handles", ([handle, ...],)),)), ...)
//      Functions in the order of bytecode.pkl, one handle per instruction.
// Out: the functions, with their handles in place.
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

inline constexpr std::string_view kHandlesKey = "function_debug_handles";

class HandleRecord {
 public:
  static constexpr std::string_view kName = "mobile_debug_handles.pkl";

  struct Function {
    size_t index = 0;  // among the functions of the record, unreadable ones included
    std::string_view name;
    std::span<const PickleValue> handles;  // ints
  };

  // Views are into `content`, which must outlive the result. Fails if the record as a whole cannot
  // be used; a function that cannot be read is a warning and is left out.
  static Result<HandleRecord> Read(std::span<const std::byte> content, MemoryBudget& budget,
                                   WarningList& warnings);

  std::optional<int64_t> version() const { return version_; }
  const std::vector<Function>& functions() const { return functions_; }
  // How many functions there are, readable or not.
  size_t entry_count() const { return entry_count_; }

 private:
  explicit HandleRecord(Pickle pickle, MemoryBudget& budget)
      : pickle_(std::move(pickle)), charge_(budget) {}
  Result<Function> ReadFunction(PickleValue entry) const;

  Pickle pickle_;
  MemoryCharge charge_;
  std::optional<int64_t> version_;
  size_t entry_count_ = 0;
  std::vector<Function> functions_;
};

}  // namespace handrail
