// Makes the checksums and the digest of a debug map right again after bytes of it were changed, so
// that a test reaches the checks behind them.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "handrail/base/hash128.h"

#include "debug_map/body.h"
#include "debug_map/layout.h"

namespace handrail::testing {

// Leaves bytes alone that do not have the frame of a debug map.
inline void Reseal(std::vector<std::byte>& file) {
  using namespace debug_map;  // NOLINT: the layout's names are this function's vocabulary
  if (file.size() < kHeaderBytes + kChecksumBytes + kTrailer.size()) return;
  uint64_t body_bytes;
  std::memcpy(&body_bytes, file.data() + kBodySizeOffset, sizeof(body_bytes));
  const uint64_t room = file.size() - kTrailer.size();
  if (body_bytes < kHeaderBytes || body_bytes > room ||
      room - body_bytes != BlockCount(body_bytes) * kChecksumBytes) {
    return;
  }
  const auto body = std::span<const std::byte>(file).first(static_cast<size_t>(body_bytes));
  const Hash128 digest = HashBytes(body.subspan(kHeaderBytes));
  std::memcpy(file.data() + kDigestOffset, &digest.high, 8);
  std::memcpy(file.data() + kDigestOffset + 8, &digest.low, 8);
  for (uint64_t block = 0; block < BlockCount(body_bytes); ++block) {
    const auto begin = static_cast<size_t>(block * kBlockBytes);
    const size_t size = std::min<size_t>(kBlockBytes, body.size() - begin);
    const uint32_t checksum = Body::Checksum(body.subspan(begin, size), block);
    std::memcpy(file.data() + body_bytes + block * kChecksumBytes, &checksum, sizeof(checksum));
  }
}

}  // namespace handrail::testing
