#include "debug_map/body.h"

#include <algorithm>
#include <cstring>

#include <xxhash.h>

namespace handrail::debug_map {

Body::Body(std::span<const std::byte> file, uint64_t body_bytes)
    : data_(file.data()),
      body_bytes_(body_bytes),
      checksums_(file.data() + body_bytes),
      checked_(std::make_unique<std::atomic<uint64_t>[]>(
          static_cast<size_t>(BlockCount(body_bytes) / 64 + 1))) {}

uint32_t Body::Checksum(std::span<const std::byte> block_bytes, uint64_t block) {
  return static_cast<uint32_t>(XXH3_64bits(block_bytes.data(), block_bytes.size()) ^ block);
}

bool Body::AreBlocksIntact(uint64_t first, uint64_t last) const {
  for (uint64_t block = first; block <= last; ++block) {
    if (!IsBlockIntact(block)) return false;
  }
  return true;
}

bool Body::CheckBlock(uint64_t block) const {
  const uint64_t begin = block * kBlockBytes;
  const uint64_t size = std::min(kBlockBytes, body_bytes_ - begin);
  uint32_t stored;
  std::memcpy(&stored, checksums_ + block * kChecksumBytes, sizeof(stored));
  if (Checksum({data_ + begin, static_cast<size_t>(size)}, block) != stored) return false;
  checked_[block / 64].fetch_or(uint64_t{1} << (block % 64), std::memory_order_relaxed);
  return true;
}

}  // namespace handrail::debug_map
