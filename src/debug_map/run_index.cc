#include "debug_map/run_index.h"

#include <algorithm>

#include <fmt/format.h>

#include "handrail/base/byte_cursor.h"

#include "debug_map/bits.h"

namespace handrail::debug_map {

Result<RunIndex> RunIndex::Open(const Body& body, std::span<const std::byte> header,
                                uint64_t payload_begin, uint64_t payload_bytes) {
  RunIndex index;
  ByteCursor cursor(header);
  HANDRAIL_ASSIGN_OR_RETURN(index.position_count_, cursor.Varint("position count"));
  HANDRAIL_ASSIGN_OR_RETURN(index.run_count_, cursor.Varint("run count"));
  HANDRAIL_ASSIGN_OR_RETURN(index.rank_width_, cursor.U8("rank width"));
  index.payload_begin_ = payload_begin;
  if (index.rank_width_ > 32 || index.position_count_ > UINT32_MAX ||
      index.run_count_ > index.position_count_) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("{} runs of {} positions with ranks of {} bits", index.run_count_,
                            index.position_count_, index.rank_width_));
  }
  if (index.run_count_ == index.position_count_) return index;
  const uint64_t blocks = (index.position_count_ + kRunBlockPositions - 1) / kRunBlockPositions;
  const uint64_t need = (blocks * index.rank_width_ + index.position_count_ + 7) / 8;
  if (need > payload_bytes || payload_begin + payload_bytes > body.size()) {
    return Fail(ErrorCode::kTruncated,
                fmt::format("{} positions need {} bytes, have {}", index.position_count_, need,
                            payload_bytes),
                payload_begin);
  }
  return index;
}

Answer<uint64_t> RunIndex::RowOf(const Body& body, uint64_t position) const {
  if (position >= position_count_) return Damaged(payload_begin_);
  if (run_count_ == position_count_) return position;
  const uint64_t block = position / kRunBlockPositions;
  const uint64_t record = payload_begin_ * 8 + block * (rank_width_ + kRunBlockPositions);
  const uint64_t in_block = position % kRunBlockPositions;
  const uint64_t end_bit = record + rank_width_ + in_block + 1;
  if (!body.IsIntact(record / 8, (end_bit + 7) / 8)) return Damaged(record / 8);
  uint64_t rank = LoadBits(body.data(), record, rank_width_);
  uint64_t bit = record + rank_width_;
  for (; bit + 64 <= end_bit; bit += 64) {
    rank += CountBits(LoadBits(body.data(), bit, 64));
  }
  rank += CountBits(LoadBits(body.data(), bit, static_cast<unsigned>(end_bit - bit)));
  if (rank == 0 || rank > run_count_) return Damaged(record / 8);
  return rank - 1;
}

void WriteRunIndex(const std::vector<bool>& begins_run, std::vector<std::byte>& header,
                   std::vector<std::byte>& payload) {
  const uint64_t run_count =
      static_cast<uint64_t>(std::count(begins_run.begin(), begins_run.end(), true));
  PutVarint(header, begins_run.size());
  PutVarint(header, run_count);
  const unsigned rank_width = BitWidth(run_count);
  header.push_back(static_cast<std::byte>(rank_width));
  if (run_count == begins_run.size()) return;
  BitWriter bits(payload);
  uint64_t rank = 0;
  for (size_t position = 0; position < begins_run.size(); ++position) {
    if (position % kRunBlockPositions == 0) bits.Put(rank, rank_width);
    bits.Put(begins_run[position], 1);
    rank += begins_run[position];
  }
}

}  // namespace handrail::debug_map
