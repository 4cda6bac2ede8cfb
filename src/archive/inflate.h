// Raw deflate streams (RFC 1951), over zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "handrail/base/result.h"

namespace handrail {

// Deflate makes at most 1032 bytes of one (zlib's technical notes: 258 bytes from 2 bits). A record
// that claims more lies, and needs no memory to be found out.
inline constexpr uint64_t kInflateFactorMax = 1032;

// Inflates all of `stored` into exactly `content`. `base_offset` is where `stored` lies in the
// file. kCorrupt: not a deflate stream, another size, or bytes left over; kTruncated: it does not
// end.
Status Inflate(std::span<const std::byte> stored, uint64_t base_offset,
               std::span<std::byte> content);

// What a deflate stream of unknown length turned out to be.
struct DeflateExtent {
  uint64_t stored_size_bytes = 0;
  uint64_t size_bytes = 0;
  uint32_t checksum = 0;
};
// Inflates the stream at the start of `bytes` to nowhere, to learn where it ends. kLimit if it
// makes more than `size_bytes_max`.
Result<DeflateExtent> MeasureDeflate(std::span<const std::byte> bytes, uint64_t base_offset,
                                     uint64_t size_bytes_max);

}  // namespace handrail
