#include "handrail/torch_debug/torch_debug.h"

#include <utility>

#include <fmt/format.h>

#include "archive/archive.h"
#include "archive/quoted.h"
#include "torch_debug/file_readers.h"
#include "torch_debug/own_records.h"

namespace handrail {
namespace {

// Whether a record of this name holds nothing that this stage reads under another name.
bool IsKnownName(std::string_view name) {
  for (const std::string_view folder : {"data/", "constants/", "extra/", ".data/"}) {
    if (name.starts_with(folder)) return true;
  }
  for (const std::string_view suffix : {".py", ".debug_pkl"}) {
    if (name.starts_with("code/") && name.ends_with(suffix)) return true;
  }
  for (const std::string_view known :
       {"data.pkl", "constants.pkl", "attributes.pkl", "version", "byteorder", "bytecode.pkl",
        "mobile_debug_handles.pkl", "callstack_debug_map.pkl", "mobile_debug.pkl",
        "delegated_backends.debug_pkl"}) {
    if (name == known) return true;
  }
  return false;
}

// A damaged directory can hide a record under another name, which then would seem to be stripped.
void WarnOfMisnamedRecords(const Archive& archive, WarningList& warnings) {
  for (const ArchiveRecord& record : archive.records()) {
    if (record.name.size() == record.full_name.size()) {
      warnings.Add(record.full_name, Fault::kArchive, ErrorCode::kCorrupt, [&] {
        return archive.archive_name().empty()
                   ? std::string("need a record in a folder, as all are that PyTorch writes")
                   : fmt::format("need a record in folder {}, as the first is",
                                 Quoted(archive.archive_name()));
      });
    } else if (!IsKnownName(record.name)) {
      Result<uint64_t> offset = archive.DataOffset(record);
      if (!offset) warnings.AddWhole(record.name, Fault::kRecord, std::move(offset).error());
    }
  }
}

Status ReadZipFile(std::span<const std::byte> file, std::string_view name,
                   const TorchReadOptions& options, MemoryBudget& budget, WarningList& warnings,
                   TorchDebugInfo& result) {
  HANDRAIL_ASSIGN_OR_RETURN(const Archive archive, Archive::Open(file, std::string(name), budget));
  for (const std::string& warning : archive.warnings()) {
    warnings.AddWhole(warning, Fault::kArchive,
                      Error{ErrorCode::kCorrupt, Error::kNoOffset, warning});
  }
  WarnOfMisnamedRecords(archive, warnings);
  DebugInfoBuilder builder;
  if (IsMobileArchive(archive)) {
    HANDRAIL_RETURN_IF_ERROR(
        ReadMobileArchive(archive, options, budget, builder, warnings, result));
  } else if (IsModuleArchive(archive)) {
    HANDRAIL_RETURN_IF_ERROR(ReadModuleArchive(archive, budget, builder, warnings, result));
  } else {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: need a record bytecode.pkl or code/*.py, have {} records, none of them",
                    name, archive.records().size()));
  }
  result.info = std::move(builder).Finish();
  AddOwnUnits(archive, budget, warnings, result);
  return {};
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
  TorchDebugInfo result;
  if (RecognizeContent(file) == ContentKind::kMobileFlatbuffer) {
    DebugInfoBuilder builder;
    Status status = ReadFlatbufferFile(file, budget, builder, result);
    if (!status) return tl::unexpected<Error>(std::move(status).error().In(name));
    result.info = std::move(builder).Finish();
  } else {
    HANDRAIL_RETURN_IF_ERROR(ReadZipFile(file, name, options, budget, warnings, result));
  }
  result.warnings = warnings.Take();
  return result;
}

}  // namespace handrail
