#include "torch_debug/call_stacks.h"

#include <fmt/format.h>

#include "handrail/base/limits.h"

#include "torch_debug/pickle_shape.h"

namespace handrail {
namespace {

// One call's rows: of stacks and call sites in the builder, of the tables here.
constexpr uint64_t kCallBytes = 64 + IdentityMap::kEntryBytes + 32;
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

CallStacks::CallStacks(std::string_view record_name, const Pickle& pickle, TaggedRanges& ranges,
                       TextCache& texts, DebugInfoBuilder& builder, MemoryBudget& budget,
                       WarningList& warnings)
    : record_name_(record_name),
      pickle_(pickle),
      ranges_(ranges),
      texts_(texts),
      builder_(builder),
      warnings_(warnings),
      charge_(budget) {}

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
    warnings_.Add(record_name_, Fault::kUndefinedCallTag, ErrorCode::kCorrupt, [&] {
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

std::optional<StackId> CallStacks::ReadNew(PickleValue value) {
  walked_.clear();
  StackId caller;
  uint32_t result = IdentityMap::kAbsent;
  while (result == IdentityMap::kAbsent) {
    const auto warn = [&](Error error) {
      warnings_.Add(record_name_,
                    error.code == ErrorCode::kLimit ? Fault::kMemory : Fault::kCallStack,
                    std::move(error));
      result = kUnreadable;
    };
    if (value.is_none()) {
      result = caller.index;
    } else if (const uint32_t known = stacks_.Find(value.identity(), caller.index);
               known != IdentityMap::kAbsent) {
      result = known;
    } else if (walked_.size() == limits::kCallStackDepthMax) {
      warn(Error{
          ErrorCode::kLimit, pickle_.OffsetOf(value),
          fmt::format("call stack: need at most {} calls, have more", limits::kCallStackDepthMax)});
    } else if (Status status = charge_.Take(kCallBytes, "call stacks"); !status) {
      warn(std::move(status).error());
    } else {
      walked_.emplace_back(value.identity(), caller.index);
      Result<std::pair<CallSite, PickleValue>> call = ReadCall(value);
      if (!call) {
        warn(std::move(call).error());
      } else {
        caller = builder_.AddCall(caller, call->first);
        value = call->second;
      }
    }
  }
  for (const auto& [identity, context] : walked_) stacks_.Insert(identity, context, result);
  return Known(result);
}

}  // namespace handrail
