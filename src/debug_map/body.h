// The checked bytes of a debug map: every block is compared with its checksum before its first use.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "handrail/debug_map/debug_map.h"

#include "debug_map/layout.h"

namespace handrail::debug_map {

inline tl::unexpected<Unknown> Damaged(uint64_t offset) {
  return tl::unexpected<Unknown>(Unknown{UnknownReason::kDamagedMap, offset});
}

// Does not own the bytes. Thread-safe: two threads may check one block at the same time and agree.
class Body {
 public:
  Body() = default;
  // `file` is a whole debug map, `body_bytes` what its header says and its size allows.
  Body(std::span<const std::byte> file, uint64_t body_bytes);

  const std::byte* data() const { return data_; }
  uint64_t size() const { return body_bytes_; }

  // True if bytes [begin, end) of the body are what was written. `begin` <= `end` <= size().
  bool IsIntact(uint64_t begin, uint64_t end) const {
    const uint64_t first = begin / kBlockBytes;
    if (end - begin <= kBlockBytes - begin % kBlockBytes) {
      return begin == end || IsBlockIntact(first);
    }
    return AreBlocksIntact(first, (end - 1) / kBlockBytes);
  }
  bool IsBlockIntact(uint64_t block) const {
    const uint64_t word = checked_[block / 64].load(std::memory_order_relaxed);
    return (word >> (block % 64) & 1) != 0 || CheckBlock(block);
  }
  static uint32_t Checksum(std::span<const std::byte> block_bytes, uint64_t block);

 private:
  bool CheckBlock(uint64_t block) const;
  bool AreBlocksIntact(uint64_t first, uint64_t last) const;

  const std::byte* data_ = nullptr;
  uint64_t body_bytes_ = 0;
  const std::byte* checksums_ = nullptr;
  std::unique_ptr<std::atomic<uint64_t>[]> checked_;  // one bit a block: found intact
};

}  // namespace handrail::debug_map
