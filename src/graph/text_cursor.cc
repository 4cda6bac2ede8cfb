#include "graph/text_cursor.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace handrail::graph {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

struct Escape {
  char letter;
  char byte;
};
constexpr Escape kEscapes[] = {{'n', '\n'}, {'t', '\t'}, {'r', '\r'},  {'f', '\f'}, {'v', '\v'},
                               {'a', '\a'}, {'b', '\b'}, {'\\', '\\'}, {'"', '"'},  {'\'', '\''}};

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void TextCursor::SkipBlanks() {
  while (offset_ < text_.size() && (text_[offset_] == ' ' || text_[offset_] == '\t')) ++offset_;
}

bool TextCursor::at_end() {
  SkipBlanks();
  return offset_ == text_.size();
}

bool TextCursor::Sees(std::string_view token) {
  SkipBlanks();
  if (!text_.substr(offset_).starts_with(token)) return false;
  const size_t end = offset_ + token.size();
  return !IsNameByte(token.back()) || end == text_.size() || !IsNameByte(text_[end]);
}

bool TextCursor::Take(std::string_view token) {
  if (!Sees(token)) return false;
  offset_ += token.size();
  return true;
}

Status TextCursor::Expect(std::string_view token) {
  if (Take(token)) return {};
  return tl::unexpected(Expected(fmt::format("'{}'", token)));
}

bool TextCursor::TakeLineEnd() {
  bool found = false;
  for (SkipBlanks(); next() == '\n'; SkipBlanks()) {
    ++offset_;
    found = true;
  }
  return found;
}

std::string_view TextCursor::TakeRestOfLine() {
  const size_t end = std::min(text_.find('\n', offset_), text_.size());
  const std::string_view rest = text_.substr(offset_, end - offset_);
  offset_ = end;
  return rest;
}

std::string_view TextCursor::TakeName() {
  SkipBlanks();
  const size_t start = offset_;
  while (IsNameByte(next())) ++offset_;
  return text_.substr(start, offset_ - start);
}

std::string_view TextCursor::TakeDottedName() {
  SkipBlanks();
  const size_t start = offset_;
  while (true) {
    while (IsNameByte(next())) ++offset_;
    const std::string_view rest = text_.substr(offset_);
    const size_t separator = rest.starts_with("::") ? 2 : rest.starts_with(".") ? 1 : 0;
    if (separator == 0 || rest.size() == separator || !IsNameByte(rest[separator])) break;
    offset_ += separator;
  }
  return text_.substr(start, offset_ - start);
}

Result<std::string_view> TextCursor::TakeUpTo(char end) {
  const size_t found = text_.find(end, offset_);
  if (found == std::string_view::npos) {
    return tl::unexpected(ErrorHere(fmt::format("expected '{}', found end of text", end)));
  }
  const std::string_view taken = text_.substr(offset_, found - offset_);
  offset_ = found + 1;
  return taken;
}

Result<uint32_t> TextCursor::TakeUint32(std::string_view what) {
  SkipBlanks();
  uint32_t value = 0;
  const char* start = text_.data() + offset_;
  const auto [end, error] = std::from_chars(start, text_.data() + text_.size(), value);
  if (error != std::errc()) return tl::unexpected(Expected(what));
  offset_ += static_cast<size_t>(end - start);
  return value;
}

std::string_view TextCursor::TakeNumber() {
  SkipBlanks();
  const size_t start = offset_;
  if (next() == '-' || next() == '+') ++offset_;
  while (IsNameByte(next()) || next() == '.' ||
         ((next() == '-' || next() == '+') && offset_ > start &&
          (text_[offset_ - 1] == 'e' || text_[offset_ - 1] == 'E'))) {
    ++offset_;
  }
  return text_.substr(start, offset_ - start);
}

Result<std::string> TextCursor::TakeQuoted() {
  HANDRAIL_RETURN_IF_ERROR(Expect("\""));
  std::string out;
  while (next() != '"') {
    if (offset_ == text_.size() || next() == '\n') return tl::unexpected(Expected("'\"'"));
    const size_t start = offset_;
    char byte = text_[offset_++];
    if (byte == '\\') {
      const char letter = next();
      const auto* escape = std::ranges::find(kEscapes, letter, &Escape::letter);
      if (escape != std::end(kEscapes)) {
        byte = escape->byte;
        ++offset_;
      } else if (letter == 'x' && offset_ + 2 < text_.size() && HexDigit(text_[offset_ + 1]) >= 0 &&
                 HexDigit(text_[offset_ + 2]) >= 0) {
        byte = static_cast<char>(HexDigit(text_[offset_ + 1]) * 16 + HexDigit(text_[offset_ + 2]));
        offset_ += 3;
      } else {
        return tl::unexpected(ErrorAt(start, "unknown escape"));
      }
    }
    out += byte;
  }
  ++offset_;
  return out;
}

Error TextCursor::Expected(std::string_view what) {
  SkipBlanks();
  if (offset_ == text_.size()) {
    return ErrorHere(fmt::format("expected {}, found end of text", what));
  }
  if (next() == '\n') return ErrorHere(fmt::format("expected {}, found end of line", what));
  const size_t start = offset_;
  std::string_view found = TakeName();
  if (found.empty()) found = text_.substr(start, 1);
  offset_ = start;
  return ErrorHere(fmt::format("expected {}, found '{}'", what, found.substr(0, 40)));
}

Error TextCursor::ErrorHere(std::string_view message) const {
  return ErrorAt(offset_, message);
}

Error TextCursor::ErrorAt(size_t offset, std::string_view message) const {
  const std::string_view before = text_.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t column = offset - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  return Error{ErrorCode::kCorrupt, offset, fmt::format("{}:{}: {}", line, column, message)};
}

void WriteQuoted(std::string_view text, std::string& out) {
  out += '"';
  for (char byte : text) {
    const auto* escape = std::ranges::find(kEscapes, byte, &Escape::byte);
    if (escape != std::end(kEscapes) && byte != '\'') {
      out += '\\';
      out += escape->letter;
    } else if (byte < 0x20 || byte > 0x7e) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(byte));
    } else {
      out += byte;
    }
  }
  out += '"';
}

}  // namespace handrail::graph
