#include "handrail/base/string_pool.h"

#include <algorithm>
#include <cstring>

#include <xxhash.h>

#include "handrail/base/check.h"
#include "handrail/base/limits.h"

namespace handrail {
namespace {

constexpr uint32_t kEmptySlot = UINT32_MAX;
constexpr size_t kFirstSlotCount = 64;
constexpr size_t kChunkBytes = 64 << 10;

}  // namespace

StringPool::StringPool() : slots_(kFirstSlotCount, kEmptySlot) {}

StringId StringPool::Find(std::string_view text) const {
  const uint64_t hash = XXH3_64bits(text.data(), text.size());
  const size_t mask = slots_.size() - 1;
  for (size_t slot = hash & mask; slots_[slot] != kEmptySlot; slot = (slot + 1) & mask) {
    const uint32_t index = slots_[slot];
    if (hashes_[index] == hash && views_[index] == text) return StringId{index};
  }
  return StringId::none();
}

StringId StringPool::Intern(std::string_view text) {
  const uint64_t hash = XXH3_64bits(text.data(), text.size());
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (; slots_[slot] != kEmptySlot; slot = (slot + 1) & mask) {
    const uint32_t index = slots_[slot];
    if (hashes_[index] == hash && views_[index] == text) return StringId{index};
  }
  HANDRAIL_CHECK(views_.size() < limits::kRowsMax);
  const uint32_t index = size();
  char* copy = Allocate(text.size());
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  views_.emplace_back(copy, text.size());
  hashes_.push_back(hash);
  slots_[slot] = index;
  if (views_.size() * 2 > slots_.size()) Grow();
  return StringId{index};
}

void StringPool::Grow() {
  slots_.assign(slots_.size() * 2, kEmptySlot);
  const size_t mask = slots_.size() - 1;
  for (uint32_t index = 0; index < views_.size(); ++index) {
    size_t slot = hashes_[index] & mask;
    while (slots_[slot] != kEmptySlot) slot = (slot + 1) & mask;
    slots_[slot] = index;
  }
}

char* StringPool::Allocate(size_t size_bytes) {
  if (chunk_size_ - chunk_used_ < size_bytes || chunks_.empty()) {
    chunk_size_ = std::max(kChunkBytes, size_bytes);
    chunks_.push_back(std::make_unique<char[]>(chunk_size_));
    chunk_used_ = 0;
  }
  char* result = chunks_.back().get() + chunk_used_;
  chunk_used_ += size_bytes;
  return result;
}

}  // namespace handrail
