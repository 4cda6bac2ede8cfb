// Which row of ROWS a position has: consecutive positions with equal rows are a run, and store it
// once.
//
// Section header: varint position_count, varint run_count, u8 rank_width.
// Section payload: one record per kRunBlockPositions positions: how many runs begin before them
// (rank_width bits), then one bit a position: it begins a run. The last record ends with the last
// position. If every position begins a run, there is no payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "handrail/base/result.h"

#include "debug_map/body.h"

namespace handrail::debug_map {

class RunIndex {
 public:
  RunIndex() = default;
  static Result<RunIndex> Open(const Body& body, std::span<const std::byte> header,
                               uint64_t payload_begin, uint64_t payload_bytes);

  uint64_t position_count() const { return position_count_; }
  uint64_t run_count() const { return run_count_; }
  // The row of a position; `position` >= position_count() is damage.
  Answer<uint64_t> RowOf(const Body& body, uint64_t position) const;

 private:
  uint64_t position_count_ = 0;
  uint64_t run_count_ = 0;
  uint64_t payload_begin_ = 0;
  unsigned rank_width_ = 0;
};

// `begins_run`: one flag a position; the first is set.
void WriteRunIndex(const std::vector<bool>& begins_run, std::vector<std::byte>& header,
                   std::vector<std::byte>& payload);

}  // namespace handrail::debug_map
