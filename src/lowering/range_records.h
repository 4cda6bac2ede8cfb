// The *.debug_pkl records of code that lowering changes or generates: which range of which source
// each piece of a code file stands for. torch_debug/tagged_ranges.h has their form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "handrail/base/result.h"

#include "archive/memory_budget.h"

namespace handrail {

// A record whose entries stand at other offsets of the code file: `offset_of` gives the new one, or
// nothing if the entry is left out. Sources, ranges and tags stay.
Result<std::string> MovedRangeRecord(
    std::span<const std::byte> record,
    const std::function<std::optional<int64_t>(int64_t old_offset)>& offset_of,
    MemoryBudget& budget);

// The largest tag in a record; -1 if there is none.
Result<int64_t> LargestTag(std::span<const std::byte> record, MemoryBudget& budget);

// A piece of generated code, up to the next one, and the range of a text that it stands for.
struct GeneratedRange {
  int64_t offset = 0;          // in the code file
  std::optional<size_t> text;  // of `texts`; nothing: it stands for no source
  int64_t start = 0;           // in the text
  int64_t end = 0;
};

// The record of generated code, whose sources are named "<string>". Each distinct range gets a tag
// of its own, from `next_tag` on, which is moved behind them.
std::string WriteGeneratedRanges(std::span<const GeneratedRange> ranges,
                                 std::span<const std::string> texts, int64_t& next_tag);

}  // namespace handrail
