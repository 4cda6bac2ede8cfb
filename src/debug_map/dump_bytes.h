// A debug map as annotated hexadecimal: every byte once, with the name and value of what it holds.
#pragma once

#include <string>

#include "handrail/debug_map/debug_map.h"

namespace handrail::debug_map {

// One line a field, 16 bytes a line:
//   000008: 01 00                                            major version = 1
// The rows of a packed table share bytes with their neighbours, so a table's bytes come first and
// its rows are listed below them:
//           row 3: caller_distance = 1, call_site = 2
std::string DumpBytes(const DebugMap& map);

}  // namespace handrail::debug_map
