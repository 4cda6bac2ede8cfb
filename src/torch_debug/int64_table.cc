#include "torch_debug/int64_table.h"

namespace handrail {
namespace {

// Keys this many times further apart than their number allows are kept in a tree.
constexpr uint64_t kSparsenessMax = 4;
constexpr uint64_t kSmallSpread = 1024;
// Of a std::map with such rows: three pointers, colour, key and value, and the allocator's share.
constexpr uint64_t kTreeNodeBytes = 64;

}  // namespace

Result<Int64Table> Int64Table::For(const Extent& extent, MemoryBudget& budget,
                                   std::string_view what) {
  Int64Table table;
  table.charge_ = MemoryCharge(budget);
  if (extent.count_ == 0) return table;
  table.low_ = extent.low_;
  const uint64_t last_place = table.PlaceOf(extent.high_);
  if (last_place < kSmallSpread || last_place / kSparsenessMax < extent.count_) {
    HANDRAIL_RETURN_IF_ERROR(table.charge_.Take((last_place + 1) * sizeof(uint32_t), what));
    table.rows_.assign(static_cast<size_t>(last_place + 1), kAbsent);
  } else {
    HANDRAIL_RETURN_IF_ERROR(table.charge_.Take(extent.count_ * kTreeNodeBytes, what));
  }
  return table;
}

}  // namespace handrail
