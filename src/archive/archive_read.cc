// Reading one record: where its bytes lie, whether the two headers agree, and its content.
#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "archive/archive.h"
#include "archive/inflate.h"
#include "archive/quoted.h"
#include "archive/zip_layout.h"
#include "archive/zip_records.h"

namespace handrail {
namespace {

tl::unexpected<Error> Disagreement(const ArchiveRecord& record, std::string_view what,
                                   const std::string& local, const std::string& central) {
  return Fail(ErrorCode::kCorrupt,
              fmt::format("offset {:#x}: local header: {} is {}, but the central directory says {}",
                          record.local_header_offset, what, local, central),
              record.local_header_offset);
}

uint32_t ChecksumOf(std::span<const std::byte> content) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

}  // namespace

Result<uint64_t> Archive::DataOffsetUnnamed(const ArchiveRecord& record) const {
  if (record.is_on_other_disk) {
    return Fail(ErrorCode::kUnsupported, "is on another disk of an archive of several");
  }
  HANDRAIL_ASSIGN_OR_RETURN(const zip::LocalHeader local,
                            zip::ReadLocalHeader(bytes_, record.local_header_offset));
  if (((record.flags | local.flags) & zip::kEncrypted) != 0) {
    return Fail(ErrorCode::kUnsupported, "is encrypted", record.local_header_offset);
  }
  if (local.name != record.full_name) {
    return Disagreement(record, "name", Quoted(local.name), Quoted(record.full_name));
  }
  if (local.method != record.method) {
    return Disagreement(record, "method", fmt::to_string(local.method),
                        fmt::to_string(record.method));
  }
  // With a data descriptor the local header's sizes and checksum may be 0 and mean nothing.
  if ((local.flags & zip::kHasDataDescriptor) == 0) {
    if (local.extents.stored_size_bytes != record.stored_size_bytes) {
      return Disagreement(record, "stored size", fmt::to_string(local.extents.stored_size_bytes),
                          fmt::to_string(record.stored_size_bytes));
    }
    if (local.extents.size_bytes != record.size_bytes) {
      return Disagreement(record, "size", fmt::to_string(local.extents.size_bytes),
                          fmt::to_string(record.size_bytes));
    }
    if (local.checksum != record.checksum) {
      return Disagreement(record, "checksum", fmt::format("{:#010x}", local.checksum),
                          fmt::format("{:#010x}", record.checksum));
    }
  }
  if (record.method == zip::kStored && record.size_bytes != record.stored_size_bytes) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("is stored, but {} bytes are stored for a size of {}",
                            record.stored_size_bytes, record.size_bytes),
                record.local_header_offset);
  }
  const uint64_t have =
      records_end_offset_ - std::min<uint64_t>(records_end_offset_, local.data_offset);
  if (record.stored_size_bytes > have) {
    return Fail(ErrorCode::kTruncated,
                fmt::format("offset {:#x}: data: need {} bytes, have {} up to {}",
                            local.data_offset, record.stored_size_bytes, have,
                            records_end_offset_ == bytes_.size() ? "the file's end"
                                                                 : "the central directory"),
                local.data_offset);
  }
  return local.data_offset;
}

Result<uint64_t> Archive::DataOffset(const ArchiveRecord& record) const {
  Result<uint64_t> offset = DataOffsetUnnamed(record);
  if (offset) return offset;
  return tl::unexpected(
      std::move(offset).error().In(fmt::format("{}: record {}", name_, Quoted(record.name))));
}

Result<std::span<const std::byte>> Archive::StoredBytes(const ArchiveRecord& record) const {
  HANDRAIL_ASSIGN_OR_RETURN(const uint64_t offset, DataOffset(record));
  return bytes_.subspan(static_cast<size_t>(offset), static_cast<size_t>(record.stored_size_bytes));
}

Result<RecordBytes> Archive::ReadUnnamed(const ArchiveRecord& record, MemoryBudget& budget) const {
  HANDRAIL_ASSIGN_OR_RETURN(const uint64_t data_offset, DataOffsetUnnamed(record));
  if (record.overlaps) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("offset {:#x}: its {} bytes overlap the next record",
                            record.local_header_offset, record.stored_size_bytes),
                record.local_header_offset);
  }
  const auto stored = bytes_.subspan(static_cast<size_t>(data_offset),
                                     static_cast<size_t>(record.stored_size_bytes));
  RecordBytes result;
  if (record.method == zip::kStored) {
    result.bytes_ = stored;
  } else if (record.method == zip::kDeflated) {
    if (record.size_bytes / kInflateFactorMax > stored.size()) {
      return Fail(ErrorCode::kCorrupt,
                  fmt::format("offset {:#x}: {} deflated bytes cannot hold the {} that the central "
                              "directory says",
                              data_offset, stored.size(), record.size_bytes),
                  data_offset);
    }
    result.charge_ = MemoryCharge(budget);
    HANDRAIL_RETURN_IF_ERROR(result.charge_.Take(record.size_bytes, "inflated content"));
    const auto size = static_cast<size_t>(record.size_bytes);
    result.inflated_.reset(new (std::nothrow) std::byte[size]);
    if (result.inflated_ == nullptr) {
      return Fail(ErrorCode::kLimit, fmt::format("no memory for {} bytes", size));
    }
    const std::span<std::byte> content(result.inflated_.get(), size);
    HANDRAIL_RETURN_IF_ERROR(Inflate(stored, data_offset, content));
    result.bytes_ = content;
  } else {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("is compressed by method {}, need 0 (stored) or 8 (deflated)", record.method));
  }
  const uint32_t checksum = ChecksumOf(result.bytes_);
  if (checksum != record.checksum) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("checksum is {:#010x}, need {:#010x}", checksum, record.checksum),
                data_offset);
  }
  return result;
}

Result<RecordBytes> Archive::Read(const ArchiveRecord& record, MemoryBudget& budget) const {
  Result<RecordBytes> content = ReadUnnamed(record, budget);
  if (content) return content;
  return tl::unexpected(
      std::move(content).error().In(fmt::format("{}: record {}", name_, Quoted(record.name))));
}

Result<RecordBytes> Archive::Read(std::string_view record_name, MemoryBudget& budget) const {
  const auto rows = RowsOf(record_name);
  if (rows.size() == 1) return Read(records_[rows.front()], budget);
  if (rows.empty()) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("{}: record {}: is not there", name_, Quoted(record_name)));
  }
  return Fail(ErrorCode::kConflict, fmt::format("{}: record {}: is there {} times", name_,
                                                Quoted(record_name), rows.size()));
}

}  // namespace handrail
