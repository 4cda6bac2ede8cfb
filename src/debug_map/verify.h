// Checks everything there is to check in a debug map, and names each fault and its place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "handrail/debug_map/debug_map.h"

namespace handrail::debug_map {

struct Fault {
  uint64_t offset;      // in the file
  std::string message;  // "section STCK: row 12: caller distance 13 is beyond the first row"
};

// Faults in the order of the file, at most `kFaultsMax`, the last one then says how many more there
// are. Empty: the map is what a writer wrote, and every look-up in it will succeed.
inline constexpr size_t kFaultsMax = 100;
std::vector<Fault> Verify(const DebugMap& map);

}  // namespace handrail::debug_map
