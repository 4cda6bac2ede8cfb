// int64 -> a place in an array, for the numbers that PyTorch counts up: tags and handles. They lie
// close together in every honest file, and then the place is the distance from the smallest; in
// other files it is found by binary search, so that no choice of numbers makes it slow or large.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "handrail/base/limits.h"
#include "handrail/base/result.h"

#include "archive/memory_budget.h"

namespace handrail {

class Int64Index {
 public:
  static constexpr uint32_t kAbsent = UINT32_MAX;

  // No keys.
  Int64Index() = default;

  // An index of the keys that `for_each_key(add)` passes to `add`, in any order, equal ones any
  // number of times; it may be asked twice. `row_bytes` is what the caller keeps for each place.
  // Fails with kLimit if `budget`, which must outlive the index, has too little left for both;
  // `what` is for that message.
  template <typename ForEachKey>
  static Result<Int64Index> Of(ForEachKey&& for_each_key, uint64_t row_bytes, MemoryBudget& budget,
                               std::string_view what);

  // Places ascend with their keys. A place may have a key that was not passed.
  uint32_t place_count() const { return place_count_; }
  int64_t KeyAt(uint32_t place) const {
    return keys_.empty() ? static_cast<int64_t>(static_cast<uint64_t>(low_) + place) : keys_[place];
  }
  // The key's place, or kAbsent.
  uint32_t PlaceOf(int64_t key) const {
    if (keys_.empty()) {
      const uint64_t place = static_cast<uint64_t>(key) - static_cast<uint64_t>(low_);
      return place < place_count_ ? static_cast<uint32_t>(place) : kAbsent;
    }
    const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
    if (found == keys_.end() || *found != key) return kAbsent;
    return static_cast<uint32_t>(found - keys_.begin());
  }

 private:
  // Keys this many times further apart than their number allows are searched.
  static constexpr uint64_t kSparsenessMax = 4;
  static constexpr uint64_t kSmallSpread = 1024;

  static bool IsDense(uint64_t spread, uint64_t count) {
    return spread < kSmallSpread || spread / kSparsenessMax < count;
  }

  int64_t low_ = 0;
  uint32_t place_count_ = 0;
  std::vector<int64_t> keys_;  // ascending; empty: places are distances from low_
  MemoryCharge charge_;
};

template <typename ForEachKey>
Result<Int64Index> Int64Index::Of(ForEachKey&& for_each_key, uint64_t row_bytes,
                                  MemoryBudget& budget, std::string_view what) {
  Int64Index index;
  index.charge_ = MemoryCharge(budget);
  int64_t low = INT64_MAX;
  int64_t high = INT64_MIN;
  uint64_t count = 0;
  for_each_key([&](int64_t key) {
    low = std::min(low, key);
    high = std::max(high, key);
    ++count;
  });
  if (count == 0) return index;
  const uint64_t spread = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const bool is_dense = IsDense(spread, count);
  const uint64_t place_count = is_dense ? spread + 1 : count;
  if (place_count > limits::kRowsMax) {
    return Fail(ErrorCode::kLimit, std::string(what) + ": need fewer than 2^32 of them");
  }
  HANDRAIL_RETURN_IF_ERROR(
      index.charge_.Take(place_count * (row_bytes + (is_dense ? 0 : sizeof(int64_t))), what));
  index.low_ = low;
  if (!is_dense) {
    index.keys_.reserve(static_cast<size_t>(count));
    for_each_key([&](int64_t key) { index.keys_.push_back(key); });
    std::sort(index.keys_.begin(), index.keys_.end());
    index.keys_.erase(std::unique(index.keys_.begin(), index.keys_.end()), index.keys_.end());
  }
  index.place_count_ =
      static_cast<uint32_t>(is_dense ? place_count : static_cast<uint64_t>(index.keys_.size()));
  return index;
}

}  // namespace handrail
