// A 128-bit value that names something by its content: build ids, unit keys, digests.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace handrail {

struct Hash128 {
  uint64_t high = 0;
  uint64_t low = 0;

  constexpr bool is_zero() const { return high == 0 && low == 0; }
  friend constexpr bool operator==(const Hash128&, const Hash128&) = default;
  friend constexpr auto operator<=>(const Hash128&, const Hash128&) = default;

  // 32 lower-case hexadecimal digits, most significant first.
  std::string ToHex() const;
  // The first 8 of those digits: finds candidates, never decides alone.
  std::string ToShortHex() const;
  // Inverse of ToHex. Anything but exactly 32 hexadecimal digits is nothing.
  static std::optional<Hash128> FromHex(std::string_view hex);
};

// XXH3-128 of one run of bytes (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md).
Hash128 HashBytes(std::span<const std::byte> bytes);
Hash128 HashBytes(std::string_view bytes);

// Hashes a sequence of fields. Each field is preceded by its length, so that ("ab", "c") and
// ("a", "bc") differ. The result depends on the fields and their order, and on nothing else.
class FieldHasher {
 public:
  FieldHasher();
  FieldHasher(const FieldHasher&) = delete;
  FieldHasher& operator=(const FieldHasher&) = delete;
  ~FieldHasher();

  FieldHasher& Add(std::string_view field);
  FieldHasher& Add(std::span<const std::byte> field);
  FieldHasher& Add(uint64_t field);
  FieldHasher& Add(const Hash128& field);
  Hash128 Finish() const;

 private:
  void* state_;  // XXH3_state_t, owned
};

}  // namespace handrail
