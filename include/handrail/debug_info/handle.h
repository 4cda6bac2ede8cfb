// Debug handles: how the 64 bits of a handle that we issue are laid out.
//
//    63       53 52                    24 23                     0
//   +-----------+------------------------+------------------------+
//   |     0     |   handle space (29)    |       index (24)       |
//   +-----------+------------------------+------------------------+
//
// Space 0 is bytecode. A handle stays below 2^53, so that it survives JSON and JavaScript. The bits
// mean this only where a map's unit says so (UnitKind): archives that others wrote hold any int64.
#pragma once

#include <cstdint>

#include "handrail/base/hash128.h"

namespace handrail {

using DebugHandle = int64_t;

// "No handle": PyTorch's sentinel for instructions and events without one.
inline constexpr DebugHandle kUnknownHandle = -1;

inline constexpr int kHandleIndexBits = 24;
inline constexpr int kHandleSpaceBits = 29;
inline constexpr uint32_t kHandlesPerSpace = 1u << kHandleIndexBits;
inline constexpr uint32_t kHandleSpaceCount = 1u << kHandleSpaceBits;
inline constexpr uint32_t kBytecodeSpace = 0;

// `space` < kHandleSpaceCount, `index` < kHandlesPerSpace.
constexpr DebugHandle MakeHandle(uint32_t space, uint32_t index) {
  return static_cast<DebugHandle>(uint64_t{space} << kHandleIndexBits | index);
}
// True if the bits can be a handle that we issued.
constexpr bool IsWellFormed(DebugHandle handle) {
  return handle >= 0 && handle >> (kHandleIndexBits + kHandleSpaceBits) == 0;
}
// Meaningful only for well-formed handles.
constexpr uint32_t HandleSpaceOf(DebugHandle handle) {
  return static_cast<uint32_t>(static_cast<uint64_t>(handle) >> kHandleIndexBits);
}
constexpr uint32_t HandleIndexOf(DebugHandle handle) {
  return static_cast<uint32_t>(handle) & (kHandlesPerSpace - 1);
}

// The `ordinal`-th handle space of the lowering whose key is `key`: never kBytecodeSpace. Equal
// arguments give equal spaces everywhere; different keys may fall on one space, which whoever
// brings units together must detect (DebugInfoBuilder does, MergeDebugInfo does).
uint32_t HandleSpaceForKey(const Hash128& key, uint32_t ordinal);

}  // namespace handrail
