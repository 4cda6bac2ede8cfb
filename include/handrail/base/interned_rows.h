// A table in which equal rows are stored once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "handrail/base/check.h"
#include "handrail/base/limits.h"

namespace handrail {

// Mixes one more 64-bit word into a hash (the finalizer of SplitMix64).
constexpr uint64_t MixHash(uint64_t hash, uint64_t word) {
  uint64_t x = hash ^ (word + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2));
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Rows are numbered densely from 0 in order of first Intern. `Row` is comparable with == and has a
// function `uint64_t HashOf(const Row&)` in its namespace. Not thread-safe.
template <typename RowId, typename Row>
class InternedRows {
 public:
  InternedRows() : slots_(kFirstSlotCount, kEmptySlot) {}

  RowId Intern(const Row& row) {
    const size_t mask = slots_.size() - 1;
    size_t slot = static_cast<size_t>(HashOf(row)) & mask;
    for (; slots_[slot] != kEmptySlot; slot = (slot + 1) & mask) {
      if (rows_[slots_[slot]] == row) return RowId{slots_[slot]};
    }
    HANDRAIL_CHECK(rows_.size() < limits::kRowsMax);
    const auto index = static_cast<uint32_t>(rows_.size());
    rows_.push_back(row);
    slots_[slot] = index;
    if (rows_.size() * 2 > slots_.size()) Grow();
    return RowId{index};
  }

  // Makes room for `count` more rows, at least twice what there was if it has to grow.
  void Reserve(uint32_t count) {
    const size_t needed = rows_.size() + count;
    if (needed > rows_.capacity()) rows_.reserve(std::max(needed, 2 * rows_.capacity()));
    size_t slot_count = slots_.size();
    while (needed * 2 > slot_count) slot_count *= 2;
    if (slot_count != slots_.size()) Rehash(slot_count);
  }

  const Row& at(RowId id) const { return rows_[id.index]; }
  uint32_t size() const { return static_cast<uint32_t>(rows_.size()); }
  // Gives the rows away; the table is empty and must not be used again.
  std::vector<Row> Take() && { return std::move(rows_); }

 private:
  static constexpr uint32_t kEmptySlot = UINT32_MAX;
  static constexpr size_t kFirstSlotCount = 64;

  void Grow() { Rehash(slots_.size() * 2); }

  void Rehash(size_t slot_count) {
    slots_.assign(slot_count, kEmptySlot);
    const size_t mask = slots_.size() - 1;
    for (uint32_t index = 0; index < rows_.size(); ++index) {
      size_t slot = static_cast<size_t>(HashOf(rows_[index])) & mask;
      while (slots_[slot] != kEmptySlot) slot = (slot + 1) & mask;
      slots_[slot] = index;
    }
  }

  std::vector<Row> rows_;
  std::vector<uint32_t> slots_;
};

}  // namespace handrail
