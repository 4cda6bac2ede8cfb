// Names and texts from input, as error messages show them.
#pragma once

#include <string>
#include <string_view>

namespace handrail {

// `text` in '...', with \xNN for bytes that are not printable ASCII and for the quote and
// backslash; at most 80 bytes of it, then "...". A message stays one line, whatever a file calls
// its records.
std::string Quoted(std::string_view text);

}  // namespace handrail
