// Text into tokens, one at a time.
//
// Tokens are ranges of the text and nothing is copied. Line breaks inside brackets are white space,
// as are comments, except the ones that give types (`# type: ...`). Ranges, and what counts as one
// token, are those of PyTorch's lexer wherever that reads the text at all; beyond it this one knows
// format strings, names outside ASCII, and texts that do not end with a line break.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"

#include "script/source_text.h"

namespace handrail::script {

enum class TokenKind : uint8_t {
#define HANDRAIL_TOKEN(name, text) name,
#include "script/tokens.def"
};

// How messages show a token of this kind: "name", "')'".
std::string_view Describe(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::kEnd;
  TextRange range;
};

class Lexer {
 public:
  // The text must be at most limits::kScriptBytesMax bytes.
  explicit Lexer(const SourceText& source);

  Token Next();

  // Whether the next token is `=`. Does not read it.
  bool NextIsEquals() const;

  // Why the last token was kInvalid.
  const Error& error() const { return error_; }

  // Reading only part of the text, as if inside brackets: the fields of a format string.
  struct Window {
    uint32_t position = 0;
    uint32_t end = 0;
    uint32_t nesting = 0;
  };
  Window window() const { return {position_, end_, nesting_}; }
  void SetWindow(Window window);

 private:
  Token Take(TokenKind kind, uint32_t size);
  Token Symbol();
  Token Word();
  Token Number();
  Token String(uint32_t prefix_size);
  Token LineBreak();
  Token End();
  Token Invalid(ErrorCode code, TextRange range, std::string_view message);
  TextRange Indentation();
  void SkipBlanks();
  void SkipComment();
  bool AtTypeComment() const;
  uint32_t SkipWhiteSpace(uint32_t position) const;
  uint32_t EndOfWord(std::string_view word, uint32_t position) const;
  uint32_t LineContinuationSize(uint32_t position) const;
  char At(uint32_t position) const { return position < end_ ? text_[position] : '\0'; }

  const SourceText& source_;
  const char* text_;
  uint32_t end_;
  uint32_t position_ = 0;
  uint32_t nesting_ = 0;
  uint32_t dedents_due_ = 0;
  bool line_is_open_ = false;            // a token has come since the last line break
  TextRange line_start_;                 // white space of the line that the due dedents lead to
  std::vector<TextRange> indentations_;  // of the open blocks; each starts with the one before it
  Error error_{ErrorCode::kCorrupt, Error::kNoOffset, {}};
};

}  // namespace handrail::script
