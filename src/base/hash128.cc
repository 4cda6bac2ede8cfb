#include "handrail/base/hash128.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "handrail/base/byte_cursor.h"
#include "handrail/base/check.h"

namespace handrail {
namespace {

Hash128 FromXxh(XXH128_hash_t hash) {
  return Hash128{hash.high64, hash.low64};
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string Hash128::ToHex() const {
  return fmt::format("{:016x}{:016x}", high, low);
}

std::string Hash128::ToShortHex() const {
  return fmt::format("{:08x}", high >> 32);
}

std::optional<Hash128> Hash128::FromHex(std::string_view hex) {
  if (hex.size() != 32) return std::nullopt;
  Hash128 result;
  for (size_t i = 0; i < 32; ++i) {
    const int digit = HexDigit(hex[i]);
    if (digit < 0) return std::nullopt;
    uint64_t& half = i < 16 ? result.high : result.low;
    half = half << 4 | static_cast<uint64_t>(digit);
  }
  return result;
}

Hash128 HashBytes(std::span<const std::byte> bytes) {
  return FromXxh(XXH3_128bits(bytes.data(), bytes.size()));
}

Hash128 HashBytes(std::string_view bytes) {
  return HashBytes(AsBytes(bytes));
}

FieldHasher::FieldHasher() : state_(XXH3_createState()) {
  HANDRAIL_CHECK(state_ != nullptr);
  XXH3_128bits_reset(static_cast<XXH3_state_t*>(state_));
}

FieldHasher::~FieldHasher() {
  XXH3_freeState(static_cast<XXH3_state_t*>(state_));
}

FieldHasher& FieldHasher::Add(std::span<const std::byte> field) {
  Add(static_cast<uint64_t>(field.size()));
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), field.data(), field.size());
  return *this;
}

FieldHasher& FieldHasher::Add(std::string_view field) {
  return Add(AsBytes(field));
}

FieldHasher& FieldHasher::Add(uint64_t field) {
  // Byte by byte, so that the hash is the same on a big-endian machine.
  std::byte bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(field >> (8 * i));
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), bytes, sizeof(bytes));
  return *this;
}

FieldHasher& FieldHasher::Add(const Hash128& field) {
  return Add(field.high).Add(field.low);
}

Hash128 FieldHasher::Finish() const {
  return FromXxh(XXH3_128bits_digest(static_cast<const XXH3_state_t*>(state_)));
}

}  // namespace handrail
