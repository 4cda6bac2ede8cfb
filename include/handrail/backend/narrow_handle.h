// Debug handles for backends whose blobs and devices have only 32 bits for one.
//
//    31                   24 23                     0
//   +-----------------------+------------------------+
//   |  place of the space   |         index          |
//   +-----------------------+------------------------+
//
// The blob's list of handle spaces stays outside of the blob, with whoever runs it, and turns what
// comes back from the device into whole handles. Almost always it has one space, and a narrow
// handle is the index alone.
#pragma once

#include <cstdint>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/debug_info/handle.h"

namespace handrail {

using NarrowHandle = uint32_t;

// Stands for kUnknownHandle.
inline constexpr NarrowHandle kUnknownNarrowHandle = UINT32_MAX;

// Not thread-safe to narrow; safe to widen from many threads.
class NarrowHandleSpaces {
 public:
  NarrowHandleSpaces() = default;
  // The list as `spaces()` gave it. Fails with kLimit if it is longer than a narrow handle can
  // count, and with kCorrupt if a space cannot be one.
  static Result<NarrowHandleSpaces> FromSpaces(std::vector<uint32_t> spaces);

  // Fails with kExhausted if the handle's space is one too many, and with kInvalidArgument if it is
  // no handle that we issued.
  Result<NarrowHandle> Narrow(DebugHandle handle);
  // kUnknownHandle where there is no such space: devices may return anything.
  DebugHandle Widen(NarrowHandle narrow) const;

  const std::vector<uint32_t>& spaces() const { return spaces_; }

 private:
  // The place 255 is left out, so that no handle is narrowed to kUnknownNarrowHandle.
  static constexpr size_t kSpaceCountMax = 255;

  std::vector<uint32_t> spaces_;
};

}  // namespace handrail
