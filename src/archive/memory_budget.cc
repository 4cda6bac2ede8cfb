#include "archive/memory_budget.h"

#include <fmt/format.h>

#include "handrail/base/check.h"

namespace handrail {

MemoryBudget::MemoryBudget(uint64_t file_size_bytes)
    : total_bytes_(
          file_size_bytes > (UINT64_MAX - limits::kArchiveMemoryBase) / limits::kArchiveMemoryFactor
              ? UINT64_MAX
              : limits::kArchiveMemoryBase + limits::kArchiveMemoryFactor * file_size_bytes),
      left_bytes_(total_bytes_) {}

MemoryBudget MemoryBudget::OfBytes(uint64_t total_bytes) {
  MemoryBudget budget;
  budget.total_bytes_ = total_bytes;
  budget.left_bytes_ = total_bytes;
  return budget;
}

Status MemoryBudget::Take(uint64_t size_bytes, std::string_view what) {
  if (size_bytes > left_bytes_) {
    return Fail(ErrorCode::kLimit, fmt::format("{}: need {} bytes of memory, have {} of {} left",
                                               what, size_bytes, left_bytes_, total_bytes_));
  }
  left_bytes_ -= size_bytes;
  return {};
}

void MemoryBudget::Give(uint64_t size_bytes) {
  HANDRAIL_CHECK(size_bytes <= total_bytes_ - left_bytes_);
  left_bytes_ += size_bytes;
}

}  // namespace handrail
