// How much memory reading one file may take. Every reader of this stage takes from a budget before
// it allocates what input asks for, so that a small hostile file cannot ask for much.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "handrail/base/limits.h"
#include "handrail/base/result.h"

namespace handrail {

// One budget serves one file: limits::kArchiveMemoryBase + kArchiveMemoryFactor x file size, in
// bytes. It outlives everything that was read with it. Not thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(uint64_t file_size_bytes);
  // A budget of exactly `total_bytes`.
  static MemoryBudget OfBytes(uint64_t total_bytes);

  // Takes `size_bytes`, or fails with kLimit and takes nothing:
  //   "<what>: need 4096 bytes of memory, have 100 of 12582912 left".
  Status Take(uint64_t size_bytes, std::string_view what);
  // Gives back what was taken.
  void Give(uint64_t size_bytes);

  uint64_t total_bytes() const { return total_bytes_; }
  uint64_t left_bytes() const { return left_bytes_; }

 private:
  MemoryBudget() = default;

  uint64_t total_bytes_ = 0;
  uint64_t left_bytes_ = 0;
};

// What an object has taken from a budget; gives it back when it is destroyed. Move-only.
class MemoryCharge {
 public:
  MemoryCharge() = default;
  explicit MemoryCharge(MemoryBudget& budget) : budget_(&budget) {}
  MemoryCharge(MemoryCharge&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)),
        taken_bytes_(std::exchange(other.taken_bytes_, 0)) {}
  MemoryCharge& operator=(MemoryCharge&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(taken_bytes_, other.taken_bytes_);
    return *this;
  }
  ~MemoryCharge() {
    if (budget_ != nullptr) budget_->Give(taken_bytes_);
  }

  // Takes more; see MemoryBudget::Take. Must have been made with a budget.
  Status Take(uint64_t size_bytes, std::string_view what) {
    HANDRAIL_RETURN_IF_ERROR(budget_->Take(size_bytes, what));
    taken_bytes_ += size_bytes;
    return {};
  }

  uint64_t taken_bytes() const { return taken_bytes_; }

 private:
  MemoryBudget* budget_ = nullptr;
  uint64_t taken_bytes_ = 0;
};

}  // namespace handrail
