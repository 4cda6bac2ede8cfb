// Packed tables: rows of unsigned integers in few bits, each row reachable at once.
//
// Rows are in blocks of 2^block_log2. In a block, field f of row i is
//     base[f] + residual - slope[f] * (rows_in_block - 1 - i)
// with residuals of width[f] bits, so that a column that is constant in a block, or that counts up
// by one, takes no bits a row. (The slope counts from the block's end so that bases stay unsigned.)
//
// Section header (in the directory):
//     varint row_count; and if it is not 0:
//     u8 block_log2, u8 offset_width, then per field: u8 base_width, u8 width_width
// Section payload:
//     one record a block: per field: base (base_width bits), width (width_width), slope (1);
//                         then where the block's rows begin, in bits from the start of the rows
//                         (offset_width)
//     filled up to a whole byte, then the rows: per row its fields' residuals, without gaps.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "handrail/base/byte_cursor.h"
#include "handrail/base/result.h"

#include "debug_map/bits.h"
#include "debug_map/body.h"

namespace handrail::debug_map {

inline constexpr size_t kFieldsMax = 8;
inline constexpr unsigned kBlockLog2Max = 16;

class PackedTable {
 public:
  PackedTable() = default;
  // Reads the header. `payload_begin`/`payload_bytes`: where the payload is in the body.
  static Result<PackedTable> Open(const Body& body, std::span<const std::byte> header,
                                  size_t field_count, uint64_t payload_begin,
                                  uint64_t payload_bytes);

  uint64_t row_count() const { return row_count_; }
  size_t field_count() const { return field_count_; }
  unsigned block_log2() const { return block_log2_; }

  // All N fields of a row; N is the table's field_count. `row` >= row_count() is damage: whoever
  // asks for it read the number in this map.
  template <size_t N>
  Answer<std::array<uint64_t, N>> Row(const Body& body, uint64_t row) const {
    std::array<uint64_t, N> values;
    if (!Read(body, row, values.data(), N)) return Damaged(DamageOffset(row));
    return values;
  }
  Answer<uint64_t> Field(const Body& body, uint64_t row, size_t field) const;
  // Where the row's bits are, for messages and dumps: [first byte, last byte + 1) of the body.
  std::pair<uint64_t, uint64_t> RowBytes(const Body& body, uint64_t row) const;
  uint64_t rows_begin() const { return rows_begin_; }
  uint64_t DamageOffset(uint64_t row) const;

 private:
  struct FieldLayout {
    uint8_t base_width;
    uint8_t width_width;
    uint16_t at_bit;  // within the block's record
  };
  struct BlockFields {
    uint64_t base[kFieldsMax];
    unsigned width[kFieldsMax];
    bool has_slope[kFieldsMax];
    uint64_t row_bits;
    uint64_t first_bit;  // of the block's rows, from the start of the body
  };
  bool ReadBlock(const Body& body, uint64_t block, BlockFields& fields) const;
  bool Read(const Body& body, uint64_t row, uint64_t* values, size_t count) const;
  uint64_t RowsInBlock(uint64_t block) const;

  uint64_t row_count_ = 0;
  uint64_t payload_begin_ = 0;
  uint64_t payload_end_ = 0;
  uint64_t rows_begin_ = 0;  // byte of the body where the rows begin
  uint32_t record_bits_ = 0;
  uint8_t block_log2_ = 0;
  uint8_t offset_width_ = 0;
  uint8_t field_count_ = 0;
  std::array<FieldLayout, kFieldsMax> fields_ = {};
};

// Collects rows and packs them.
class PackedTableWriter {
 public:
  explicit PackedTableWriter(size_t field_count) : field_count_(field_count) {}

  void Reserve(size_t rows) { values_.reserve(rows * field_count_); }
  void Add(std::initializer_list<uint64_t> row) {
    for (const uint64_t value : row) values_.push_back(value);
  }
  uint64_t row_count() const { return values_.size() / field_count_; }

  // Chooses the block size that makes the table smallest. Appends to both.
  void Finish(std::vector<std::byte>& header, std::vector<std::byte>& payload) const;

 private:
  struct Block;
  std::vector<Block> Plan(unsigned block_log2) const;

  size_t field_count_;
  std::vector<uint64_t> values_;  // row after row
};

}  // namespace handrail::debug_map
