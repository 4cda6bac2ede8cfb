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
#include <optional>
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

inline constexpr std::string_view kCallStackMapName = "callstack_debug_map.pkl";

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
  // All must outlive reading. `pickle` is that of callstack_debug_map.pkl.
  CallStacks(const Pickle& pickle, TaggedRanges& ranges, TextCache& texts,
             DebugInfoBuilder& builder, MemoryBudget& budget, WarningList& warnings)
      : pickle_(pickle),
        ranges_(ranges),
        texts_(texts),
        builder_(builder),
        warnings_(warnings),
        charge_(budget) {}

  // The stack that `value` writes; none for None. If any call of it cannot be read, all of it
  // fails: a part must not be shown as the whole. kCorrupt, or kLimit.
  Result<StackId> Read(PickleValue value) {
    if (value.is_none()) return StackId::none();
    if (value.identity() == last_identity_) return last_;
    return ReadOther(value);
  }

 private:
  static constexpr uint32_t kUnreadable = UINT32_MAX - 1;  // a row of stacks_

  Result<StackId> ReadOther(PickleValue value);
  Result<StackId> Walk(PickleValue value);
  // One call of a stack, and its callee.
  Result<std::pair<CallSite, PickleValue>> ReadCall(PickleValue value);
  Result<StackId> AddCall(StackId caller, const CallSite& call_site);
  Result<StringId> InternText(PickleValue value, std::string_view what);

  const Pickle& pickle_;
  TaggedRanges& ranges_;
  TextCache& texts_;
  DebugInfoBuilder& builder_;
  WarningList& warnings_;
  MemoryCharge charge_;
  uint64_t last_identity_ = 0;
  StackId last_;
  // What (call, entered from this caller) leads to: the innermost stack, or kUnreadable.
  IdentityMap stacks_;
  std::vector<std::pair<uint64_t, uint32_t>> walked_;  // new keys of stacks_, of the last walk
  Error unreadable_{ErrorCode::kCorrupt, Error::kNoOffset, {}};  // why the last such stack is
  uint32_t stack_count_ = 0;                                     // of the builder
};

}  // namespace handrail
