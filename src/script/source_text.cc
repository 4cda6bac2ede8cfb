#include "script/source_text.h"

#include <string>

#include <fmt/format.h>

#include "script/character_classes.h"

namespace handrail::script {
namespace {

// Bytes of a line that a message shows on each side of its place: generated lines can be megabytes.
constexpr uint32_t kExcerptBytesMax = 120;

// `text` with `?` for control characters and for what is not UTF-8: messages go to terminals and
// into JSON.
std::string Shown(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = Utf8SequenceLength(text);
    const bool is_control =
        (static_cast<uint8_t>(text[0]) < 0x20 && text[0] != '\t') || text[0] == '\x7f';
    if (length == 0 || is_control) {
      out += '?';
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

// Blank text as wide as `shown`, with its tabs kept, so that what follows lines up.
void AppendBlanks(std::string& out, std::string_view shown) {
  for (const char c : shown) {
    if (!IsUtf8Continuation(c)) out += c == '\t' ? '\t' : ' ';
  }
}

}  // namespace

Place PlaceOf(const SourceText& source, uint32_t offset) {
  const std::string_view before = source.text.substr(0, offset);
  const auto line = static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t line_start = before.rfind('\n') + 1;
  return {source.first_line + line, offset - static_cast<uint32_t>(line_start) + 1};
}

Error ErrorAt(ErrorCode code, const SourceText& source, TextRange range, std::string_view message) {
  const std::string_view text = source.text;
  const auto size = static_cast<uint32_t>(text.size());
  const uint32_t start = std::min(range.start, size);
  const auto line_start = static_cast<uint32_t>(text.substr(0, start).rfind('\n') + 1);
  auto line_end = static_cast<uint32_t>(std::min(text.find('\n', start), text.size()));
  if (line_end > start && text[line_end - 1] == '\r') --line_end;

  const uint32_t shown_start = std::max(line_start, start - std::min(start, kExcerptBytesMax));
  const uint32_t shown_end = std::min(line_end, start + kExcerptBytesMax);
  const uint32_t marked_end = std::clamp(range.end, start, shown_end);
  const std::string before = Shown(text.substr(shown_start, start - shown_start));
  const std::string marked = Shown(text.substr(start, marked_end - start));
  const std::string after = Shown(text.substr(marked_end, shown_end - marked_end));
  const auto width =
      std::count_if(marked.begin(), marked.end(), [](char c) { return !IsUtf8Continuation(c); });

  const Place place = PlaceOf(source, start);
  std::string out;
  if (!source.name.empty()) out += fmt::format("{}:", source.name);
  out += fmt::format("{}:{}: {}\n", place.line, place.column, message);
  out += before;
  out += marked;
  out += after;
  out += '\n';
  AppendBlanks(out, before);
  out.append(static_cast<size_t>(std::max<ptrdiff_t>(width, 1)), '~');
  out += " <--- HERE";
  return {code, start, std::move(out)};
}

}  // namespace handrail::script
