// Interned strings: each distinct text is stored once and named by a StringId.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "handrail/base/id.h"

namespace handrail {

using StringId = Id<struct StringTag>;

// Ids are dense from 0 in order of first Intern. Views stay valid as long as the pool lives, moves
// included. Not thread-safe.
class StringPool {
 public:
  StringPool();
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;

  StringId Intern(std::string_view text);
  // The id of a text that was interned before, or none.
  StringId Find(std::string_view text) const;
  // `id` must be of this pool.
  std::string_view at(StringId id) const { return views_[id.index]; }
  uint32_t size() const { return static_cast<uint32_t>(views_.size()); }

 private:
  void Grow();
  char* Allocate(size_t size_bytes);

  std::vector<std::string_view> views_;
  std::vector<uint64_t> hashes_;  // of each view, so that Grow need not rehash
  std::vector<uint32_t> slots_;   // open addressing; power of two; UINT32_MAX = empty
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t chunk_used_ = 0;
  size_t chunk_size_ = 0;
};

}  // namespace handrail
