#include "archive/archive.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "handrail/base/byte_cursor.h"

#include "archive/quoted.h"
#include "archive/zip_layout.h"
#include "archive/zip_records.h"

namespace handrail {
namespace {

constexpr std::string_view kPreviewMagic = "PYTORCH1";
constexpr std::string_view kMobileFlatbufferMagic = "PTMF";
constexpr std::string_view kDirectoryMemory = "central directory";

// Where the record ends at the earliest: its local header can be longer than this by an extra
// field. Saturates, since hostile sizes can be anything.
uint64_t EarliestEnd(const ArchiveRecord& record) {
  const uint64_t header_bytes = zip::kLocalHeaderBytes + record.full_name.size();
  if (record.stored_size_bytes > UINT64_MAX - header_bytes) return UINT64_MAX;
  const uint64_t size_bytes = header_bytes + record.stored_size_bytes;
  if (record.local_header_offset > UINT64_MAX - size_bytes) return UINT64_MAX;
  return record.local_header_offset + size_bytes;
}

// What the file begins with, for "not a zip archive".
std::string FirstBytes(std::span<const std::byte> bytes) {
  return Quoted(AsText(bytes.first(std::min<size_t>(bytes.size(), 4))));
}

}  // namespace

ContentKind RecognizeContent(std::span<const std::byte> bytes) {
  if (bytes.empty()) return ContentKind::kEmpty;
  if (AsText(bytes).starts_with(kPreviewMagic)) return ContentKind::kPyTorchPreview;
  // Before zip, as PyTorch does: the first four bytes of a flatbuffer are an offset of any value.
  if (bytes.size() >= 8 && AsText(bytes).substr(4, 4) == kMobileFlatbufferMagic) {
    return ContentKind::kMobileFlatbuffer;
  }
  const uint32_t signature = zip::SignatureAt(bytes, 0);
  if (signature == zip::kLocalHeaderSignature || signature == zip::kEndSignature ||
      signature == zip::kZip64EndSignature) {
    return ContentKind::kZip;
  }
  return ContentKind::kOther;
}

Result<Archive> Archive::Open(std::span<const std::byte> bytes, std::string name,
                              MemoryBudget& budget) {
  Archive archive;
  archive.bytes_ = bytes;
  archive.name_ = std::move(name);
  archive.charge_ = MemoryCharge(budget);
  const auto fail = [&](Error error) { return tl::unexpected(std::move(error).In(archive.name_)); };
  if (bytes.empty()) {
    return fail({ErrorCode::kTruncated, 0, "is empty, need a zip archive"});
  }
  if (RecognizeContent(bytes) == ContentKind::kPyTorchPreview) {
    return fail({ErrorCode::kUnsupported, 0,
                 "begins with 'PYTORCH1': an archive of PyTorch's preview release, need a zip "
                 "archive"});
  }
  if (Status directory = archive.ReadDirectory(budget); !directory) {
    const ErrorCode code = directory.error().code;
    if (code == ErrorCode::kLimit || code == ErrorCode::kUnsupported) {
      return fail(std::move(directory).error());
    }
    archive.records_.clear();
    Result<std::string> end_of_scan = archive.Recover(budget);
    if (!end_of_scan) return fail(std::move(end_of_scan).error());
    if (archive.records_.empty()) {
      if (RecognizeContent(bytes) == ContentKind::kZip) return fail(std::move(directory).error());
      return fail({ErrorCode::kCorrupt, 0,
                   fmt::format("not a zip archive: begins with {}, need 'PK'", FirstBytes(bytes))});
    }
    archive.Warn(fmt::format("{}; found {} records by walking from the start",
                             directory.error().message, archive.records_.size()));
    if (!end_of_scan->empty()) archive.Warn(*end_of_scan);
  }
  if (Status indexed = archive.IndexRecords(budget); !indexed) {
    return fail(std::move(indexed).error());
  }
  return archive;
}

Status Archive::ReadDirectory(MemoryBudget& budget) {
  HANDRAIL_ASSIGN_OR_RETURN(const zip::Directory directory, zip::FindDirectory(bytes_));
  const auto offset = static_cast<size_t>(directory.offset);
  ByteCursor cursor(bytes_.subspan(offset, static_cast<size_t>(directory.size_bytes)),
                    directory.offset);
  for (uint64_t entry = 0; entry < directory.entry_count; ++entry) {
    Result<zip::CentralHeader> header = zip::ReadCentralHeader(cursor);
    if (!header) {
      return tl::unexpected(
          std::move(header).error().In(fmt::format("central directory: entry {}", entry)));
    }
    ArchiveRecord record;
    record.full_name = header->name;
    record.size_bytes = header->extents.size_bytes;
    record.stored_size_bytes = header->extents.stored_size_bytes;
    record.local_header_offset = header->extents.local_header_offset;
    record.checksum = header->checksum;
    record.method = header->method;
    record.flags = header->flags;
    record.is_on_other_disk = header->extents.disk != 0;
    HANDRAIL_RETURN_IF_ERROR(AddRecord(record, budget));
  }
  if (zip::SignatureAt(bytes_, cursor.offset()) == zip::kCentralHeaderSignature) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("offset {:#x}: central directory: has more entries than the {} that "
                            "the end record says",
                            cursor.offset(), directory.entry_count),
                cursor.offset());
  }
  records_end_offset_ = directory.offset;
  if (directory.bytes_after_end > 0) {
    Warn(fmt::format("{} bytes follow the end record", directory.bytes_after_end));
  }
  return {};
}

