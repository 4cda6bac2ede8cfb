// Debug info as the bytes of a debug map, and back.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info.h"
#include "handrail/debug_map/debug_map.h"

namespace handrail {

struct DebugMapOptions {
  // Whether the sources' texts go into the map. Without them, traces have no source lines.
  bool source_text = true;
  // Replaces the first OLD that is a prefix of a file name, at a path boundary, by its NEW.
  std::vector<std::pair<std::string, std::string>> path_map;
};

// The same `info`, in whatever order it was recorded, gives the same bytes. Rows that no handle
// leads to are left out, unless there are no handles at all (the sources of a module archive).
// Fails only with kLimit.
Result<std::vector<std::byte>> EncodeDebugMap(const DebugInfo& info,
                                              const DebugMapOptions& options = {});

// The inverse. Fails with kCorrupt if any of the map is damaged.
Result<DebugInfo> DecodeDebugMap(const DebugMap& map);

// One debug info with the units of all `infos`. A unit that occurs twice with equal nodes is kept
// once. Fails with kConflict if two units with one key differ, or two keys share a handle space.
Result<DebugInfo> MergeDebugInfo(std::span<const DebugInfo* const> infos);

// Writes `bytes` to a temporary file beside `path` and renames it: `path` holds the old bytes or
// the new ones, at any moment. Fails with kIo.
Status WriteFileAtomically(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace handrail
