#include "archive/quoted.h"

#include <cstdint>
#include <iterator>

#include <fmt/format.h>

namespace handrail {

std::string Quoted(std::string_view text) {
  constexpr size_t kShownBytesMax = 80;
  std::string out = "'";
  for (const char c : text.substr(0, kShownBytesMax)) {
    if (c >= ' ' && c <= '~' && c != '\'' && c != '\\') {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<uint8_t>(c));
    }
  }
  out += text.size() > kShownBytesMax ? "...'" : "'";
  return out;
}

}  // namespace handrail
