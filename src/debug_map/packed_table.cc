#include "debug_map/packed_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace handrail::debug_map {

Result<PackedTable> PackedTable::Open(const Body& body, std::span<const std::byte> header,
                                      size_t field_count, uint64_t payload_begin,
                                      uint64_t payload_bytes) {
  PackedTable table;
  table.field_count_ = static_cast<uint8_t>(field_count);
  table.payload_begin_ = payload_begin;
  table.payload_end_ = payload_begin + payload_bytes;
  ByteCursor cursor(header);
  HANDRAIL_ASSIGN_OR_RETURN(table.row_count_, cursor.Varint("row count"));
  if (table.row_count_ == 0) return table;
  if (table.row_count_ > UINT32_MAX - 1) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("{} rows, at most 2^32-2 are possible", table.row_count_));
  }
  HANDRAIL_ASSIGN_OR_RETURN(table.block_log2_, cursor.U8("block size"));
  HANDRAIL_ASSIGN_OR_RETURN(table.offset_width_, cursor.U8("offset width"));
  if (table.block_log2_ > kBlockLog2Max || table.offset_width_ > 64) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("block size 2^{} and offset width {}, at most 2^{} and 64 are possible",
                            table.block_log2_, table.offset_width_, kBlockLog2Max));
  }
  uint32_t record_bits = 0;
  for (size_t f = 0; f < field_count; ++f) {
    FieldLayout& field = table.fields_[f];
    HANDRAIL_ASSIGN_OR_RETURN(field.base_width, cursor.U8("base width"));
    HANDRAIL_ASSIGN_OR_RETURN(field.width_width, cursor.U8("width of a width"));
    if (field.base_width > 64 || field.width_width > 7) {
      return Fail(ErrorCode::kCorrupt,
                  fmt::format("field {}: widths {} and {}, at most 64 and 7 are possible", f,
                              field.base_width, field.width_width));
    }
    const uint32_t bits = field.base_width + field.width_width + 1u;
    field.at_bit = record_bits;
    field.base_mask = LowBits(field.base_width);
    field.width_mask = static_cast<uint8_t>(LowBits(field.width_width));
    field.is_one_load = bits <= kOneLoadBits;
    record_bits += bits;
  }
  table.record_bits_ = record_bits + table.offset_width_;
  const uint64_t blocks = ((table.row_count_ - 1) >> table.block_log2_) + 1;
  const uint64_t records_bytes = (blocks * table.record_bits_ + 7) / 8;
  if (records_bytes > payload_bytes || payload_begin + payload_bytes > body.size()) {
    return Fail(
        ErrorCode::kTruncated,
        fmt::format("{} blocks need {} bytes, have {}", blocks, records_bytes, payload_bytes),
        payload_begin);
  }
  table.rows_begin_ = payload_begin + records_bytes;
  return table;
}

uint64_t PackedTable::DamageOffset(uint64_t row) const {
  if (row >= row_count_) return payload_begin_;
  return payload_begin_ + (row >> block_log2_) * record_bits_ / 8;
}

Answer<uint64_t> PackedTable::Field(const Body& body, uint64_t row, size_t field) const {
  Block block;
  if (row >= row_count_ || !FindBlock(body, row, block)) return Damaged(DamageOffset(row));
  Column wanted = {};
  uint64_t bits_before = 0;
  uint64_t row_bits = 0;
  for (size_t f = 0; f < field_count_; ++f) {
    const Column column = ColumnOf(body, block, f);
    if (f == field) {
      wanted = column;
      bits_before = row_bits;
    }
    row_bits += column.width;
  }
  const uint64_t bit = rows_begin_ * 8 + block.rows_offset + block.row_in_block * row_bits;
  if (!IsRowThere(body, block, row_bits, bit) || wanted.width > 64) {
    return Damaged(DamageOffset(row));
  }
  return wanted.base - (wanted.has_slope ? block.rows_after : 0) +
         LoadBits(body.data(), bit + bits_before, wanted.width);
}

}  // namespace handrail::debug_map
