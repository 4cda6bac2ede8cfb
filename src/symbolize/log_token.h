// The spellings of debug handles in a log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "handrail/debug_info/handle.h"
#include "handrail/symbolize/map_set.h"

namespace handrail {

// What every spelling begins with. Nothing else in a log is looked at.
inline constexpr std::string_view kTokenHeads[] = {
    "{{{hdh:",
    "debug_handle",
    "Debug info for handle(s): ",
};

enum class TokenState : uint8_t {
  kNone,      // not a token
  kNeedMore,  // the bytes at hand end before it is decided
  kTooLong,   // would be longer than LogFilter::kTokenBytesMax
  kToken,
};

struct LogToken {
  TokenState state = TokenState::kNone;
  size_t size_bytes = 0;  // kToken, kTooLong: of the token, or of what was looked at
  std::optional<BuildName> build;
  std::vector<DebugHandle> handles;  // innermost first; empty: only `digits` are known
  std::string_view digits;           // several handles without separators; a view of the text
};

// The token at the start of `text`, which starts with one of kTokenHeads. `is_all`: nothing follows
// `text`.
LogToken ParseLogToken(std::string_view text, bool is_all);

}  // namespace handrail
