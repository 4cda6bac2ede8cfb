#include "handrail/torch_debug/torch_debug.h"

#include <utility>

#include <fmt/format.h>

#include "archive/archive.h"
#include "torch_debug/file_readers.h"

namespace handrail {
namespace {

Status ReadZipFile(std::span<const std::byte> file, std::string_view name,
                   const TorchReadOptions& options, MemoryBudget& budget, DebugInfoBuilder& builder,
                   WarningList& warnings, TorchDebugInfo& result) {
  HANDRAIL_ASSIGN_OR_RETURN(const Archive archive, Archive::Open(file, std::string(name), budget));
  for (const std::string& warning : archive.warnings()) {
    warnings.AddWhole(warning, Fault::kArchive,
                      Error{ErrorCode::kCorrupt, Error::kNoOffset, warning});
  }
  if (IsMobileArchive(archive)) {
    return ReadMobileArchive(archive, options, budget, builder, warnings, result);
  }
  if (IsModuleArchive(archive)) {
    return ReadModuleArchive(archive, budget, builder, warnings, result);
  }
  return Fail(
      ErrorCode::kUnsupported,
      fmt::format("{}: need a record bytecode.pkl or code/*.py, have {} records, none of them",
                  name, archive.records().size()));
}

}  // namespace

std::string_view ToString(TorchFileKind kind) {
  switch (kind) {
#define HANDRAIL_TORCH_FILE_KIND(name, text) \
  case TorchFileKind::name:                  \
    return text;
#include "handrail/torch_debug/torch_file_kinds.def"
  }
  return "unknown";
}

Result<TorchDebugInfo> ReadTorchDebugInfo(std::span<const std::byte> file, std::string_view name,
                                          const TorchReadOptions& options) {
  MemoryBudget budget(file.size());
  WarningList warnings(name);
  DebugInfoBuilder builder;
  TorchDebugInfo result;
  if (RecognizeContent(file) == ContentKind::kMobileFlatbuffer) {
    Status status = ReadFlatbufferFile(file, budget, builder, result);
    if (!status) return tl::unexpected<Error>(std::move(status).error().In(name));
  } else {
    HANDRAIL_RETURN_IF_ERROR(ReadZipFile(file, name, options, budget, builder, warnings, result));
  }
  result.info = std::move(builder).Finish();
  result.warnings = warnings.Take();
  return result;
}

}  // namespace handrail
