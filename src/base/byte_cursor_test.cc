#include "handrail/base/byte_cursor.h"

#include <gtest/gtest.h>

namespace handrail {
namespace {

std::vector<std::byte> Bytes(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(std::byte(value));
  return bytes;
}

TEST(ByteCursor, ReadsLittleEndian) {
  const auto bytes = Bytes({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  ByteCursor cursor(bytes);
  EXPECT_EQ(cursor.U8("a"), 0x01);
  EXPECT_EQ(cursor.U16("b"), 0x0302);
  EXPECT_EQ(cursor.U32("c"), 0x07060504u);
  EXPECT_EQ(cursor.U64("d"), 0x0f0e0d0c0b0a0908u);
  EXPECT_TRUE(cursor.at_end());
}

TEST(ByteCursor, AShortReadNamesItselfAndMovesNothing) {
  const auto bytes = Bytes({1, 2, 3});
  ByteCursor cursor(bytes, 0x40);
  ASSERT_TRUE(cursor.Skip("gap", 1));
  const auto word = cursor.U32("count");
  ASSERT_FALSE(word);
  EXPECT_EQ(word.error().code, ErrorCode::kTruncated);
  EXPECT_EQ(word.error().offset, 0x41u);
  EXPECT_EQ(word.error().message, "offset 0x41: count: need 4 bytes, have 2");
  EXPECT_EQ(cursor.Take("all of it", UINT64_MAX).error().message,
            "offset 0x41: all of it: need 18446744073709551615 bytes, have 2");
  EXPECT_EQ(cursor.TakeText("rest", 2), std::string_view("\2\3"));
}

TEST(ByteCursor, VarintsHoldSixtyFourBitsAndNoMore) {
  const auto read = [](std::initializer_list<int> values) {
    const auto bytes = Bytes(values);
    return ByteCursor(bytes).Varint("n");
  };
  EXPECT_EQ(read({0}), 0u);
  EXPECT_EQ(read({0xac, 2}), 300u);
  EXPECT_EQ(read({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}), UINT64_MAX);
  EXPECT_EQ(read({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}).error().message,
            "offset 0x0: n: variable-length integer exceeds 64 bits");
  EXPECT_EQ(read({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}).error().code,
            ErrorCode::kCorrupt);
  EXPECT_EQ(read({0x80}).error().message, "offset 0x0: n: need 2 bytes, have 1");
}

}  // namespace
}  // namespace handrail
