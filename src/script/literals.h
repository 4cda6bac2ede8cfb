// Values of literals, computed when they are asked for: the tree keeps only where they stand.
#pragma once

#include <complex>
#include <string>
#include <variant>

#include "handrail/base/result.h"

#include "script/syntax_tree.h"

namespace handrail::script {

// The text between the quotes of a string or format string token.
TextRange StringContent(const SourceText& source, TextRange token);

// Fails at the first escape in `range` that StringValue would not know: the parser lets none
// through. Known are \\ \' \" \a \b \f \n \r \t \v, \ooo for one byte, and \ before a line break,
// which keeps the line break, as in PyTorch.
Status CheckEscapes(const SourceText& source, TextRange range);

// The bytes of a kString (adjacent literals joined) or kFormatText (`{{` is `{`).
std::string StringValue(const SyntaxTree& tree, SyntaxId id);

// int64_t, double, or, with no real part, complex.
using Number = std::variant<int64_t, double, std::complex<double>>;

// The value of a kNumber, its sign included. As in PyTorch, a number is complex if it ends with
// `j`, else floating if `.`, `e` or `E` is in it, else an integer. Fails on integers that int64_t
// cannot hold, and on those with leading zeros, which Python refuses and PyTorch reads as octal.
Result<Number> NumberValue(const SyntaxTree& tree, SyntaxId id);

}  // namespace handrail::script
