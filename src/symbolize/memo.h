// What a symbolizer remembers: values by row id, and the bytes they are made of.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace handrail {

// Bytes that stay where they are until Clear.
class TextArena {
 public:
  std::string_view Copy(std::string_view text) {
    if (text.empty()) return {};
    if (text.size() > chunk_size_ - chunk_used_) {
      chunk_size_ = text.size() > kChunkBytes ? text.size() : kChunkBytes;
      chunk_used_ = 0;
      chunks_.push_back(std::make_unique<char[]>(chunk_size_));
      size_bytes_ += chunk_size_;
    }
    char* at = chunks_.back().get() + chunk_used_;
    std::memcpy(at, text.data(), text.size());
    chunk_used_ += text.size();
    return {at, text.size()};
  }
  size_t size_bytes() const { return size_bytes_; }
  void Clear() {
    chunks_.clear();
    chunk_used_ = chunk_size_ = size_bytes_ = 0;
  }

 private:
  static constexpr size_t kChunkBytes = size_t{16} << 10;

  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t chunk_used_ = 0;
  size_t chunk_size_ = 0;
  size_t size_bytes_ = 0;
};

// Values by row number. Values stay where they are until Clear.
template <typename Value>
class IdMemo {
 public:
  IdMemo() { Clear(); }

  // Null if there is none.
  Value* Find(uint32_t id) const {
    for (size_t slot = SlotOf(id);; slot = (slot + 1) & mask_) {
      if (slots_[slot].value == nullptr || slots_[slot].id == id) return slots_[slot].value;
    }
  }
  // `id` must not be there yet.
  Value* Insert(uint32_t id, Value value) {
    if (values_.size() * 2 >= slots_.size()) Grow();
    values_.push_back(std::move(value));
    Place(id, &values_.back());
    return &values_.back();
  }
  size_t size_bytes() const {
    return values_.size() * sizeof(Value) + slots_.size() * sizeof(Slot);
  }
  void Clear() {
    values_.clear();
    slots_.assign(kFirstSlotCount, Slot{});
    mask_ = kFirstSlotCount - 1;
  }

 private:
  struct Slot {
    uint32_t id = 0;
    Value* value = nullptr;
  };
  static constexpr size_t kFirstSlotCount = 64;

  // Multiplied, so that ids with a stride do not crowd.
  size_t SlotOf(uint32_t id) const { return ((uint64_t{id} * 0x9e3779b97f4a7c15u) >> 32) & mask_; }
  void Place(uint32_t id, Value* value) {
    size_t slot = SlotOf(id);
    while (slots_[slot].value != nullptr) slot = (slot + 1) & mask_;
    slots_[slot] = Slot{id, value};
  }
  void Grow() {
    std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.value != nullptr) Place(slot.id, slot.value);
    }
  }

  std::deque<Value> values_;
  std::vector<Slot> slots_;
  size_t mask_ = 0;
};

}  // namespace handrail
