#include "debug_map/packed_table.h"

#include <random>

#include <gtest/gtest.h>

#include "debug_map/layout.h"

namespace handrail::debug_map {
namespace {

// A table's payload as the body of a map: the checksums are there, so that it can be read.
struct Packed {
  std::vector<std::byte> header;
  std::vector<std::byte> file;
  uint64_t payload_bytes = 0;
  Body body;
  PackedTable table;
};

Packed Pack(const PackedTableWriter& writer, size_t field_count) {
  Packed packed;
  writer.Finish(packed.header, packed.file);
  packed.payload_bytes = packed.file.size();
  for (uint64_t block = 0; block < BlockCount(packed.payload_bytes); ++block) {
    const auto begin = static_cast<size_t>(block * kBlockBytes);
    const size_t size = std::min<size_t>(kBlockBytes, packed.payload_bytes - begin);
    const uint32_t checksum =
        Body::Checksum(std::span<const std::byte>(packed.file).subspan(begin, size), block);
    for (int i = 0; i < 4; ++i) packed.file.push_back(std::byte(checksum >> (8 * i) & 0xff));
  }
  PutBytes(packed.file, AsBytes(kTrailer));
  packed.body = Body(packed.file, packed.payload_bytes);
  auto table = PackedTable::Open(packed.body, packed.header, field_count, 0, packed.payload_bytes);
  EXPECT_TRUE(table) << table.error().message;
  if (table) packed.table = *table;
  return packed;
}

TEST(PackedTable, GivesBackWhatWasPutIn) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 60; ++round) {
    const unsigned widths[3] = {static_cast<unsigned>(random() % 65),
                                static_cast<unsigned>(random() % 65),
                                static_cast<unsigned>(random() % 20)};
    const uint64_t rows = round == 0 ? 0 : random() % 700;
    std::vector<std::array<uint64_t, 3>> expected;
    PackedTableWriter writer(3);
    for (uint64_t i = 0; i < rows; ++i) {
      std::array<uint64_t, 3> row = {random() & LowBits(widths[0]), random() & LowBits(widths[1]),
                                     i + (random() & LowBits(widths[2]))};
      expected.push_back(row);
      writer.Add({row[0], row[1], row[2]});
    }
    const Packed packed = Pack(writer, 3);
    ASSERT_EQ(packed.table.row_count(), rows);
    for (uint64_t i = 0; i < rows; ++i) {
      ASSERT_EQ(packed.table.Row<3>(packed.body, i), expected[i]) << "row " << i;
      ASSERT_EQ(packed.table.Field(packed.body, i, 1), expected[i][1]);
    }
    EXPECT_FALSE(packed.table.Row<3>(packed.body, rows));
  }
}

TEST(PackedTable, ColumnsThatCountUpOrStayTakeNoBits) {
  PackedTableWriter writer(2);
  for (uint64_t i = 0; i < 100'000; ++i) writer.Add({1000 + i, 42});
  const Packed packed = Pack(writer, 2);
  EXPECT_LT(packed.payload_bytes, 2500u);
  EXPECT_EQ(packed.table.Row<2>(packed.body, 77'777), (std::array<uint64_t, 2>{78'777, 42}));
}

TEST(PackedTable, TheLargestNumbersFit) {
  PackedTableWriter writer(1);
  for (const uint64_t value : {UINT64_MAX, uint64_t{0}, UINT64_MAX - 1, UINT64_MAX}) {
    writer.Add({value});
  }
  const Packed packed = Pack(writer, 1);
  EXPECT_EQ(packed.table.Field(packed.body, 0, 0), UINT64_MAX);
  EXPECT_EQ(packed.table.Field(packed.body, 1, 0), 0u);
  EXPECT_EQ(packed.table.Field(packed.body, 2, 0), UINT64_MAX - 1);
}

TEST(PackedTable, BytesAreAsTheFormatSays) {
  // Two fields: 5, 6, 7 counts up; 9, 9, 8 needs one bit.
  PackedTableWriter writer(2);
  writer.Add({5, 9});
  writer.Add({6, 9});
  writer.Add({7, 8});
  std::vector<std::byte> header;
  std::vector<std::byte> payload;
  writer.Finish(header, payload);
  // rows 3, blocks of 2^3, offsets of 0 bits; field 0: bases of 3 bits, widths of 0;
  // field 1: bases of 4 bits, widths of 1.
  const std::vector<int> expected_header = {3, 3, 0, 3, 0, 4, 1};
  // Record: base 7 (111), slope 1; base 8 (0001, low bit first), width 1, slope 0; then to the
  // byte. Rows: 1, 1, 0.
  const std::vector<int> expected_payload = {0b1000'1111, 0b0000'0001, 0b0000'0011};
  const auto numbers = [](const std::vector<std::byte>& bytes) {
    std::vector<int> result;
    for (const std::byte byte : bytes) result.push_back(static_cast<int>(byte));
    return result;
  };
  EXPECT_EQ(numbers(header), expected_header);
  EXPECT_EQ(numbers(payload), expected_payload);
}

TEST(PackedTable, HeadersThatCannotBeAreRefused) {
  const auto message = [](std::vector<int> numbers) {
    std::vector<std::byte> header;
    for (const int number : numbers) header.push_back(std::byte(number));
    const auto table = PackedTable::Open(Body(), header, 1, 0, 0);
    return table ? "opens" : table.error().message;
  };
  EXPECT_EQ(message({}), "offset 0x0: row count: need 1 bytes, have 0");
  EXPECT_EQ(message({0}), "opens");
  EXPECT_EQ(message({5, 17, 0, 0, 0}),
            "block size 2^17 and offset width 0, at most 2^16 and 64 are possible");
  EXPECT_EQ(message({5, 3, 0, 65, 0}), "field 0: widths 65 and 0, at most 64 and 7 are possible");
  EXPECT_EQ(message({5, 3, 0, 8, 0}), "1 blocks need 2 bytes, have 0");
}

}  // namespace
}  // namespace handrail::debug_map
