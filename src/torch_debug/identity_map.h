// Remembers what values of a pickle became, by identity, so that what the pickle shares is read
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "handrail/base/interned_rows.h"

namespace handrail {

// (identity, context) -> uint32. Open addressing; 16 bytes a slot.
class IdentityMap {
 public:
  static constexpr uint32_t kAbsent = UINT32_MAX;
  // Memory of one entry at worst: the table doubles when half full.
  static constexpr uint64_t kEntryBytes = 64;

  IdentityMap() : slots_(kFirstSlotCount) {}

  uint32_t Find(uint64_t identity, uint32_t context = 0) const {
    return slots_[SlotOf(identity, context)].row;
  }
  // The key must be absent; `row` is not kAbsent.
  void Insert(uint64_t identity, uint32_t context, uint32_t row) {
    slots_[SlotOf(identity, context)] = Slot{identity, context, row};
    if (++count_ * 2 > slots_.size()) Grow();
  }

 private:
  static constexpr size_t kFirstSlotCount = 256;
  struct Slot {
    uint64_t identity = 0;
    uint32_t context = 0;
    uint32_t row = kAbsent;
  };

  size_t SlotOf(uint64_t identity, uint32_t context) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = static_cast<size_t>(MixHash(identity, context)) & mask;
    while (slots_[slot].row != kAbsent &&
           (slots_[slot].identity != identity || slots_[slot].context != context)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
  void Grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.row != kAbsent) slots_[SlotOf(slot.identity, slot.context)] = slot;
    }
  }

  std::vector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace handrail
