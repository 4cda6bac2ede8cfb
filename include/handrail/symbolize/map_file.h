// Opens whatever holds debug info as a debug map: one look-up path for all kinds of files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "handrail/base/mapped_file.h"
#include "handrail/base/result.h"
#include "handrail/debug_map/debug_map.h"

namespace handrail {

enum class MapFileKind : uint8_t {
  kDebugMap,        // an *.hdm file
  kPytorchArchive,  // PyTorch's zip archive or mobile flatbuffer, turned into a debug map in memory
};

struct OpenedMap {
  DebugMap map;
  MapFileKind kind = MapFileKind::kDebugMap;
  std::string path;
  // What is wrong with the file although it can be read; each names the file.
  std::vector<std::string> warnings;
};

// The kind is recognized by the content, never by the name. Fails as DebugMap::Open and
// ReadTorchDebugInfo do, and with kUnsupported for anything else (a folder: see MapSet).
Result<OpenedMap> OpenMap(const std::filesystem::path& path, MapMode mode = MapMode::kMap);

}  // namespace handrail
