// The growing arrays of the pickle parser: stack, marks, memo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "handrail/base/result.h"

#include "archive/memory_budget.h"
#include "archive/word_arena.h"

namespace handrail {

// A stack of trivial 8-byte or smaller items for the time of parsing. Push is on the hot path: it
// returns false if it could not grow, and error() says why.
template <typename T>
class ChargedStack {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(uint64_t));

 public:
  ChargedStack(MemoryBudget& budget, std::string_view what) : budget_(budget), what_(what) {}

  size_t size() const { return static_cast<size_t>(top_ - items_); }
  T* begin() { return items_; }
  T* end() { return top_; }
  T& back() { return top_[-1]; }
  void Drop(size_t count) { top_ -= count; }

  [[nodiscard]] bool Push(T item) {
    if (top_ == limit_ && !Grow(size() + 1)) return false;
    *top_++ = item;
    return true;
  }
  // Makes it at least `size` items long; new ones are `fill`.
  [[nodiscard]] bool Extend(size_t size, T fill) {
    if (size > static_cast<size_t>(limit_ - items_) && !Grow(size)) return false;
    while (this->size() < size) *top_++ = fill;
    return true;
  }
  Error& error() { return error_; }

 private:
  [[gnu::noinline]] bool Grow(size_t need) {
    size_t capacity = static_cast<size_t>(limit_ - items_) * 2;
    if (capacity < kFirstItems) capacity = kFirstItems;
    if (capacity < need) capacity = need;
    MemoryCharge charge(budget_);
    Result<RawWords> words = AllocateWords(charge, capacity, what_);
    if (!words) {
      error_ = std::move(words).error();
      return false;
    }
    T* items = reinterpret_cast<T*>(words->get());
    const size_t count = size();
    if (count > 0) std::memcpy(static_cast<void*>(items), items_, count * sizeof(T));
    items_ = items;
    top_ = items + count;
    limit_ = items + capacity;
    words_ = *std::move(words);
    charge_ = std::move(charge);
    return true;
  }

  static constexpr size_t kFirstItems = 64;

  MemoryBudget& budget_;
  std::string_view what_;
  RawWords words_;
  MemoryCharge charge_;
  T* items_ = nullptr;
  T* top_ = nullptr;
  T* limit_ = nullptr;
  Error error_{ErrorCode::kLimit, Error::kNoOffset, ""};
};

}  // namespace handrail
