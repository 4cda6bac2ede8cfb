#include "script/lexer.h"

#include <array>
#include <cstring>

#include <fmt/format.h>

#include "handrail/base/check.h"
#include "handrail/base/limits.h"

#include "script/character_classes.h"

namespace handrail::script {
namespace {

struct Keyword {
  std::string_view text;
  TokenKind kind;
};

// Sorted by length, as tokens.def is.
constexpr Keyword kKeywords[] = {
#define HANDRAIL_TOKEN(name, text)
#define HANDRAIL_KEYWORD(name, text) {text, TokenKind::name},
#include "script/tokens.def"
};

constexpr size_t kKeywordSizeMax = 8;

// kKeywordsOfSize[n] is where the keywords of n characters start.
constexpr auto kKeywordsOfSize = [] {
  std::array<uint8_t, kKeywordSizeMax + 2> first{};
  for (size_t size = 0; size < first.size(); ++size) {
    uint8_t row = 0;
    while (row < std::size(kKeywords) && kKeywords[row].text.size() < size) ++row;
    first[size] = row;
  }
  return first;
}();

TokenKind KindOfWord(std::string_view word) {
  if (word.size() > kKeywordSizeMax) return TokenKind::kName;
  for (size_t row = kKeywordsOfSize[word.size()]; row < kKeywordsOfSize[word.size() + 1]; ++row) {
    if (kKeywords[row].text == word) return kKeywords[row].kind;
  }
  return TokenKind::kName;
}

}  // namespace

std::string_view Describe(TokenKind kind) {
  switch (kind) {
#define HANDRAIL_TOKEN(name, text) \
  case TokenKind::name:            \
    return text;
#include "script/tokens.def"
  }
  return "invalid";
}

Lexer::Lexer(const SourceText& source)
    : source_(source), text_(source.text.data()), end_(static_cast<uint32_t>(source.text.size())) {
  HANDRAIL_CHECK(source.text.size() <= limits::kScriptBytesMax);
  // The first line may be indented: text inside the literals of other programs is.
  indentations_.push_back(Indentation());
}

void Lexer::SetWindow(Window window) {
  position_ = window.position;
  end_ = window.end;
  nesting_ = window.nesting;
}

Token Lexer::Next() {
  if (dedents_due_ > 0) {
    --dedents_due_;
    return {TokenKind::kDedent, line_start_};
  }
  while (true) {
    SkipBlanks();
    if (position_ == end_) return End();
    const char c = text_[position_];
    if (IsNameStart(c)) return Word();
    if (c == '\n') {
      ++position_;
      if (nesting_ == 0) return LineBreak();
    } else if (c == '#') {
      if (AtTypeComment()) return Take(TokenKind::kTypeComment, kTypeCommentPrefix.size());
      SkipComment();
    } else if (const uint32_t size = c == '\\' ? LineContinuationSize(position_) : 0; size > 0) {
      position_ += size;
    } else if (IsDigit(c) || (c == '.' && IsDigit(At(position_ + 1)))) {
      return Number();
    } else if (c == '"' || c == '\'') {
      return String(0);
    } else {
      return Symbol();
    }
  }
}

bool Lexer::NextIsEquals() const {
  const uint32_t at = SkipWhiteSpace(position_);
  return At(at) == '=' && At(at + 1) != '=';
}

Token Lexer::Take(TokenKind kind, uint32_t size) {
  const TextRange range{position_, position_ + size};
  position_ = range.end;
  line_is_open_ = true;
  return {kind, range};
}

Token Lexer::Word() {
  uint32_t size = 1;
  bool is_ascii = IsAscii(text_[position_]);
  while (position_ + size < end_ && IsNamePart(text_[position_ + size])) {
    is_ascii &= IsAscii(text_[position_ + size]);
    ++size;
  }
  const std::string_view word(text_ + position_, size);
  if (!is_ascii) {
    for (size_t at = 0; at < word.size();) {
      const size_t length = Utf8SequenceLength(word.substr(at));
      const auto place = position_ + static_cast<uint32_t>(at);
      if (length == 0) {
        return Invalid(ErrorCode::kCorrupt, {place, place + 1}, "a name that is not UTF-8");
      }
      at += length;
    }
  }
  const char next = At(position_ + size);
  if ((next == '"' || next == '\'') && size <= 2) {
    if (word == "f" || word == "F") return String(1);
    if (word.find_first_not_of("rRbBuUfF") == std::string_view::npos) {
      return Invalid(ErrorCode::kUnsupported, {position_, position_ + size},
                     fmt::format("string prefix '{}' is not supported", word));
    }
  }
  const TokenKind kind = KindOfWord(word);
  if (kind == TokenKind::kIs || kind == TokenKind::kNot) {
    const uint32_t end = EndOfWord(kind == TokenKind::kIs ? "not" : "in", position_ + size);
    if (end > 0) {
      return Take(kind == TokenKind::kIs ? TokenKind::kIsNot : TokenKind::kNotIn, end - position_);
    }
  }
  return Take(kind, size);
}

// Where `word` ends, if it is the next from `position` on, or 0.
uint32_t Lexer::EndOfWord(std::string_view word, uint32_t position) const {
  const uint32_t start = SkipWhiteSpace(position);
  const uint32_t end = start + static_cast<uint32_t>(word.size());
  const bool is_there = std::string_view(text_ + start, end_ - start).starts_with(word);
  return is_there && !IsNamePart(At(end)) ? end : 0;
}

// What strtod reads in the C locale, and a `j` behind it.
Token Lexer::Number() {
  uint32_t at = position_;
  const auto skip = [&](auto is_digit) {
    const uint32_t start = at;
    while (at < end_ && is_digit(text_[at])) ++at;
    return at > start;
  };
  const auto exponent = [&](char lower, char upper) {
    if (At(at) != lower && At(at) != upper) return;
    const uint32_t mark = at++;
    if (At(at) == '+' || At(at) == '-') ++at;
    if (!skip(IsDigit)) at = mark;
  };
  const char second = At(at + 1);
  if (text_[at] == '0' && (second == 'x' || second == 'X') &&
      (IsHexDigit(At(at + 2)) || (At(at + 2) == '.' && IsHexDigit(At(at + 3))))) {
    at += 2;
    skip(IsHexDigit);
    if (At(at) == '.') {
      ++at;
      skip(IsHexDigit);
    }
    exponent('p', 'P');
  } else {
    skip(IsDigit);
    if (At(at) == '.') {
      ++at;
      skip(IsDigit);
    }
    exponent('e', 'E');
  }
  if (At(at) == 'j') ++at;
  return Take(TokenKind::kNumber, at - position_);
}

Token Lexer::String(uint32_t prefix_size) {
  const TokenKind kind = prefix_size > 0 ? TokenKind::kFormatString : TokenKind::kString;
  const uint32_t open = position_ + prefix_size;
  const char quote = text_[open];
  const bool is_triple = At(open + 1) == quote && At(open + 2) == quote;
  uint32_t at = open + (is_triple ? 3 : 1);
  while (at < end_) {
    const char c = text_[at];
    if (c == '\\') {
      at += 2;
    } else if (c == quote && (!is_triple || (At(at + 1) == quote && At(at + 2) == quote))) {
      return Take(kind, at + (is_triple ? 3 : 1) - position_);
    } else if (c == '\n' && !is_triple) {
      break;
    } else {
      ++at;
    }
  }
  return Invalid(
      ErrorCode::kCorrupt, {position_, std::min(at, end_)},
      fmt::format("unterminated string: need {0}{1}{1} before the end of the {2}", quote,
                  is_triple ? std::string_view(&quote, 1) : "", is_triple ? "text" : "line"));
}

Token Lexer::Symbol() {
  const char c = text_[position_];
  const char next = At(position_ + 1);
  const char third = At(position_ + 2);
  // The token is `c`, or `c=`.
  const auto or_equals = [&](TokenKind alone, TokenKind with_equals) {
    return next == '=' ? Take(with_equals, 2) : Take(alone, 1);
  };
  // The token is `c`, `cc`, `c=` or `cc=`.
  const auto doubled = [&](TokenKind alone, TokenKind twice, TokenKind with_equals,
                           TokenKind twice_with_equals) {
    if (next != c) return or_equals(alone, with_equals);
    return third == '=' ? Take(twice_with_equals, 3) : Take(twice, 2);
  };
  const auto open = [&](TokenKind kind) {
    ++nesting_;
    return Take(kind, 1);
  };
  const auto close = [&](TokenKind kind) {
    if (nesting_ > 0) --nesting_;
    return Take(kind, 1);
  };
  using enum TokenKind;
  switch (c) {
    case '(':
      return open(kOpenParen);
    case '[':
      return open(kOpenBracket);
    case '{':
      return open(kOpenBrace);
    case ')':
      return close(kCloseParen);
    case ']':
      return close(kCloseBracket);
    case '}':
      return close(kCloseBrace);
    case ',':
      return Take(kComma, 1);
    case ':':
      return Take(kColon, 1);
    case '.':
      return next == '.' && third == '.' ? Take(kDots, 3) : Take(kDot, 1);
    case '@':
      return Take(kAt, 1);
    case '~':
      return Take(kTilde, 1);
    case '-':
      return next == '>' ? Take(kArrow, 2) : or_equals(kMinus, kMinusEquals);
    case '+':
      return or_equals(kPlus, kPlusEquals);
    case '%':
      return or_equals(kPercent, kPercentEquals);
    case '|':
      return or_equals(kPipe, kPipeEquals);
    case '^':
      return or_equals(kCaret, kCaretEquals);
    case '&':
      return or_equals(kAmpersand, kAmpersandEquals);
    case '=':
      return or_equals(kEquals, kEqual);
    case '<':
      return doubled(kLess, kShiftLeft, kLessEqual, kShiftLeftEquals);
    case '>':
      return doubled(kGreater, kShiftRight, kGreaterEqual, kShiftRightEquals);
    case '*':
      return doubled(kStar, kDoubleStar, kStarEquals, kDoubleStarEquals);
    case '/':
      // `//=` is no token: PyTorch has no such assignment.
      return next == '/' ? Take(kDoubleSlash, 2) : or_equals(kSlash, kSlashEquals);
    case '!':
      if (next == '=') return Take(kNotEqual, 2);
      break;
    case ';':
      return Invalid(ErrorCode::kUnsupported, {position_, position_ + 1},
                     "several statements on a line are not supported");
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  return Invalid(ErrorCode::kCorrupt, {position_, position_ + 1},
                 byte >= 0x20 && byte < 0x7f ? fmt::format("stray character '{}'", c)
                                             : fmt::format("stray byte 0x{:02x}", byte));
}

Token Lexer::LineBreak() {
  line_is_open_ = false;
  const TextRange line = Indentation();
  const TextRange block = indentations_.back();
  // At the end of the text all blocks end, however the last line is indented: the text may have
  // stood in a literal that is closed on a line of its own.
  const uint32_t depth = position_ == end_ ? indentations_.front().size() : line.size();
  if (position_ != end_ && std::memcmp(text_ + line.start, text_ + block.start,
                                       std::min(line.size(), block.size())) != 0) {
    return Invalid(ErrorCode::kCorrupt, line, "tabs and spaces are mixed in this indentation");
  }
  if (depth == block.size()) return {TokenKind::kNewline, line};
  if (depth > block.size()) {
    indentations_.push_back(line);
    return {TokenKind::kIndent, line};
  }
  while (indentations_.back().size() > depth) {
    indentations_.pop_back();
    ++dedents_due_;
    if (indentations_.empty()) break;
  }
  if (indentations_.empty() || indentations_.back().size() != depth) {
    dedents_due_ = 0;
    return Invalid(ErrorCode::kCorrupt, line,
                   fmt::format("this line's indentation of {} is that of no open block", depth));
  }
  line_start_ = line;
  return {TokenKind::kNewline, line};
}

Token Lexer::End() {
  if (line_is_open_ && nesting_ == 0) return LineBreak();
  return {TokenKind::kEnd, {position_, position_}};
}

// Nothing is read after it.
Token Lexer::Invalid(ErrorCode code, TextRange range, std::string_view message) {
  error_ = ErrorAt(code, source_, range, message);
  position_ = end_;
  line_is_open_ = false;
  return {TokenKind::kInvalid, range};
}

// Goes on to the first line that has more than white space and comments, past its white space,
// whose range it returns. Must be called at the start of a line.
TextRange Lexer::Indentation() {
  while (true) {
    uint32_t start = position_;
    SkipBlanks();
    if (position_ < end_ && text_[position_] == '#' && !AtTypeComment()) {
      SkipComment();
      start = position_;
    }
    if (position_ == end_ || text_[position_] != '\n') return {start, position_};
    ++position_;
  }
}

void Lexer::SkipBlanks() {
  while (position_ < end_ && IsBlank(text_[position_])) ++position_;
}

void Lexer::SkipComment() {
  const void* newline = std::memchr(text_ + position_, '\n', end_ - position_);
  position_ =
      newline == nullptr ? end_ : static_cast<uint32_t>(static_cast<const char*>(newline) - text_);
}

// `# type: ignore` is for other tools.
bool Lexer::AtTypeComment() const {
  const std::string_view rest(text_ + position_, end_ - position_);
  if (!rest.starts_with(kTypeCommentPrefix)) return false;
  const size_t type = rest.find_first_not_of(" \t", kTypeCommentPrefix.size());
  return type == std::string_view::npos || !rest.substr(type).starts_with("ignore");
}

// The first byte from `position` on that is part of a token, be it a line break.
uint32_t Lexer::SkipWhiteSpace(uint32_t position) const {
  uint32_t at = position;
  while (at < end_) {
    const char c = text_[at];
    if (IsBlank(c) || (c == '\n' && nesting_ > 0)) {
      ++at;
    } else if (c == '#' && nesting_ > 0) {
      while (at < end_ && text_[at] != '\n') ++at;
    } else if (const uint32_t size = c == '\\' ? LineContinuationSize(at) : 0; size > 0) {
      at += size;
    } else {
      break;
    }
  }
  return at;
}

// Size of the `\` and line break at `position`, or 0.
uint32_t Lexer::LineContinuationSize(uint32_t position) const {
  if (At(position + 1) == '\n') return 2;
  return At(position + 1) == '\r' && At(position + 2) == '\n' ? 3 : 0;
}

}  // namespace handrail::script
