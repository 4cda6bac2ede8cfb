#include "handrail/base/hash128.h"

#include <cstring>

#include <gtest/gtest.h>

namespace handrail {
namespace {

TEST(Hash128, HexIsMostSignificantFirstAndComesBack) {
  const Hash128 hash{0x0123456789abcdef, 0xfedcba9876543210};
  EXPECT_EQ(hash.ToHex(), "0123456789abcdeffedcba9876543210");
  EXPECT_EQ(hash.ToShortHex(), "01234567");
  EXPECT_EQ(Hash128::FromHex(hash.ToHex()), hash);
  EXPECT_EQ(Hash128::FromHex("0123456789ABCDEFFEDCBA9876543210"), hash);
  EXPECT_FALSE(Hash128::FromHex("0123"));
  EXPECT_FALSE(Hash128::FromHex("0123456789abcdeffedcba987654321g"));
}

TEST(Hash128, IsXxh3) {
  // The value that the specification gives for no bytes.
  EXPECT_EQ(HashBytes(std::string_view()).ToHex(), "99aa06d3014798d86001c324468d497f");
}

TEST(FieldHasher, FieldsDoNotRunIntoEachOther) {
  const auto hash = [](std::string_view a, std::string_view b) {
    return FieldHasher().Add(a).Add(b).Finish();
  };
  EXPECT_NE(hash("ab", "c"), hash("a", "bc"));
  EXPECT_NE(hash("ab", ""), hash("", "ab"));
  EXPECT_EQ(hash("ab", "c"), hash("ab", "c"));
  // The bytes that are hashed: each field after its length, little-endian.
  const std::string_view bytes("\2\0\0\0\0\0\0\0ab\1\0\0\0\0\0\0\0c", 19);
  EXPECT_EQ(hash("ab", "c"), HashBytes(bytes));
}

}  // namespace
}  // namespace handrail
