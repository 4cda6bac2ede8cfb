// Bit-packed integers: the loads of the reader and the stores of the writer.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace handrail::debug_map {

// How many bits it takes to write `value`; 0 for 0.
constexpr unsigned BitWidth(uint64_t value) {
  return static_cast<unsigned>(std::bit_width(value));
}

constexpr uint64_t LowBits(unsigned width) {
  return width >= 64 ? UINT64_MAX : (uint64_t{1} << width) - 1;
}

// Bytes that a load may touch beyond the last byte that holds bits of the value. What follows the
// body of a debug map (a checksum and the trailer) is at least as long.
inline constexpr size_t kLoadSlackBytes = 8;

// Bits that one load always has, wherever in a byte the first of them is.
inline constexpr unsigned kOneLoadBits = 57;

// The bits from bit `bit` of `base`, at least kOneLoadBits of them; the rest may be anything.
inline uint64_t LoadWord(const std::byte* base, uint64_t bit) {
  uint64_t word;
  std::memcpy(&word, base + (bit >> 3), sizeof(word));
  return word >> (bit & 7);
}

// std::popcount is a call on processors without the instruction that we may assume.
constexpr uint64_t CountBits(uint64_t word) {
  word -= (word >> 1) & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return (word * 0x0101010101010101u) >> 56;
}

// The `width` (0 to 64) bits from bit `bit` of `base`. The caller has checked that the bits are
// there and that kLoadSlackBytes may be read beyond them.
inline uint64_t LoadBits(const std::byte* base, uint64_t bit, unsigned width) {
  const std::byte* at = base + (bit >> 3);
  const unsigned shift = bit & 7;
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  word >>= shift;
  if (shift + width > 64) {
    word |= static_cast<uint64_t>(at[8]) << (64 - shift);
  }
  return word & LowBits(width);
}

// Appends bit fields to a byte vector.
class BitWriter {
 public:
  explicit BitWriter(std::vector<std::byte>& out) : out_(out) {}

  // `value` must fit in `width` (0 to 64) bits.
  void Put(uint64_t value, unsigned width) {
    while (width > 0) {
      if (used_ == 0) out_.push_back(std::byte{0});
      const unsigned room = 8 - used_;
      const unsigned taken = width < room ? width : room;
      out_.back() |= static_cast<std::byte>((value & LowBits(taken)) << used_);
      value >>= taken;
      width -= taken;
      used_ = (used_ + taken) & 7;
    }
  }
  // The next Put begins a new byte.
  void AlignToByte() { used_ = 0; }

 private:
  std::vector<std::byte>& out_;
  unsigned used_ = 0;  // bits of the last byte that are taken; 0: none is open
};

inline void PutBytes(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  const size_t begin = out.size();
  out.resize(begin + bytes.size());
  if (!bytes.empty()) std::memcpy(out.data() + begin, bytes.data(), bytes.size());
}

inline void PutVarint(std::vector<std::byte>& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

constexpr uint64_t VarintBytes(uint64_t value) {
  uint64_t bytes = 1;
  for (; value >= 0x80; value >>= 7) ++bytes;
  return bytes;
}

}  // namespace handrail::debug_map
