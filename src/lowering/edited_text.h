// A text with pieces replaced, and where its bytes went.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace handrail {

struct TextEdit {
  size_t start = 0;
  size_t end = 0;
  std::string replacement;
};

// Edits of a piece [begin, end) of a text. They must not overlap; order does not matter.
class EditedText {
 public:
  EditedText(std::string_view text, size_t begin, size_t end, std::vector<TextEdit> edits);

  const std::string& text() const { return result_; }
  // Where a byte of the old text stands in the new one; nothing outside of the piece. Bytes that
  // were replaced stand at the begin of what replaced them.
  std::optional<int64_t> OffsetOf(int64_t old_offset) const;

 private:
  size_t begin_;
  size_t end_;
  std::vector<TextEdit> edits_;  // ascending
  std::string result_;
};

// Where `name`, a dotted name, is mentioned as a whole in [begin, end) of `text`.
std::vector<size_t> MentionsOf(std::string_view text, size_t begin, size_t end,
                               std::string_view name);

}  // namespace handrail
