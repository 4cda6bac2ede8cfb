// The strings of a debug map: each is a pattern and perhaps one decimal number in it, since names
// like `___torch_mangle_12` or `layer3` differ in a number only. Patterns are sorted and
// front-coded in blocks.
//
//   STRS: per string: pattern, number + 1 (0: the pattern has no number mark)
//   PATB: per block of kPatternsPerBlock patterns: where it begins in PATT, in bytes
//   PATT: section header: varint pattern_count
//         payload: per pattern: varint shared (absent for a block's first: 0), varint length, bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"

#include "debug_map/packed_table.h"

namespace handrail {

class StringTable {
 public:
  StringTable() = default;
  static Result<StringTable> Open(const debug_map::Body& body, debug_map::PackedTable strings,
                                  debug_map::PackedTable pattern_blocks,
                                  std::span<const std::byte> pattern_header, uint64_t payload_begin,
                                  uint64_t payload_bytes);

  uint64_t string_count() const { return strings_.row_count(); }
  uint64_t pattern_count() const { return pattern_count_; }
  // Assembles string `index` in `buffer`.
  Answer<std::string_view> Read(const debug_map::Body& body, uint64_t index,
                                TextBuffer& buffer) const;

 private:
  bool ReadPattern(const debug_map::Body& body, uint64_t pattern, TextBuffer& buffer) const;

  debug_map::PackedTable strings_;
  debug_map::PackedTable pattern_blocks_;
  uint64_t pattern_count_ = 0;
  uint64_t payload_begin_ = 0;
  uint64_t payload_end_ = 0;
};

namespace debug_map {

// A string taken apart. Putting `number` into `pattern` gives the string back.
struct PatternedString {
  std::string pattern;
  uint64_t number_plus_one = 0;  // 0: the pattern is the string
};
PatternedString TakeApart(std::string_view text);

// The four parts of the strings of a map, ready to be written.
struct EncodedStrings {
  std::vector<std::byte> strings_header, strings_payload;
  std::vector<std::byte> blocks_header, blocks_payload;
  std::vector<std::byte> patterns_header, patterns_payload;
};
EncodedStrings EncodeStrings(std::span<const std::string_view> strings);

}  // namespace debug_map
}  // namespace handrail
