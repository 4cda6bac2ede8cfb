#include "handrail/torch_debug/strip.h"

#include <fmt/format.h>

#include "archive/archive_edit.h"
#include "torch_debug/call_stacks.h"
#include "torch_debug/file_readers.h"
#include "torch_debug/handle_record.h"
#include "torch_debug/own_records.h"
#include "torch_debug/tagged_ranges.h"

namespace handrail {

bool IsDebugInfoRecord(std::string_view record_name) {
  return record_name == kCallStackMapName || record_name == kOwnDebugInfoName ||
         record_name.ends_with(kRangesSuffix);
}

Result<std::string> StripTorchArchive(std::span<const std::byte> file, std::string_view name) {
  if (RecognizeContent(file) == ContentKind::kMobileFlatbuffer) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: a mobile flatbuffer has no debug info to take out", name));
  }
  MemoryBudget budget(file.size());
  HANDRAIL_ASSIGN_OR_RETURN(const Archive archive, Archive::Open(file, std::string(name), budget));
  if (!IsMobileArchive(archive)) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: need an archive for the mobile runtime, whose code has debug "
                            "handles; without them nothing leads back to its debug info",
                            name));
  }
  for (const std::string_view needed : {HandleRecord::kName, kCallStackMapName}) {
    if (archive.Find(needed) != nullptr) continue;
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: has no record {}: there is no debug info to take out", name, needed));
  }
  return EditArchive(archive, {.removes = IsDebugInfoRecord, .added = {}});
}

}  // namespace handrail
