// The one way through untrusted bytes: a cursor that cannot overrun, misalign or overflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "handrail/base/result.h"

namespace handrail {

// Reads forward through `bytes`, little-endian unless said otherwise. Every read names what it
// wants, and a read that does not fit fails with kTruncated, "offset 0x48: <what>: need 8 bytes,
// have 3", and moves nothing. Does not own the bytes. Messages do not name the input: the caller
// adds that with Error::In.
class ByteCursor {
 public:
  // `base_offset` is where `bytes` begins in the input, so that messages name the input's offsets.
  explicit ByteCursor(std::span<const std::byte> bytes, uint64_t base_offset = 0)
      : bytes_(bytes), base_offset_(base_offset) {}

  uint64_t offset() const { return base_offset_ + position_; }
  size_t remaining() const { return bytes_.size() - position_; }
  bool at_end() const { return position_ == bytes_.size(); }

  Result<uint8_t> U8(std::string_view what);
  Result<uint16_t> U16(std::string_view what);
  Result<uint32_t> U32(std::string_view what);
  Result<uint64_t> U64(std::string_view what);
  // LEB128, at most 10 bytes, no bits beyond 64 (kCorrupt).
  Result<uint64_t> Varint(std::string_view what);
  // The next `size_bytes` bytes, as a view.
  Result<std::span<const std::byte>> Take(std::string_view what, uint64_t size_bytes);
  Result<std::string_view> TakeText(std::string_view what, uint64_t size_bytes);
  Status Skip(std::string_view what, uint64_t size_bytes);

 private:
  tl::unexpected<Error> Short(std::string_view what, uint64_t size_bytes) const;
  template <typename T>
  Result<T> Fixed(std::string_view what);

  std::span<const std::byte> bytes_;
  uint64_t base_offset_;
  size_t position_ = 0;
};

// A view of bytes as text and back; no copy.
inline std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace handrail
