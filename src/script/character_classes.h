// What single bytes of a script may be, independent of the locale.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace handrail::script {

inline constexpr std::string_view kTypeCommentPrefix = "# type:";

namespace internal {

inline constexpr uint8_t kBlankBit = 1;
inline constexpr uint8_t kDigitBit = 2;
inline constexpr uint8_t kHexBit = 4;
inline constexpr uint8_t kNameStartBit = 8;

inline constexpr auto kCharacterBits = [] {
  std::array<uint8_t, 256> bits{};
  // White space other than the line break. A line may end with "\r\n".
  for (const char c : {' ', '\t', '\r', '\f', '\v'}) bits[static_cast<uint8_t>(c)] = kBlankBit;
  for (char c = '0'; c <= '9'; ++c) bits[static_cast<uint8_t>(c)] = kDigitBit | kHexBit;
  for (char c = 'a'; c <= 'z'; ++c) bits[static_cast<uint8_t>(c)] = kNameStartBit;
  for (char c = 'A'; c <= 'Z'; ++c) bits[static_cast<uint8_t>(c)] = kNameStartBit;
  for (const char c : {'a', 'b', 'c', 'd', 'e', 'f', 'A', 'B', 'C', 'D', 'E', 'F'}) {
    bits[static_cast<uint8_t>(c)] |= kHexBit;
  }
  bits['_'] = kNameStartBit;
  // Any character outside ASCII may be in a name.
  for (size_t byte = 0x80; byte < 0x100; ++byte) bits[byte] = kNameStartBit;
  return bits;
}();

constexpr bool HasBits(char c, uint8_t bits) {
  return (kCharacterBits[static_cast<uint8_t>(c)] & bits) != 0;
}

}  // namespace internal

constexpr bool IsBlank(char c) {
  return internal::HasBits(c, internal::kBlankBit);
}
constexpr bool IsDigit(char c) {
  return internal::HasBits(c, internal::kDigitBit);
}
constexpr bool IsHexDigit(char c) {
  return internal::HasBits(c, internal::kHexBit);
}
constexpr bool IsNameStart(char c) {
  return internal::HasBits(c, internal::kNameStartBit);
}
constexpr bool IsNamePart(char c) {
  return internal::HasBits(c, internal::kNameStartBit | internal::kDigitBit);
}
constexpr bool IsAscii(char c) {
  return static_cast<uint8_t>(c) < 0x80;
}
constexpr bool IsUtf8Continuation(char c) {
  return (static_cast<uint8_t>(c) & 0xc0) == 0x80;
}

// Length of the well-formed UTF-8 sequence at the start of `text`, which must not be empty, or 0.
// Overlong forms, surrogates and what lies beyond U+10FFFF are not well formed.
constexpr size_t Utf8SequenceLength(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  size_t length = 0;
  if (lead < 0x80) length = 1;
  if (lead >= 0xc2 && lead <= 0xdf) length = 2;
  if (lead >= 0xe0 && lead <= 0xef) length = 3;
  if (lead >= 0xf0 && lead <= 0xf4) length = 4;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!IsUtf8Continuation(text[i])) return 0;
  }
  const auto second = length > 1 ? static_cast<uint8_t>(text[1]) : uint8_t{0};
  const bool is_ill_formed = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                             (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  return is_ill_formed ? 0 : length;
}

}  // namespace handrail::script
