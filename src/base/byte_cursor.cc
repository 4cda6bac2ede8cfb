#include "handrail/base/byte_cursor.h"

#include <fmt/format.h>

namespace handrail {

tl::unexpected<Error> ByteCursor::Short(std::string_view what, uint64_t size_bytes) const {
  return Fail(ErrorCode::kTruncated,
              fmt::format("offset {:#x}: {}: need {} bytes, have {}", offset(), what, size_bytes,
                          remaining()),
              offset());
}

template <typename T>
Result<T> ByteCursor::Fixed(std::string_view what) {
  if (remaining() < sizeof(T)) return Short(what, sizeof(T));
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | static_cast<T>(bytes_[position_ + i]) << (8 * i));
  }
  position_ += sizeof(T);
  return value;
}

Result<uint8_t> ByteCursor::U8(std::string_view what) {
  return Fixed<uint8_t>(what);
}
Result<uint16_t> ByteCursor::U16(std::string_view what) {
  return Fixed<uint16_t>(what);
}
Result<uint32_t> ByteCursor::U32(std::string_view what) {
  return Fixed<uint32_t>(what);
}
Result<uint64_t> ByteCursor::U64(std::string_view what) {
  return Fixed<uint64_t>(what);
}

Result<uint64_t> ByteCursor::Varint(std::string_view what) {
  uint64_t value = 0;
  size_t position = position_;
  for (unsigned shift = 0;; shift += 7) {
    if (position == bytes_.size()) return Short(what, position - position_ + 1);
    const auto byte = static_cast<uint64_t>(bytes_[position++]);
    const uint64_t bits = byte & 0x7f;
    if (shift == 63 && (bits > 1 || (byte & 0x80) != 0)) {
      return Fail(
          ErrorCode::kCorrupt,
          fmt::format("offset {:#x}: {}: variable-length integer exceeds 64 bits", offset(), what),
          offset());
    }
    value |= bits << shift;
    if ((byte & 0x80) == 0) break;
  }
  position_ = position;
  return value;
}

Result<std::span<const std::byte>> ByteCursor::Take(std::string_view what, uint64_t size_bytes) {
  if (size_bytes > remaining()) return Short(what, size_bytes);
  const auto taken = bytes_.subspan(position_, static_cast<size_t>(size_bytes));
  position_ += static_cast<size_t>(size_bytes);
  return taken;
}

Result<std::string_view> ByteCursor::TakeText(std::string_view what, uint64_t size_bytes) {
  HANDRAIL_ASSIGN_OR_RETURN(const auto bytes, Take(what, size_bytes));
  return AsText(bytes);
}

Status ByteCursor::Skip(std::string_view what, uint64_t size_bytes) {
  HANDRAIL_RETURN_IF_ERROR(Take(what, size_bytes));
  return {};
}

}  // namespace handrail
