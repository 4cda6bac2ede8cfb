#include "archive/inflate.h"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>
#include <zlib.h>

namespace handrail {
namespace {

// zlib counts in 32 bits: longer runs go in pieces.
constexpr size_t kPieceBytesMax = std::numeric_limits<uInt>::max();

Bytef* ZlibBytes(std::byte* bytes) {
  return reinterpret_cast<Bytef*>(bytes);
}
// zlib's next_in is not const unless ZLIB_CONST is defined; it is only read.
Bytef* ZlibBytes(const std::byte* bytes) {
  return ZlibBytes(const_cast<std::byte*>(bytes));
}

// One inflation: input and output go in step by step, and zlib's state is freed on every way out.
class Inflater {
 public:
  Inflater(std::span<const std::byte> input, uint64_t base_offset)
      : input_(input), base_offset_(base_offset) {
    // Negative: a raw stream, without zlib's header.
    is_ready_ = inflateInit2(&stream_, -MAX_WBITS) == Z_OK;
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (is_ready_) inflateEnd(&stream_);
  }

  bool at_end() const { return at_end_; }
  uint64_t read_bytes() const { return read_bytes_; }

  // Makes up to output.size() bytes; fewer only at the stream's end. Returns how many.
  Result<size_t> Next(std::span<std::byte> output) {
    if (!is_ready_) return Fail(ErrorCode::kLimit, "zlib has no memory to inflate with");
    size_t made = 0;
    while (!at_end_) {
      const auto piece_in = static_cast<uInt>(
          std::min(kPieceBytesMax, input_.size() - static_cast<size_t>(read_bytes_)));
      const auto piece_out = static_cast<uInt>(std::min(kPieceBytesMax, output.size() - made));
      stream_.next_in = ZlibBytes(input_.data() + read_bytes_);
      stream_.avail_in = piece_in;
      stream_.next_out = ZlibBytes(output.data() + made);
      stream_.avail_out = piece_out;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      read_bytes_ += piece_in - stream_.avail_in;
      made += piece_out - stream_.avail_out;
      if (status == Z_STREAM_END) {
        at_end_ = true;
      } else if (status == Z_OK || status == Z_BUF_ERROR) {
        if (made == output.size()) break;
        if (read_bytes_ == input_.size()) {
          return Fail(ErrorCode::kTruncated,
                      fmt::format("offset {:#x}: deflated data ends before its last block",
                                  base_offset_ + read_bytes_),
                      base_offset_ + read_bytes_);
        }
      } else {
        return Fail(ErrorCode::kCorrupt,
                    fmt::format("offset {:#x}: deflated data: {}", base_offset_ + read_bytes_,
                                stream_.msg != nullptr ? stream_.msg : "cannot be inflated"),
                    base_offset_ + read_bytes_);
      }
    }
    return made;
  }

 private:
  std::span<const std::byte> input_;
  uint64_t base_offset_;
  uint64_t read_bytes_ = 0;
  z_stream stream_{};
  bool is_ready_ = false;
  bool at_end_ = false;
};

}  // namespace

Status Inflate(std::span<const std::byte> stored, uint64_t base_offset,
               std::span<std::byte> content) {
  Inflater inflater(stored, base_offset);
  HANDRAIL_ASSIGN_OR_RETURN(const size_t made, inflater.Next(content));
  if (made < content.size()) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("offset {:#x}: deflated data: need {} bytes, have "
                            "{}",
                            base_offset, content.size(), made),
                base_offset);
  }
  // The stream's end may still be ahead when the content is complete.
  std::array<std::byte, 1> beyond;
  HANDRAIL_ASSIGN_OR_RETURN(const size_t surplus, inflater.Next(beyond));
  if (surplus > 0 || !inflater.at_end()) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("offset {:#x}: deflated data: need {} bytes, have more", base_offset,
                            content.size()),
                base_offset);
  }
  if (inflater.read_bytes() != stored.size()) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("offset {:#x}: deflated data: ends after {} of {} stored bytes",
                            base_offset, inflater.read_bytes(), stored.size()),
                base_offset);
  }
  return {};
}

Result<DeflateExtent> MeasureDeflate(std::span<const std::byte> bytes, uint64_t base_offset,
                                     uint64_t size_bytes_max) {
  Inflater inflater(bytes, base_offset);
  DeflateExtent extent;
  uLong checksum = crc32_z(0, nullptr, 0);
  std::array<std::byte, 16384> piece;
  while (!inflater.at_end()) {
    HANDRAIL_ASSIGN_OR_RETURN(const size_t made, inflater.Next(piece));
    extent.size_bytes += made;
    if (extent.size_bytes > size_bytes_max) {
      return Fail(ErrorCode::kLimit,
                  fmt::format("offset {:#x}: deflated data makes more than {} bytes", base_offset,
                              size_bytes_max),
                  base_offset);
    }
    checksum = crc32_z(checksum, ZlibBytes(piece.data()), made);
  }
  extent.stored_size_bytes = inflater.read_bytes();
  extent.checksum = static_cast<uint32_t>(checksum);
  return extent;
}

}  // namespace handrail
