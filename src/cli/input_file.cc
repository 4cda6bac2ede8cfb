#include "cli/input_file.h"

#include <utility>

#include "handrail/debug_map/debug_map_writer.h"

#include "archive/archive.h"

namespace handrail::cli {

bool IsPytorchFile(std::span<const std::byte> bytes) {
  switch (RecognizeContent(bytes)) {
    case ContentKind::kZip:
    case ContentKind::kMobileFlatbuffer:
    case ContentKind::kPyTorchPreview:
      return true;
    case ContentKind::kEmpty:
    case ContentKind::kOther:
      return false;
  }
  return false;
}

Result<InputFile> OpenInputFile(const std::string& path) {
  HANDRAIL_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
  const uint64_t size_bytes = file.bytes().size();
  if (!IsPytorchFile(file.bytes())) {
    HANDRAIL_ASSIGN_OR_RETURN(DebugMap map, DebugMap::Open(path));
    return InputFile{std::move(map), std::nullopt, size_bytes};
  }
  HANDRAIL_ASSIGN_OR_RETURN(TorchDebugInfo torch, ReadTorchDebugInfo(file.bytes(), path));
  HANDRAIL_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, EncodeDebugMap(torch.info));
  torch.info = DebugInfo();
  HANDRAIL_ASSIGN_OR_RETURN(DebugMap map, DebugMap::FromBytes(std::move(bytes), path));
  return InputFile{std::move(map), std::move(torch), size_bytes};
}

Result<InputDebugInfo> ReadInputDebugInfo(const std::string& path) {
  HANDRAIL_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path));
  if (!IsPytorchFile(file.bytes())) {
    HANDRAIL_ASSIGN_OR_RETURN(DebugMap map, DebugMap::Open(path));
    HANDRAIL_ASSIGN_OR_RETURN(DebugInfo info, DecodeDebugMap(map));
    return InputDebugInfo{std::move(info), {}};
  }
  HANDRAIL_ASSIGN_OR_RETURN(TorchDebugInfo torch, ReadTorchDebugInfo(file.bytes(), path));
  return InputDebugInfo{std::move(torch.info), std::move(torch.warnings)};
}

uint64_t CountUnknownHandles(const DebugInfo& info) {
  uint64_t count = 0;
  for (const Unit& unit : info.units) {
    for (const Node& node : unit.nodes) {
      switch (info.ranges[node.range.index].gap) {
        case RangeGap::kStripped:
        case RangeGap::kDamagedRecord:
        case RangeGap::kConflict:
          ++count;
          break;
        case RangeGap::kNull:
        case RangeGap::kNotRecorded:
        case RangeGap::kUndefinedTag:
        case RangeGap::kOutsideText:
          break;
      }
    }
  }
  return count;
}

}  // namespace handrail::cli
