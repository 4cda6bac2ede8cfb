#include "symbolize/unknown_text.h"

#include <iterator>

#include <fmt/format.h>

namespace handrail {

void AppendUnknownLine(std::span<const DebugHandle> handles, const Unknown& why,
                       std::string_view detail, std::string& out) {
  const auto end = std::back_inserter(out);
  fmt::format_to(end, "  <debug handle{} {}: {}", handles.size() == 1 ? "" : "s",
                 fmt::join(handles, ","), Sentence(why.reason));
  if (why.reason == UnknownReason::kDamagedMap) fmt::format_to(end, ", at 0x{:x}", why.offset);
  if (!detail.empty()) fmt::format_to(end, ": {}", detail);
  out += ">\n";
}

}  // namespace handrail