Status Archive::AddRecord(const ArchiveRecord& record, MemoryBudget& budget) {
  // Row numbers are 32 bits; the vector's growth is charged before it happens, the old memory until
  // the new one is there.
  if (records_.size() == limits::kRowsMax) {
    return Fail(ErrorCode::kLimit, fmt::format("more than {} records", limits::kRowsMax));
  }
  if (records_.size() == records_.capacity()) {
    const size_t capacity = std::max<size_t>(16, records_.capacity() * 2);
    MemoryCharge grown(budget);
    HANDRAIL_RETURN_IF_ERROR(grown.Take(capacity * sizeof(ArchiveRecord), kDirectoryMemory));
    records_.reserve(capacity);
    charge_ = std::move(grown);
  }
  records_.push_back(record);
  return {};
}

Status Archive::IndexRecords(MemoryBudget& budget) {
  if (!records_.empty()) {
    const std::string_view first = records_.front().full_name;
    if (const size_t slash = first.find('/'); slash != std::string_view::npos) {
      archive_name_ = first.substr(0, slash);
    }
  }
  std::erase_if(records_, [](const ArchiveRecord& record) {
    return record.size_bytes == 0 && record.full_name.ends_with('/');
  });
  const auto is_in_folder = [&](std::string_view name) {
    return !archive_name_.empty() && name.size() > archive_name_.size() &&
           name.starts_with(archive_name_) && name[archive_name_.size()] == '/';
  };
  for (ArchiveRecord& record : records_) {
    record.name = is_in_folder(record.full_name) ? record.full_name.substr(archive_name_.size() + 1)
                                                 : record.full_name;
  }

  HANDRAIL_RETURN_IF_ERROR(charge_.Take(records_.size() * sizeof(uint32_t), kDirectoryMemory));
  by_name_.resize(records_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0);
  MemoryCharge sorting(budget);
  HANDRAIL_RETURN_IF_ERROR(sorting.Take(records_.size() * sizeof(uint32_t), kDirectoryMemory));
  std::vector<uint32_t> by_offset = by_name_;
  MarkOverlaps(by_offset);

  std::sort(by_name_.begin(), by_name_.end(), [&](uint32_t a, uint32_t b) {
    const int order = records_[a].full_name.compare(records_[b].full_name);
    return order != 0 ? order < 0 : a < b;
  });
  for (size_t i = 0; i + 1 < by_name_.size();) {
    const std::string_view name = records_[by_name_[i]].full_name;
    size_t end = i + 1;
    while (end < by_name_.size() && records_[by_name_[end]].full_name == name) ++end;
    if (end - i > 1) {
      Warn(
          fmt::format("record {}: is there {} times", Quoted(records_[by_name_[i]].name), end - i));
    }
    i = end;
  }
  return {};
}

// A record that reaches over the header of the next cannot be what its writer meant. The next one
// counts only if its header is really there: one bad offset in the directory must not make the
// intact record that it points into unreadable.
void Archive::MarkOverlaps(std::vector<uint32_t>& rows) {
  std::sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(records_[a].local_header_offset, a) <
           std::pair(records_[b].local_header_offset, b);
  });
  ArchiveRecord* previous = nullptr;
  for (const uint32_t row : rows) {
    ArchiveRecord& record = records_[row];
    if (previous != nullptr && EarliestEnd(*previous) > record.local_header_offset) {
      if (!zip::IsLocalHeaderOf(bytes_, record.local_header_offset, record.full_name)) continue;
      previous->overlaps = true;
      Warn(fmt::format("record {}: overlaps record {}", Quoted(previous->name),
                       Quoted(record.name)));
    }
    previous = &record;
  }
}

void Archive::Warn(std::string_view message) {
  if (warnings_.size() + 1 < kWarningsMax) {
    warnings_.push_back(fmt::format("{}: {}", name_, message));
  } else if (warnings_.size() + 1 == kWarningsMax) {
    warnings_.push_back(fmt::format("{}: and more faults", name_));
  }
}

std::span<const uint32_t> Archive::RowsOf(std::string_view record_name) const {
  const auto rows_of_full_name = [&](std::string_view full_name) {
    const auto begin = std::lower_bound(
        by_name_.begin(), by_name_.end(), full_name,
        [&](uint32_t row, std::string_view name) { return records_[row].full_name < name; });
    const auto end = std::upper_bound(
        begin, by_name_.end(), full_name,
        [&](std::string_view name, uint32_t row) { return name < records_[row].full_name; });
    return std::span<const uint32_t>(begin, end);
  };
  if (!archive_name_.empty()) {
    const auto rows = rows_of_full_name(fmt::format("{}/{}", archive_name_, record_name));
    if (!rows.empty()) return rows;
  }
  return rows_of_full_name(record_name);
}

const ArchiveRecord* Archive::Find(std::string_view record_name) const {
  const auto rows = RowsOf(record_name);
  return rows.empty() ? nullptr : &records_[rows.front()];
}

bool Archive::is_ambiguous(std::string_view record_name) const {
  return RowsOf(record_name).size() > 1;
}

}  // namespace handrail
