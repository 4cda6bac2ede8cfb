// Inlined call stacks of callstack_debug_map.pkl -> stacks of the debug info.
//
// In:  a stack as the record writes it, outermost call first, each holding the next inner one:
//        (module, tag of the call, callee, function)    PyTorch 1.10 and up
//        (module, tag of the call, callee)              1.9
//      module = (qualified type, attribute name) | None, callee = a stack | None.
// Out: StackId of the innermost call, whose `caller` chain leads outwards.
//
// Stacks share their inner parts through the pickle's memo; a stack can be as deep as the pickle is
// long, and any number of stacks can lead into it. So there is no recursion, and what was walked
// from one caller is not walked from it again.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info_builder.h"

#include "archive/memory_budget.h"
#include "archive/pickle.h"
#include "torch_debug/identity_map.h"
#include "torch_debug/tagged_ranges.h"
#include "torch_debug/warning_list.h"

namespace handrail {

// Interns the texts of one pickle. A text that the pickle memoizes is hashed once.
class TextCache {
 public:
  TextCache(DebugInfoBuilder& builder, MemoryBudget& budget) : builder_(builder), charge_(budget) {}

  // `value` must be a text. Fails with kLimit.
  Result<StringId> Intern(PickleValue value) {
    if (value.identity() == last_identity_) return last_;
    return InternOther(value);
  }

 private:
  Result<StringId> InternOther(PickleValue value);

  DebugInfoBuilder& builder_;
  MemoryCharge charge_;
  IdentityMap strings_;
  uint64_t last_identity_ = 0;
  StringId last_;
};

class CallStacks {
 public:
  // All must outlive this.
  CallStacks(std::string_view record_name, const Pickle& pickle, TaggedRanges& ranges,
             TextCache& texts, DebugInfoBuilder& builder, MemoryBudget& budget,
             WarningList& warnings);

  // The stack that `value` writes; none for None. Null if it cannot be read, which is a warning
  // already: then nothing is known of the node's calls, and no part may be shown as the whole.
  std::optional<StackId> Read(PickleValue value) {
    if (value.is_none()) return StackId::none();
    const uint32_t row = stacks_.Find(value.identity(), StackId::none().index);
    return row == IdentityMap::kAbsent ? ReadNew(value) : Known(row);
  }

 private:
  static constexpr uint32_t kUnreadable = UINT32_MAX - 1;  // a row of stacks_

  static std::optional<StackId> Known(uint32_t row) {
    if (row == kUnreadable) return std::nullopt;
    return StackId{row};
  }
  std::optional<StackId> ReadNew(PickleValue value);
  // One call of a stack, and its callee.
  Result<std::pair<CallSite, PickleValue>> ReadCall(PickleValue value);
  Result<StringId> InternText(PickleValue value, std::string_view what);

  std::string_view record_name_;
  const Pickle& pickle_;
  TaggedRanges& ranges_;
  TextCache& texts_;
  DebugInfoBuilder& builder_;
  WarningList& warnings_;
  MemoryCharge charge_;
  // What (call, entered from this caller) leads to: the innermost stack, or kUnreadable.
  IdentityMap stacks_;
  std::vector<std::pair<uint64_t, uint32_t>> walked_;  // keys of stacks_, of the walk going on
};

}  // namespace handrail
