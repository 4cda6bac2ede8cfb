// How many bytes each part of a debug map takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "handrail/debug_map/debug_map.h"

namespace handrail::debug_map {

struct PartSize {
  std::string tag;          // "header", "checksums", or a section's tag
  std::string content;      // what is in it, for people
  uint64_t size_bytes = 0;  // with its share of the directory
  uint64_t row_count = 0;   // of a table; 0 for other parts
};

struct Stats {
  std::vector<PartSize> parts;  // in the order of the file; their sizes add up to the file's
  uint64_t file_bytes = 0;
  uint64_t handle_count = 0;
};

Stats StatsOf(const DebugMap& map);

}  // namespace handrail::debug_map
