// The text that a parse reads, places in it, and errors that show it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "handrail/base/result.h"

namespace handrail::script {

// A named text. Not owned: it must outlive every token, tree and view made from it.
struct SourceText {
  std::string_view name;    // as messages show it; may be empty
  uint32_t first_line = 1;  // number of the text's first line
  std::string_view text;
};

// Bytes [start, end) of a text.
struct TextRange {
  uint32_t start = 0;
  uint32_t end = 0;

  constexpr uint32_t size() const { return end - start; }
  friend constexpr bool operator==(TextRange, TextRange) = default;
};

// The smallest range that holds both.
constexpr TextRange Cover(TextRange a, TextRange b) {
  return {std::min(a.start, b.start), std::max(a.end, b.end)};
}

inline std::string_view TextOf(const SourceText& source, TextRange range) {
  return source.text.substr(range.start, range.size());
}

// 1-based; columns count bytes.
struct Place {
  uint32_t line;
  uint32_t column;
};

// Walks the text from its start: for messages, not for inner loops.
Place PlaceOf(const SourceText& source, uint32_t offset);

// An error that names the place and shows its line, underlined:
//   f.py:2:12: expected ')', found end of line
//     return f(x
//               ~ <--- HERE
// A range over several lines is underlined on its first. Error::offset is `range.start`.
Error ErrorAt(ErrorCode code, const SourceText& source, TextRange range, std::string_view message);

}  // namespace handrail::script
