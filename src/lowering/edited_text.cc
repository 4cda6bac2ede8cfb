#include "lowering/edited_text.h"

#include <algorithm>
#include <utility>

namespace handrail {
namespace {

bool IsPartOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

EditedText::EditedText(std::string_view text, size_t begin, size_t end, std::vector<TextEdit> edits)
    : begin_(begin), end_(end), edits_(std::move(edits)) {
  std::sort(edits_.begin(), edits_.end(),
            [](const TextEdit& a, const TextEdit& b) { return a.start < b.start; });
  size_t at = begin_;
  for (const TextEdit& edit : edits_) {
    result_ += text.substr(at, edit.start - at);
    result_ += edit.replacement;
    at = edit.end;
  }
  result_ += text.substr(at, end_ - at);
}

std::optional<int64_t> EditedText::OffsetOf(int64_t old_offset) const {
  if (old_offset < static_cast<int64_t>(begin_) || old_offset > static_cast<int64_t>(end_)) {
    return std::nullopt;
  }
  int64_t moved = -static_cast<int64_t>(begin_);
  for (const TextEdit& edit : edits_) {
    const auto start = static_cast<int64_t>(edit.start);
    if (old_offset <= start) break;
    const auto end = static_cast<int64_t>(edit.end);
    if (old_offset < end) return start + moved;
    moved += static_cast<int64_t>(edit.replacement.size()) - (end - start);
  }
  return old_offset + moved;
}

std::vector<size_t> MentionsOf(std::string_view text, size_t begin, size_t end,
                               std::string_view name) {
  std::vector<size_t> places;
  for (size_t at = text.find(name, begin); at != std::string_view::npos && at + name.size() <= end;
       at = text.find(name, at + 1)) {
    const bool begins = at == 0 || !IsPartOfName(text[at - 1]);
    const size_t after = at + name.size();
    if (begins && (after == text.size() || !IsPartOfName(text[after]))) places.push_back(at);
  }
  return places;
}

}  // namespace handrail
