#include "archive/archive_edit.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "archive/zip_writer.h"

namespace handrail {

Result<std::string> EditArchive(const Archive& archive, const ArchiveEdit& edit) {
  const auto& records = archive.records();
  if (std::any_of(records.begin(), records.end(),
                  [](const ArchiveRecord& record) { return record.is_recovered; })) {
    return Fail(
        ErrorCode::kCorrupt,
        fmt::format("{}: its directory is damaged: a copy could lack records", archive.name()));
  }
  std::string bytes;
  ZipWriter writer(/*archive_name=*/"", bytes);
  const auto add = [&](const ArchiveEdit::NewRecord& record) -> Status {
    const std::string name = archive.archive_name().empty()
                                 ? record.name
                                 : fmt::format("{}/{}", archive.archive_name(), record.name);
    if (Status status = writer.Add(name, record.content,
                                   PyTorchRecordMethod(record.name, record.content.size()));
        !status) {
      return tl::unexpected(std::move(status).error().In(archive.name()));
    }
    return {};
  };
  std::unordered_map<std::string_view, const ArchiveEdit::NewRecord*> replacing;
  for (const ArchiveEdit::NewRecord& record : edit.added) {
    if (archive.Find(record.name) == nullptr) continue;
    if (!replacing.emplace(record.name, &record).second) {
      return Fail(ErrorCode::kConflict,
                  fmt::format("{}: record '{}': was added before", archive.name(), record.name));
    }
  }
  for (const ArchiveRecord& record : records) {
    if (edit.removes && edit.removes(record.name)) continue;
    if (const auto replaced = replacing.find(record.name); replaced != replacing.end()) {
      HANDRAIL_RETURN_IF_ERROR(add(*replaced->second));
      continue;
    }
    if (Status status = writer.AddCopy(archive, record); !status) {
      Error error = std::move(status).error();
      if (error.code == ErrorCode::kConflict) error = std::move(error).In(archive.name());
      return tl::unexpected(std::move(error));
    }
  }
  for (const ArchiveEdit::NewRecord& record : edit.added) {
    const bool is_there =
        replacing.contains(record.name) && !(edit.removes && edit.removes(record.name));
    if (!is_there) HANDRAIL_RETURN_IF_ERROR(add(record));
  }
  HANDRAIL_RETURN_IF_ERROR(writer.Finish());
  return bytes;
}

}  // namespace handrail
