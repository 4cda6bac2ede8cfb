// int64 -> uint32, for the numbers that PyTorch counts up: tags and handles. They lie close
// together in every honest file, and then the table is an array; in other files it is a tree, so
// that no choice of numbers makes it slow or large.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "handrail/base/result.h"

#include "archive/memory_budget.h"

namespace handrail {

class Int64Table {
 public:
  static constexpr uint32_t kAbsent = UINT32_MAX;

  // What the keys will be: told all of them before the table is made.
  class Extent {
   public:
    void Add(int64_t key) {
      low_ = std::min(low_, key);
      high_ = std::max(high_, key);
      ++count_;
    }

   private:
    friend class Int64Table;
    int64_t low_ = INT64_MAX;
    int64_t high_ = INT64_MIN;
    uint64_t count_ = 0;
  };

  // A table that can take the keys of `extent`. `what` is for the message if `budget` has too
  // little left (kLimit). `budget` must outlive the table.
  static Result<Int64Table> For(const Extent& extent, MemoryBudget& budget, std::string_view what);

  uint32_t Find(int64_t key) const {
    if (const uint64_t place = PlaceOf(key); place < rows_.size()) return rows_[place];
    if (sparse_rows_.empty()) return kAbsent;
    const auto row = sparse_rows_.find(key);
    return row == sparse_rows_.end() ? kAbsent : row->second;
  }
  // The key's place in the table, to read or change; holds kAbsent at first. The key must be of the
  // extent. Valid as long as the table lives.
  uint32_t& At(int64_t key) {
    if (const uint64_t place = PlaceOf(key); place < rows_.size()) return rows_[place];
    return sparse_rows_.try_emplace(key, kAbsent).first->second;
  }

 private:
  uint64_t PlaceOf(int64_t key) const {
    return static_cast<uint64_t>(key) - static_cast<uint64_t>(low_);
  }

  int64_t low_ = 0;
  std::vector<uint32_t> rows_;  // of low_, low_ + 1, ...
  std::map<int64_t, uint32_t> sparse_rows_;
  MemoryCharge charge_;
};

}  // namespace handrail
