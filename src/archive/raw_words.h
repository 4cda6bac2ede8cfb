// Uninitialized memory, taken from a MemoryBudget before it is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "handrail/base/result.h"

#include "archive/memory_budget.h"

namespace handrail {

struct RawWordsDeleter {
  void operator()(uint64_t* words) const { ::operator delete(words); }
};
// Uninitialized words, 8-byte aligned.
using RawWords = std::unique_ptr<uint64_t, RawWordsDeleter>;

// Takes and allocates `count` words; kLimit if budget or machine have too little.
inline Result<RawWords> AllocateWords(MemoryCharge& charge, uint64_t count, std::string_view what) {
  HANDRAIL_RETURN_IF_ERROR(charge.Take(count * sizeof(uint64_t), what));
  RawWords words(static_cast<uint64_t*>(
      ::operator new(static_cast<size_t>(count) * sizeof(uint64_t), std::nothrow)));
  if (words == nullptr) return Fail(ErrorCode::kLimit, std::string(what) + ": no memory left");
  return words;
}

}  // namespace handrail
