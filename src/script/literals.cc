#include "script/literals.h"

#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "handrail/base/check.h"

#include "script/lexer.h"

namespace handrail::script {
namespace {

// What `\c` stands for, or 0 if it is no escape of one character.
char SimpleEscape(char c) {
  switch (c) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case '\\':
    case '\'':
    case '"':
    case '\n':
    case '\r':
      return c;
    default:
      return 0;
  }
}

// The byte that three octal digits at the start of `text` stand for, or -1.
int OctalByte(std::string_view text) {
  if (text.size() < 3) return -1;
  int value = 0;
  for (const char digit : text.substr(0, 3)) {
    if (digit < '0' || digit > '7') return -1;
    value = value * 8 + (digit - '0');
  }
  return value < 256 ? value : -1;
}

// Appends `text` with its escapes replaced.
void AppendUnescaped(std::string& out, std::string_view text) {
  while (true) {
    const size_t escape = text.find('\\');
    out += text.substr(0, escape);
    if (escape == std::string_view::npos) return;
    text.remove_prefix(escape + 1);
    const char simple = SimpleEscape(text.front());
    if (simple != 0) {
      out += simple;
      text.remove_prefix(1);
    } else {
      out += static_cast<char>(OctalByte(text));
      text.remove_prefix(3);
    }
  }
}

double Float(std::string_view text) {
  const bool is_hex = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
  double value = 0;
  const auto [end, error] = is_hex ? std::from_chars(text.data() + 2, text.data() + text.size(),
                                                     value, std::chars_format::hex)
                                   : std::from_chars(text.data(), text.data() + text.size(), value);
  // from_chars does not say which way a number is out of range.
  if (error == std::errc::result_out_of_range) {
    const size_t exponent = text.find_first_of(is_hex ? "pP" : "eE");
    const bool is_tiny =
        exponent != std::string_view::npos && text.substr(exponent + 1).starts_with('-');
    return is_tiny ? 0 : std::numeric_limits<double>::infinity();
  }
  return value;
}

}  // namespace

TextRange StringContent(const SourceText& source, TextRange token) {
  const std::string_view text = TextOf(source, token);
  const uint32_t open = text[0] == '"' || text[0] == '\'' ? 0 : 1;
  const char quote = text[open];
  const bool is_triple =
      text.size() >= open + 6 && text[open + 1] == quote && text[open + 2] == quote;
  const uint32_t quotes = is_triple ? 3 : 1;
  return {token.start + open + quotes, token.end - quotes};
}

Status CheckEscapes(const SourceText& source, TextRange range) {
  const std::string_view text = TextOf(source, range);
  for (size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\', at)) {
    const std::string_view rest = text.substr(at + 1);
    if (rest.empty()) break;
    if (SimpleEscape(rest.front()) != 0) {
      at += 2;
    } else if (OctalByte(rest) >= 0) {
      at += 4;
    } else {
      const auto start = range.start + static_cast<uint32_t>(at);
      return tl::unexpected<Error>(
          ErrorAt(ErrorCode::kUnsupported, source, {start, start + 2},
                  "this escape is not supported: need one of \\\\ \\' \\\" \\a \\b \\f \\n \\r \\t "
                  "\\v or three octal digits below 400"));
    }
  }
  return {};
}

std::string StringValue(const SyntaxTree& tree, SyntaxId id) {
  const SourceText& source = tree.source();
  const SyntaxNode& node = tree.at(id);
  std::string out;
  if (node.kind == NodeKind::kFormatText) {
    std::string_view text = TextOf(source, node.range);
    while (!text.empty()) {
      const size_t brace = text.find_first_of("{}");
      AppendUnescaped(out, text.substr(0, brace));
      if (brace == std::string_view::npos) break;
      out += text[brace];
      text.remove_prefix(brace + 2);
    }
    return out;
  }
  HANDRAIL_CHECK(node.kind == NodeKind::kString);
  AppendUnescaped(out, TextOf(source, StringContent(source, node.range)));
  if (node.mark == node.range.end) return out;
  // Adjacent literals, with white space and comments between them. The parser has been here, inside
  // brackets or not; read as if inside, the same tokens come.
  Lexer lexer(source);
  lexer.SetWindow({.position = node.range.end, .end = node.mark, .nesting = 1});
  for (Token token = lexer.Next(); token.kind == TokenKind::kString; token = lexer.Next()) {
    AppendUnescaped(out, TextOf(source, StringContent(source, token.range)));
  }
  return out;
}

Result<Number> NumberValue(const SyntaxTree& tree, SyntaxId id) {
  const SyntaxNode& node = tree.at(id);
  HANDRAIL_CHECK(node.kind == NodeKind::kNumber);
  std::string_view text = tree.text(id);
  const double sign = node.is_negated ? -1 : 1;
  if (text.back() == 'j') {
    text.remove_suffix(1);
    return std::complex<double>(0, sign * Float(text));
  }
  if (text.find_first_of(".eE") != std::string_view::npos) return sign * Float(text);

  const bool is_hex = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
  if (!is_hex && text.size() > 1 && text[0] == '0' &&
      text.find_first_not_of('0') != std::string_view::npos) {
    return tl::unexpected<Error>(ErrorAt(ErrorCode::kUnsupported, tree, id,
                                         "an integer with leading zeros is not supported"));
  }
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(text.data() + (is_hex ? 2 : 0),
                                            text.data() + text.size(), magnitude, is_hex ? 16 : 10);
  const uint64_t magnitude_max = (uint64_t{1} << 63) - (node.is_negated ? 0 : 1);
  if (error != std::errc() || magnitude > magnitude_max) {
    return tl::unexpected<Error>(
        ErrorAt(ErrorCode::kLimit, tree, id, "this integer does not fit into 64 bits"));
  }
  // A hexadecimal number with a binary exponent and neither `.` nor `e`.
  if (end != text.data() + text.size()) return sign * Float(text);
  return static_cast<int64_t>(node.is_negated ? uint64_t{0} - magnitude : magnitude);
}

}  // namespace handrail::script
