#include <algorithm>

#include "handrail/base/check.h"

#include "debug_map/packed_table.h"

namespace handrail::debug_map {
namespace {

constexpr unsigned kBlockLog2Choices[] = {3, 4, 5, 6, 7, 8};

}  // namespace

struct PackedTableWriter::Block {
  struct Column {
    uint64_t base = 0;
    uint8_t width = 0;
    bool has_slope = false;
  };
  std::array<Column, kFieldsMax> columns;
  unsigned row_bits = 0;
};

std::vector<PackedTableWriter::Block> PackedTableWriter::Plan(unsigned block_log2) const {
  const uint64_t rows = row_count();
  const uint64_t block_rows = uint64_t{1} << block_log2;
  std::vector<Block> blocks(static_cast<size_t>((rows + block_rows - 1) >> block_log2));
  for (uint64_t b = 0; b < blocks.size(); ++b) {
    const uint64_t first = b << block_log2;
    const uint64_t count = std::min(block_rows, rows - first);
    for (size_t f = 0; f < field_count_; ++f) {
      uint64_t low = UINT64_MAX;
      uint64_t high = 0;
      uint64_t sloped_low = UINT64_MAX;
      uint64_t sloped_high = 0;
      bool sloped_fits = true;
      for (uint64_t i = 0; i < count; ++i) {
        const uint64_t value = values_[static_cast<size_t>((first + i) * field_count_) + f];
        const uint64_t sloped = value + (count - 1 - i);
        sloped_fits = sloped_fits && sloped >= value;
        low = std::min(low, value);
        high = std::max(high, value);
        sloped_low = std::min(sloped_low, sloped);
        sloped_high = std::max(sloped_high, sloped);
      }
      Block::Column& column = blocks[b].columns[f];
      const unsigned flat_width = BitWidth(high - low);
      const unsigned sloped_width = BitWidth(sloped_high - sloped_low);
      column.has_slope = sloped_fits && sloped_width < flat_width;
      column.base = column.has_slope ? sloped_low : low;
      column.width = static_cast<uint8_t>(column.has_slope ? sloped_width : flat_width);
      blocks[b].row_bits += column.width;
    }
  }
  return blocks;
}

namespace {

struct RecordLayout {
  unsigned base_width[kFieldsMax] = {};
  unsigned width_width[kFieldsMax] = {};
  unsigned offset_width = 0;
  uint64_t record_bits = 0;
  uint64_t rows_bits = 0;
};

template <typename Blocks>
RecordLayout LayOut(const Blocks& blocks, size_t field_count, unsigned block_log2, uint64_t rows) {
  RecordLayout layout;
  const uint64_t block_rows = uint64_t{1} << block_log2;
  uint64_t last_offset = 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    last_offset = layout.rows_bits;
    layout.rows_bits += blocks[b].row_bits * std::min(block_rows, rows - b * block_rows);
    for (size_t f = 0; f < field_count; ++f) {
      const auto& column = blocks[b].columns[f];
      layout.base_width[f] = std::max(layout.base_width[f], BitWidth(column.base));
      layout.width_width[f] = std::max(layout.width_width[f], BitWidth(column.width));
    }
  }
  layout.offset_width = BitWidth(last_offset);
  for (size_t f = 0; f < field_count; ++f) {
    layout.record_bits += layout.base_width[f] + layout.width_width[f] + 1;
  }
  layout.record_bits += layout.offset_width;
  return layout;
}

}  // namespace

void PackedTableWriter::Finish(std::vector<std::byte>& header,
                               std::vector<std::byte>& payload) const {
  const uint64_t rows = row_count();
  HANDRAIL_CHECK(field_count_ <= kFieldsMax && rows < UINT32_MAX);
  PutVarint(header, rows);
  if (rows == 0) return;
  std::vector<Block> blocks;
  RecordLayout layout;
  unsigned block_log2 = 0;
  uint64_t best_bits = UINT64_MAX;
  for (const unsigned choice : kBlockLog2Choices) {
    std::vector<Block> planned = Plan(choice);
    const RecordLayout planned_layout = LayOut(planned, field_count_, choice, rows);
    const uint64_t bits = planned_layout.record_bits * planned.size() + planned_layout.rows_bits;
    if (bits >= best_bits) continue;
    best_bits = bits;
    blocks = std::move(planned);
    layout = planned_layout;
    block_log2 = choice;
  }
  header.push_back(static_cast<std::byte>(block_log2));
  header.push_back(static_cast<std::byte>(layout.offset_width));
  for (size_t f = 0; f < field_count_; ++f) {
    header.push_back(static_cast<std::byte>(layout.base_width[f]));
    header.push_back(static_cast<std::byte>(layout.width_width[f]));
  }
  BitWriter bits(payload);
  const uint64_t block_rows = uint64_t{1} << block_log2;
  uint64_t offset = 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    for (size_t f = 0; f < field_count_; ++f) {
      const Block::Column& column = blocks[b].columns[f];
      bits.Put(column.base, layout.base_width[f]);
      bits.Put(column.width, layout.width_width[f]);
      bits.Put(column.has_slope, 1);
    }
    bits.Put(offset, layout.offset_width);
    offset += blocks[b].row_bits * std::min(block_rows, rows - b * block_rows);
  }
  bits.AlignToByte();
  for (uint64_t row = 0; row < rows; ++row) {
    const Block& block = blocks[static_cast<size_t>(row >> block_log2)];
    const uint64_t first = row >> block_log2 << block_log2;
    const uint64_t rows_after = std::min(block_rows, rows - first) - 1 - (row - first);
    for (size_t f = 0; f < field_count_; ++f) {
      const Block::Column& column = block.columns[f];
      const uint64_t value = values_[static_cast<size_t>(row * field_count_) + f];
      bits.Put(value + (column.has_slope ? rows_after : 0) - column.base, column.width);
    }
  }
}

}  // namespace handrail::debug_map
