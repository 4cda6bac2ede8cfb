#include "torch_debug/call_stacks.h"

#include <fmt/format.h>

#include "handrail/base/limits.h"

#include "torch_debug/pickle_shape.h"

namespace handrail {
namespace {

// One call's rows of stacks and call sites in the builder.
constexpr uint64_t kCallBytes = 64;
// Every so many calls of a walk are remembered, so that walking them again stops soon.
constexpr uint32_t kRememberedCallStep = 16;
// One string's rows, its text aside.
constexpr uint64_t kStringBytes = 64 + IdentityMap::kEntryBytes;

}  // namespace

Result<StringId> TextCache::InternOther(PickleValue value) {
  uint32_t row = strings_.Find(value.identity());
  if (row == IdentityMap::kAbsent) {
    const std::string_view text = value.as_text();
    HANDRAIL_RETURN_IF_ERROR(charge_.Take(text.size() + kStringBytes, "strings"));
    row = builder_.AddString(text).index;
    strings_.Insert(value.identity(), 0, row);
  }
  last_identity_ = value.identity();
  last_ = StringId{row};
  return last_;
}

Result<StringId> CallStacks::InternText(PickleValue value, std::string_view what) {
  if (!value.is_text()) return FailShape(pickle_, value, what, "a text");
  return texts_.Intern(value);
}

Result<std::pair<CallSite, PickleValue>> CallStacks::ReadCall(PickleValue value) {
  if (!value.is_tuple() || (value.size() != 4 && value.size() != 3)) {
    return FailShape(pickle_, value, "call stack", "None or a tuple of 4 (3 before PyTorch 1.10)");
  }
  const auto parts = value.elements();
  CallSite site;
  if (!parts[0].is_none()) {
    HANDRAIL_ASSIGN_OR_RETURN(const auto module,
                              ExpectTupleOf(pickle_, parts[0], "call stack: module instance", 2));
    HANDRAIL_ASSIGN_OR_RETURN(site.module_type, InternText(module[0], "call stack: module type"));
    HANDRAIL_ASSIGN_OR_RETURN(site.module_name, InternText(module[1], "call stack: module name"));
  }
  HANDRAIL_ASSIGN_OR_RETURN(const int64_t tag,
                            pickle_.ExpectInt(parts[1], "call stack: source range tag"));
  site.range = ranges_.Find(tag);
  if (ranges_.IsUndefined(site.range)) {
    warnings_.Add(kCallStackMapName, Fault::kUndefinedCallTag, ErrorCode::kCorrupt, [&] {
      return fmt::format(
          "source range tag {} of a call at 0x{:x} is defined by no debug_pkl record", tag,
          pickle_.OffsetOf(value));
    });
  }
  if (parts.size() == 4) {
    HANDRAIL_ASSIGN_OR_RETURN(site.function, InternText(parts[3], "call stack: function name"));
  }
  return std::pair(site, parts[2]);
}

Result<StackId> CallStacks::AddCall(StackId caller, const CallSite& call_site) {
  const StackId stack = builder_.AddCall(caller, call_site);
  if (stack.index >= stack_count_) {
    stack_count_ = stack.index + 1;
    HANDRAIL_RETURN_IF_ERROR(charge_.Take(kCallBytes, "call stacks"));
  }
  return stack;
}

Result<StackId> CallStacks::Walk(PickleValue value) {
  StackId caller;
  for (uint32_t depth = 0; !value.is_none(); ++depth) {
    const uint32_t known = stacks_.Find(value.identity(), caller.index);
    if (known == kUnreadable) return tl::unexpected<Error>(unreadable_);
    if (known != IdentityMap::kAbsent) return StackId{known};
    if (depth == limits::kCallStackDepthMax) {
      return Fail(ErrorCode::kLimit,
                  fmt::format("call stack: need at most {} calls, have more", depth),
                  pickle_.OffsetOf(value));
    }
    if (depth % kRememberedCallStep == 0) {
      HANDRAIL_RETURN_IF_ERROR(charge_.Take(IdentityMap::kEntryBytes, "call stacks"));
      walked_.emplace_back(value.identity(), caller.index);
    }
    HANDRAIL_ASSIGN_OR_RETURN(const auto call, ReadCall(value));
    HANDRAIL_ASSIGN_OR_RETURN(caller, AddCall(caller, call.first));
    value = call.second;
  }
  return caller;
}

Result<StackId> CallStacks::ReadOther(PickleValue value) {
  walked_.clear();
  Result<StackId> stack = Walk(value);
  if (!stack) unreadable_ = stack.error();
  for (const auto& [identity, caller] : walked_) {
    stacks_.Insert(identity, caller, stack ? stack->index : kUnreadable);
  }
  if (stack) {
    last_identity_ = value.identity();
    last_ = *stack;
  }
  return stack;
}

}  // namespace handrail
