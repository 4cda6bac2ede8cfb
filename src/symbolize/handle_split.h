// Handles printed without separators, taken apart.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "handrail/debug_map/debug_map.h"

namespace handrail {

// Appends to `ways`, up to `ways_max` in all, the ways to read `digits` ("72446", "72-1") as a list
// of handles that PyTorch can have printed for this map (handle_roles.h). Longer first handles come
// first. Returns false if there are more ways.
bool SplitForMap(const DebugMap& map, std::string_view digits, size_t ways_max,
                 std::vector<std::vector<DebugHandle>>& ways);

}  // namespace handrail
