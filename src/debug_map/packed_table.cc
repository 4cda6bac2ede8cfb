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
    field.at_bit = static_cast<uint16_t>(record_bits);
    record_bits += field.base_width + field.width_width + 1u;
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

uint64_t PackedTable::RowsInBlock(uint64_t block) const {
  const uint64_t first = block << block_log2_;
  return std::min(uint64_t{1} << block_log2_, row_count_ - first);
}

uint64_t PackedTable::DamageOffset(uint64_t row) const {
  if (row >= row_count_) return payload_begin_;
  return payload_begin_ + (row >> block_log2_) * record_bits_ / 8;
}

bool PackedTable::ReadBlock(const Body& body, uint64_t block, BlockFields& fields) const {
  const uint64_t record_bit = payload_begin_ * 8 + block * record_bits_;
  if (!body.IsIntact(record_bit / 8, (record_bit + record_bits_ + 7) / 8)) return false;
  uint64_t row_bits = 0;
  for (size_t f = 0; f < field_count_; ++f) {
    const FieldLayout& layout = fields_[f];
    const uint64_t at = record_bit + layout.at_bit;
    fields.base[f] = LoadBits(body.data(), at, layout.base_width);
    const uint64_t tail = LoadBits(body.data(), at + layout.base_width, layout.width_width + 1u);
    const auto width = static_cast<unsigned>(tail & LowBits(layout.width_width));
    if (width > 64) return false;
    fields.width[f] = width;
    fields.has_slope[f] = tail >> layout.width_width != 0;
    row_bits += width;
  }
  const uint64_t offset =
      LoadBits(body.data(), record_bit + record_bits_ - offset_width_, offset_width_);
  const uint64_t room = (payload_end_ - rows_begin_) * 8;
  if (offset > room || row_bits * RowsInBlock(block) > room - offset) return false;
  fields.row_bits = row_bits;
  fields.first_bit = rows_begin_ * 8 + offset;
  return true;
}

bool PackedTable::Read(const Body& body, uint64_t row, uint64_t* values, size_t count) const {
  if (row >= row_count_) return false;
  const uint64_t block = row >> block_log2_;
  BlockFields fields;
  if (!ReadBlock(body, block, fields)) return false;
  const uint64_t in_block = row - (block << block_log2_);
  uint64_t bit = fields.first_bit + in_block * fields.row_bits;
  if (!body.IsIntact(bit / 8, (bit + fields.row_bits + 7) / 8)) return false;
  const uint64_t rows_after = RowsInBlock(block) - 1 - in_block;
  for (size_t f = 0; f < count; ++f) {
    uint64_t value = fields.base[f] + LoadBits(body.data(), bit, fields.width[f]);
    if (fields.has_slope[f]) value -= rows_after;
    values[f] = value;
    bit += fields.width[f];
  }
  return true;
}

Answer<uint64_t> PackedTable::Field(const Body& body, uint64_t row, size_t field) const {
  uint64_t values[kFieldsMax];
  if (!Read(body, row, values, field + 1)) return Damaged(DamageOffset(row));
  return values[field];
}

std::pair<uint64_t, uint64_t> PackedTable::RowBytes(const Body& body, uint64_t row) const {
  BlockFields fields;
  if (row >= row_count_ || !ReadBlock(body, row >> block_log2_, fields)) return {0, 0};
  const uint64_t in_block = row - (row >> block_log2_ << block_log2_);
  const uint64_t bit = fields.first_bit + in_block * fields.row_bits;
  return {bit / 8, (bit + fields.row_bits + 7) / 8};
}

}  // namespace handrail::debug_map
