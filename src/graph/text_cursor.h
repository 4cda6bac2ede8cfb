// Reads forward through one of the texts of this stage: schemas, types, graphs. Nothing is read
// beyond the end, and every failure says where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "handrail/base/result.h"

namespace handrail::graph {

// Blanks between tokens are skipped; line ends are tokens of their own (TakeLineEnd).
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  size_t offset() const { return offset_; }
  bool at_end();
  // The next byte, blanks not skipped; 0 at the end.
  char next() const { return offset_ < text_.size() ? text_[offset_] : '\0'; }

  // True if `token` comes next. A token that ends like a name must not go on as one.
  bool Sees(std::string_view token);
  // Takes it if it comes next.
  bool Take(std::string_view token);
  Status Expect(std::string_view token);
  // Takes line ends, and with them empty lines. False if there is none here.
  bool TakeLineEnd();
  // Up to the end of the line, which stays.
  std::string_view TakeRestOfLine();

  // Moves on by `size` bytes, which must be there.
  void Skip(size_t size) { offset_ += size; }
  std::string_view TextSince(size_t offset) const { return text_.substr(offset, offset_ - offset); }

  // A name of letters, digits, `_` and bytes beyond ASCII; empty: there is none here.
  std::string_view TakeName();
  // Names with `.` or `::` between: "__torch__.M", "aten::add".
  std::string_view TakeDottedName();
  // Up to `end`, which is taken, too.
  Result<std::string_view> TakeUpTo(char end);
  Result<uint32_t> TakeUint32(std::string_view what);
  // A number as constants write it: digits, and what makes a number floating or complex.
  std::string_view TakeNumber();
  // A string in double quotes, with the escapes that WriteQuoted writes.
  Result<std::string> TakeQuoted();

  // kCorrupt: "3:14: expected ')', found 'x'", lines and columns 1-based.
  Error Expected(std::string_view what);
  Error ErrorHere(std::string_view message) const;
  Error ErrorAt(size_t offset, std::string_view message) const;

 private:
  void SkipBlanks();

  std::string_view text_;
  size_t offset_ = 0;
};

// Appends `text` in double quotes. Bytes outside of printable ASCII become \n, \t, … or \x0b.
void WriteQuoted(std::string_view text, std::string& out);

}  // namespace handrail::graph
