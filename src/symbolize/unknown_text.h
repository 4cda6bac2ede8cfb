// The lines that say in a trace why something is missing.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "handrail/debug_map/debug_map.h"

namespace handrail {

// Appends `  <debug handle 446: not issued by this map>` and a newline; for several handles, one
// line for all. `detail`, unless empty, goes on after the sentence.
void AppendUnknownLine(std::span<const DebugHandle> handles, const Unknown& why,
                       std::string_view detail, std::string& out);

}  // namespace handrail
