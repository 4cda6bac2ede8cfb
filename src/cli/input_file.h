// FILE of the command line, opened by what is in it and never by its name.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "handrail/base/mapped_file.h"
#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info.h"
#include "handrail/debug_map/debug_map.h"
#include "handrail/torch_debug/torch_debug.h"

namespace handrail::cli {

// Whether the bytes are a container of PyTorch's. If not, they are a debug map or of no use.
bool IsPytorchFile(std::span<const std::byte> bytes);

// A file as a debug map, whatever it is.
struct InputFile {
  DebugMap map;
  // Only for PyTorch's files: what they say beside their debug info. Its `info` was moved into
  // `map`.
  std::optional<TorchDebugInfo> torch;
  // Of the file itself.
  uint64_t size_bytes = 0;
};
Result<InputFile> OpenInputFile(const std::string& path);

// A file as debug info in memory, to be written as a debug map.
struct InputDebugInfo {
  DebugInfo info;
  std::vector<Error> warnings;
};
Result<InputDebugInfo> ReadInputDebugInfo(const std::string& path);

// What the units of `info` say of no handle: stripped, damaged, contradicted.
uint64_t CountUnknownHandles(const DebugInfo& info);

}  // namespace handrail::cli
