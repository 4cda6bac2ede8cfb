#include "handrail/backend/narrow_handle.h"

#include <algorithm>

#include <fmt/format.h>

namespace handrail {

Result<NarrowHandleSpaces> NarrowHandleSpaces::FromSpaces(std::vector<uint32_t> spaces) {
  if (spaces.size() > kSpaceCountMax) {
    return Fail(ErrorCode::kLimit, fmt::format("{} handle spaces: a blob may have at most {}",
                                               spaces.size(), kSpaceCountMax));
  }
  for (const uint32_t space : spaces) {
    if (space >= kHandleSpaceCount) {
      return Fail(ErrorCode::kCorrupt,
                  fmt::format("handle space {}: need one below {}", space, kHandleSpaceCount));
    }
  }
  NarrowHandleSpaces result;
  result.spaces_ = std::move(spaces);
  return result;
}

Result<NarrowHandle> NarrowHandleSpaces::Narrow(DebugHandle handle) {
  if (handle == kUnknownHandle) return kUnknownNarrowHandle;
  if (!IsWellFormed(handle)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("debug handle {} is none that a recorder issues", handle));
  }
  const uint32_t space = HandleSpaceOf(handle);
  // From the end: handles come space by space.
  const auto found = std::find(spaces_.rbegin(), spaces_.rend(), space);
  auto place = static_cast<uint32_t>(spaces_.rend() - found);
  if (found == spaces_.rend()) {
    if (spaces_.size() == kSpaceCountMax) {
      return Fail(ErrorCode::kExhausted,
                  fmt::format("a blob with 32-bit debug handles has room for {} handle spaces",
                              kSpaceCountMax));
    }
    spaces_.push_back(space);
    place = static_cast<uint32_t>(spaces_.size());
  }
  return (place - 1) << kHandleIndexBits | HandleIndexOf(handle);
}

DebugHandle NarrowHandleSpaces::Widen(NarrowHandle narrow) const {
  const uint32_t place = narrow >> kHandleIndexBits;
  if (place >= spaces_.size()) return kUnknownHandle;
  return MakeHandle(spaces_[place], narrow & (kHandlesPerSpace - 1));
}

}  // namespace handrail
