// Which elements a slice of a list or text takes: Python's rule.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernels/raise.h"

namespace handrail::kernels {

class PythonSlice {
 public:
  PythonSlice(size_t size, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step)
      : step_(step) {
    if (step == 0) Raise("List slice should have non-zero step");
    const auto count = static_cast<int64_t>(size);
    const int64_t lowest = step < 0 ? -1 : 0;
    const int64_t highest = step < 0 ? count - 1 : count;
    const auto place = [&](std::optional<int64_t> given, int64_t fallback) {
      if (!given || *given == INT64_MAX) return fallback;
      return std::clamp<int64_t>(*given < 0 ? *given + count : *given, lowest, highest);
    };
    start_ = place(start, step < 0 ? highest : lowest);
    const int64_t last = place(end, step < 0 ? lowest : highest);
    const int64_t distance = step < 0 ? start_ - last : last - start_;
    const uint64_t width =
        step < 0 ? uint64_t{0} - static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
    if (distance > 0) count_ = (static_cast<uint64_t>(distance) - 1) / width + 1;
  }

  size_t count() const { return count_; }
  size_t Place(size_t i) const {
    return static_cast<size_t>(start_ + static_cast<int64_t>(i) * step_);
  }

 private:
  int64_t start_ = 0;
  int64_t step_;
  size_t count_ = 0;
};

}  // namespace handrail::kernels
