#include "handrail/symbolize/map_file.h"

#include <utility>

#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/torch_debug/torch_debug.h"

#include "archive/archive.h"

namespace handrail {
namespace {

Result<OpenedMap> OpenArchive(const MappedFile& file) {
  HANDRAIL_ASSIGN_OR_RETURN(TorchDebugInfo torch, ReadTorchDebugInfo(file.bytes(), file.name()));
  HANDRAIL_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, EncodeDebugMap(torch.info));
  HANDRAIL_ASSIGN_OR_RETURN(DebugMap map, DebugMap::FromBytes(std::move(bytes), file.name()));
  OpenedMap opened{std::move(map), MapFileKind::kPytorchArchive, file.name(), {}};
  for (Error& warning : torch.warnings) opened.warnings.push_back(std::move(warning.message));
  return opened;
}

}  // namespace

Result<OpenedMap> OpenMap(const std::filesystem::path& path, MapMode mode) {
  HANDRAIL_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path, mode));
  switch (RecognizeContent(file.bytes())) {
    case ContentKind::kZip:
    case ContentKind::kMobileFlatbuffer:
    case ContentKind::kPyTorchPreview:
      return OpenArchive(file);
    case ContentKind::kEmpty:
      return Fail(ErrorCode::kTruncated,
                  file.name() + ": need a debug map or a PyTorch archive, have an empty file", 0);
    case ContentKind::kOther:
      break;
  }
  HANDRAIL_ASSIGN_OR_RETURN(DebugMap map, DebugMap::Open(path, mode));
  return OpenedMap{std::move(map), MapFileKind::kDebugMap, file.name(), {}};
}

}  // namespace handrail
