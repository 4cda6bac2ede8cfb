#include "symbolize/snippet.h"

#include <algorithm>

#include <fmt/format.h>

namespace handrail {
namespace {

// Newlines at which the context before and after the range ends. The one that ends the line before
// (or the last line of) the range is the first of them, so 2 lines are shown.
constexpr int kContextNewlines = 3;

constexpr std::string_view kHere = " <--- HERE";

size_t LineStart(std::string_view text, size_t at) {
  while (at > 0 && text[at - 1] != '\n') --at;
  return at;
}

size_t LineEnd(std::string_view text, size_t at) {
  const size_t newline = text.find('\n', at);
  return newline == std::string_view::npos ? text.size() : newline;
}

size_t ContextStart(std::string_view text, size_t at) {
  for (int newlines = 0; at > 0; --at) {
    if (text[at - 1] == '\n' && ++newlines == kContextNewlines) break;
  }
  return at;
}

size_t ContextEnd(std::string_view text, size_t at) {
  for (int newlines = 0; at < text.size(); ++at) {
    if (text[at] == '\n' && ++newlines == kContextNewlines) break;
  }
  return at;
}

void AppendLine(std::string_view line, std::string& out) {
  out += line;
  if (!line.ends_with('\n')) out += '\n';
}

// The line of `~` below the source line that holds [line_start, line_end), or nothing if the range
// has only spaces there.
void AppendUnderline(std::string_view text, size_t start, size_t end, size_t line_start,
                     size_t line_end, std::string& out) {
  const size_t first = LineStart(text, line_start);
  size_t last = line_start;
  while (last < end && text[last] != '\n') ++last;
  size_t indent = first;
  while (indent < last && (indent < start || text[indent] == ' ')) ++indent;
  if (indent == last) return;
  out.append(indent - first, ' ');
  out.append(last - indent, '~');
  // Whether the range goes on below. The byte at its end belongs to the question, and so does what
  // PyTorch sees behind the text: a range up to the text's end, behind a newline, has no mark.
  bool goes_on = false;
  for (size_t at = line_end + 1; at <= end && !goes_on; ++at) {
    goes_on = at == text.size() || (text[at] != '\n' && text[at] != ' ');
  }
  if (!goes_on) out += kHere;
  out += '\n';
}

std::string Snippet(std::string_view text, size_t start, size_t end) {
  const size_t first = LineStart(text, start);
  const size_t context_start = ContextStart(text, first);
  const size_t context_end = ContextEnd(text, LineEnd(text, end));

  std::string out(text.substr(context_start, start - context_start));
  size_t at = start;
  while (at < end) {
    const size_t line_end = LineEnd(text, at);
    AppendLine(text.substr(at, line_end + 1 - at), out);
    AppendUnderline(text, start, end, at, line_end, out);
    at = line_end + 1;
  }
  // Where a range ends lines before it starts, the context has no end.
  const size_t count = context_end < at ? std::string_view::npos : context_end - at;
  if (at < text.size() && count > 0) AppendLine(text.substr(at, count), out);
  return out;
}

}  // namespace

std::string FrameHeader(std::string_view file_name, uint64_t line) {
  return fmt::format("  File \"{}\", line {}", file_name, line);
}

RangeText RenderRange(std::string_view text, uint64_t start, uint64_t end, bool has_file_name,
                      std::string_view file_name, uint64_t line) {
  RangeText out;
  if (end - start == text.size()) {
    out.body = text;
    return out;
  }
  if (start > text.size()) return out;
  if (has_file_name) {
    out.has_header = true;
    out.header = FrameHeader(file_name, line);
  }
  out.body = Snippet(text, start, std::min<uint64_t>(end, text.size()));
  return out;
}

}  // namespace handrail
