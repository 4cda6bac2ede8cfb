#include "script/token_cursor.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace handrail::script {
namespace {

// Python that is no TorchScript. To the lexer these words are names, so a text that uses them as
// Python does fails at what follows them, and only then are they looked up here.
constexpr std::string_view kReservedWords[] = {
    "async", "await", "except", "finally", "from", "lambda", "nonlocal", "try", "yield",
};
// These may be names.
constexpr std::string_view kSoftWords[] = {"case", "match"};

template <size_t kSize>
bool Contains(const std::string_view (&words)[kSize], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool IsSymbol(TokenKind kind) {
  return kind >= TokenKind::kOpenParen;
}
bool IsKeyword(TokenKind kind) {
  return kind >= TokenKind::kIf && kind <= TokenKind::kNotIn;
}

std::string Quoted(TokenKind kind) {
  return IsSymbol(kind) || IsKeyword(kind) ? fmt::format("'{}'", Describe(kind))
                                           : std::string(Describe(kind));
}

}  // namespace

tl::unexpected<Error> TokenCursor::Expected(TokenKind kind) const {
  return Expected(Quoted(kind));
}

tl::unexpected<Error> TokenCursor::Expected(std::string_view what) const {
  if (kind() == TokenKind::kInvalid) return tl::unexpected<Error>(lexer_.error());
  if (kind() == TokenKind::kGlobal || kind() == TokenKind::kImport) {
    return FailAt(ErrorCode::kUnsupported, range(),
                  fmt::format("'{}' is not supported here", Describe(kind())));
  }
  const std::string_view before = TextOf(source_, previous_.range);
  if (Contains(kReservedWords, before) || Contains(kSoftWords, before)) {
    return FailAt(ErrorCode::kUnsupported, previous_.range,
                  fmt::format("'{}' is not supported", before));
  }
  // `try:` fails on the next line.
  const std::string_view first = TextOf(source_, line_start_.range);
  if (Contains(kReservedWords, first)) {
    return FailAt(ErrorCode::kUnsupported, line_start_.range,
                  fmt::format("'{}' is not supported", first));
  }
  switch (kind()) {
    case TokenKind::kName:
    case TokenKind::kNumber:
      return FailAt(ErrorCode::kCorrupt, range(),
                    fmt::format("expected {}, found {} '{}'", what, Describe(kind()),
                                TextOf(source_, range()).substr(0, 40)));
    case TokenKind::kIndent:
      if (what == Describe(TokenKind::kNewline)) {
        return FailAt(ErrorCode::kCorrupt, range(), "unexpected indentation");
      }
      [[fallthrough]];
    case TokenKind::kNewline:
    case TokenKind::kDedent:
    case TokenKind::kEnd: {
      // Shown where the line ended, not where the next one begins.
      const TextRange place{previous_.range.end, previous_.range.end};
      return FailAt(
          ErrorCode::kCorrupt, place,
          fmt::format("expected {}, found {}", what,
                      Describe(kind() == TokenKind::kEnd ? TokenKind::kEnd : TokenKind::kNewline)));
    }
    default:
      return FailAt(ErrorCode::kCorrupt, range(),
                    fmt::format("expected {}, found {}", what, Quoted(kind())));
  }
}

}  // namespace handrail::script
