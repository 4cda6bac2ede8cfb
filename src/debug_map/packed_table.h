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

#include <algorithm>
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

  // The first N fields of a row; N is at most field_count(). `row` >= row_count() is damage:
  // whoever asks for it read the number in this map.
  template <size_t N>
  Answer<std::array<uint64_t, N>> Row(const Body& body, uint64_t row) const {
    std::array<uint64_t, N> values;
    if (!Read(body, row, values)) return Damaged(DamageOffset(row));
    return values;
  }
  // The same for the paths of look-ups: false is damage, at DamageOffset(row).
  template <size_t N>
  bool Read(const Body& body, uint64_t row, std::array<uint64_t, N>& values) const {
    Block block;
    if (row >= row_count_ || !FindBlock(body, row, block)) return false;
    std::array<unsigned, N> widths;
    uint64_t row_bits = 0;
    for (size_t f = 0; f < N; ++f) {
      const Column column = ColumnOf(body, block, f);
      values[f] = column.base - (column.has_slope ? block.rows_after : 0);
      widths[f] = column.width;
      row_bits += column.width;
    }
    for (size_t f = N; f < field_count_; ++f) row_bits += ColumnOf(body, block, f).width;
    uint64_t bit = rows_begin_ * 8 + block.rows_offset + block.row_in_block * row_bits;
    if (!IsRowThere(body, block, row_bits, bit)) return false;
    if (row_bits <= kOneLoadBits) {
      // The usual case: all residuals are in one word.
      uint64_t word = LoadWord(body.data(), bit);
      for (size_t f = 0; f < N; ++f) {
        values[f] += word & ~(UINT64_MAX << widths[f]);
        word >>= widths[f];
      }
      return true;
    }
    for (size_t f = 0; f < N; ++f) {
      if (widths[f] > 64) return false;
      values[f] += LoadBits(body.data(), bit, widths[f]);
      bit += widths[f];
    }
    return true;
  }
  Answer<uint64_t> Field(const Body& body, uint64_t row, size_t field) const;
  uint64_t rows_begin() const { return rows_begin_; }
  // A place in the body near the row, for messages.
  uint64_t DamageOffset(uint64_t row) const;

 private:
  struct FieldLayout {
    uint64_t base_mask;
    uint8_t width_mask;
    uint32_t at_bit;  // within the block's record
    uint8_t base_width;
    uint8_t width_width;
    bool is_one_load;  // base, width and slope fit in one word
  };
  // A block, as far as one of its rows needs it.
  struct Block {
    uint64_t record_bit;   // from the start of the body
    uint64_t rows_offset;  // bits from the start of the rows
    uint64_t row_in_block;
    uint64_t rows_after;  // in the block, after the row
  };
  struct Column {
    uint64_t base;
    unsigned width;
    bool has_slope;
  };
  bool FindBlock(const Body& body, uint64_t row, Block& block) const {
    const uint64_t number = row >> block_log2_;
    block.record_bit = payload_begin_ * 8 + number * record_bits_;
    if (!body.IsIntact(block.record_bit / 8, (block.record_bit + record_bits_ + 7) / 8)) {
      return false;
    }
    const uint64_t first = number << block_log2_;
    const uint64_t rows = std::min(uint64_t{1} << block_log2_, row_count_ - first);
    block.row_in_block = row - first;
    block.rows_after = rows - 1 - block.row_in_block;
    block.rows_offset =
        LoadBits(body.data(), block.record_bit + record_bits_ - offset_width_, offset_width_);
    return true;
  }
  Column ColumnOf(const Body& body, const Block& block, size_t field) const {
    const FieldLayout& layout = fields_[field];
    const uint64_t at = block.record_bit + layout.at_bit;
    Column column;
    uint64_t tail;
    if (layout.is_one_load) {
      const uint64_t word = LoadWord(body.data(), at);
      column.base = word & layout.base_mask;
      tail = word >> layout.base_width;
    } else {
      column.base = LoadBits(body.data(), at, layout.base_width);
      tail = LoadWord(body.data(), at + layout.base_width);
    }
    // Wider than 64 is damage, which IsRowThere finds since no row is that long.
    column.width = static_cast<unsigned>(tail & layout.width_mask);
    column.has_slope = (tail >> layout.width_width & 1) != 0;
    return column;
  }
  bool IsRowThere(const Body& body, const Block& block, uint64_t row_bits, uint64_t bit) const {
    const uint64_t room = (payload_end_ - rows_begin_) * 8;
    const uint64_t rows = block.row_in_block + block.rows_after + 1;
    if (block.rows_offset > room || row_bits * rows > room - block.rows_offset) return false;
    if (row_bits > kRowBitsMax) return false;
    return body.IsIntact(bit / 8, (bit + row_bits + 7) / 8);
  }
  static constexpr uint64_t kRowBitsMax = 64 * kFieldsMax;

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
