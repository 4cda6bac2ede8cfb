// Module archives (.pt) and the TorchScript parts of a torch.package: sources and ranges, no
// handles.
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "torch_debug/build_id.h"
#include "torch_debug/file_readers.h"
#include "torch_debug/tagged_ranges.h"

namespace handrail {
namespace {

constexpr std::string_view kCodeSuffix = ".py";
constexpr std::string_view kCodeFolder = "code/";
// A torch.package keeps its TorchScript under this name, each module's data in a numbered folder
// beside the code that all share.
constexpr std::string_view kPackagedCodeFolder = ".data/ts_code/code/";

bool IsCode(const ArchiveRecord& record) {
  return record.name.ends_with(kCodeSuffix) &&
         (record.name.starts_with(kCodeFolder) || record.name.starts_with(kPackagedCodeFolder));
}

}  // namespace

bool IsModuleArchive(const Archive& archive) {
  for (const ArchiveRecord& record : archive.records()) {
    if (IsCode(record) || record.name.ends_with(kRangesSuffix)) return true;
  }
  return false;
}

Status ReadModuleArchive(const Archive& archive, MemoryBudget& budget, DebugInfoBuilder& builder,
                         WarningList& warnings, TorchDebugInfo& result) {
  result.kind = TorchFileKind::kModule;
  TaggedRanges ranges(TaggedRanges::Use::kEverything, builder, budget, warnings);
  std::vector<std::pair<std::string_view, std::optional<Hash128>>> code;
  for (const ArchiveRecord& record : archive.records()) {
    const bool is_code = IsCode(record);
    const bool is_ranges = record.name.ends_with(kRangesSuffix);
    if (!is_code && !is_ranges) continue;
    result.has_debug_info |= is_ranges;
    Result<RecordBytes> content = archive.Read(record, budget);
    if (is_code) {
      code.emplace_back(record.name, std::nullopt);
      if (content) code.back().second = HashBytes(content->bytes());
    }
    if (!content) {
      warnings.AddWhole(record.name, Fault::kRecord, std::move(content).error());
    } else if (is_ranges) {
      ranges.AddRecord(record.name, content->bytes());
    }
  }
  BuildIdRecord data_for_id;
  std::optional<RecordBytes> data_content;
  if (const ArchiveRecord* data = archive.Find("data.pkl")) {
    data_for_id.is_present = true;
    Result<RecordBytes> content = archive.Read(*data, budget);
    if (content) {
      data_content = *std::move(content);
      data_for_id.content = data_content->bytes();
      result.top_type = RootTypeOf(data_content->bytes());
    } else {
      warnings.AddWhole(data->name, Fault::kRecord, std::move(content).error());
    }
  }
  result.build_id = BuildIdOfModule(archive, std::move(code), data_for_id);
  return {};
}

}  // namespace handrail
