// Uninitialized memory for pickled values, taken from a MemoryBudget before it is allocated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// Runs of words that live until the arena is destroyed. Move-only; moving keeps runs where they
// are. Take is on the hot path: it returns null if there is no memory, and error() says why.
class WordArena {
 public:
  WordArena() = default;
  explicit WordArena(MemoryBudget& budget) : charge_(budget) {}

  // `count` uninitialized words.
  [[nodiscard]] uint64_t* Take(size_t count) {
    if (count > static_cast<size_t>(end_ - next_)) return TakeChunk(count);
    uint64_t* words = next_;
    next_ += count;
    return words;
  }
  Error& error() { return error_; }

 private:
  [[gnu::noinline]] uint64_t* TakeChunk(size_t count) {
    // Large runs get memory of their own, so that little of a chunk is ever left unused.
    const bool is_large = count > chunk_words_ / 4;
    const size_t size = is_large ? count : chunk_words_;
    Result<RawWords> chunk = AllocateWords(charge_, size, "pickle values");
    if (!chunk) {
      error_ = std::move(chunk).error();
      return nullptr;
    }
    uint64_t* words = chunk->get();
    chunks_.push_back(*std::move(chunk));
    if (!is_large) {
      next_ = words + count;
      end_ = words + size;
      chunk_words_ = std::min(chunk_words_ * 2, kChunkWordsMax);
    }
    return words;
  }

  static constexpr size_t kFirstChunkWords = 512;
  static constexpr size_t kChunkWordsMax = 32'768;

  std::vector<RawWords> chunks_;
  uint64_t* next_ = nullptr;
  uint64_t* end_ = nullptr;
  size_t chunk_words_ = kFirstChunkWords;
  MemoryCharge charge_;
  Error error_{ErrorCode::kLimit, Error::kNoOffset, ""};
};

}  // namespace handrail
