// The parser's place among the tokens: one token is current, and one is behind.
#pragma once

#include "script/lexer.h"

namespace handrail::script {

class TokenCursor {
 public:
  explicit TokenCursor(const SourceText& source) : source_(source), lexer_(source) { Advance(); }

  const SourceText& source() const { return source_; }
  Lexer& lexer() { return lexer_; }

  TokenKind kind() const { return current_.kind; }
  TextRange range() const { return current_.range; }

  void Advance() {
    previous_ = current_;
    current_ = lexer_.Next();
    const TokenKind before = previous_.kind;
    if (before == TokenKind::kNewline || before == TokenKind::kIndent ||
        before == TokenKind::kDedent) {
      line_start_ = current_;
    }
  }
  bool Accept(TokenKind kind) {
    if (current_.kind != kind) return false;
    Advance();
    return true;
  }
  Status Expect(TokenKind kind) {
    if (Accept(kind)) return {};
    return Expected(kind);
  }

  // The error that something else stands here. Says so when that is a feature left out on purpose.
  tl::unexpected<Error> Expected(TokenKind kind) const;
  tl::unexpected<Error> Expected(std::string_view what) const;
  tl::unexpected<Error> FailAt(ErrorCode code, TextRange range, std::string_view message) const {
    return tl::unexpected<Error>(ErrorAt(code, source_, range, message));
  }

 private:
  const SourceText& source_;
  Lexer lexer_;
  Token current_;
  Token previous_;
  Token line_start_;  // the first of the statement that the current token is in
};

}  // namespace handrail::script
