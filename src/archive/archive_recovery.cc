// Finding records without a directory: a file that was cut off, or whose directory is damaged, is
// walked from its start, local header by local header, as far as each record's end is known.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "handrail/base/byte_cursor.h"

#include "archive/archive.h"
#include "archive/inflate.h"
#include "archive/quoted.h"
#include "archive/zip_layout.h"
#include "archive/zip_records.h"

namespace handrail {
namespace {

// A record's extent, and where the next record's header must be.
struct Extent {
  uint64_t stored_size_bytes;
  uint64_t size_bytes;
  uint32_t checksum;
  uint64_t end_offset;
};

// The data descriptor of a stored record: the first place that has its signature, the distance from
// the record's start as both sizes, and the right checksum. The checksum grows with the search, so
// that a record full of false descriptors costs no more than any other.
Result<Extent> FindStoredEnd(std::span<const std::byte> file, uint64_t data_offset) {
  constexpr std::string_view kSignature = "PK\x07\x08";
  const std::string_view data = AsText(file.subspan(static_cast<size_t>(data_offset)));
  uLong checksum = crc32_z(0, nullptr, 0);
  size_t checked_bytes = 0;
  for (size_t size = data.find(kSignature); size != std::string_view::npos;
       size = data.find(kSignature, size + 1)) {
    // All but the checksum first: it is what costs.
    ByteCursor claimed(file.subspan(static_cast<size_t>(data_offset) + size));
    HANDRAIL_RETURN_IF_ERROR(claimed.Skip("signature", 4));
    const Result<uint32_t> claimed_checksum = claimed.U32("checksum");
    if (!claimed_checksum ||
        !zip::DescriptorEnd(file, data_offset + size, *claimed_checksum, size, size)) {
      continue;
    }
    checksum = crc32_z(checksum, reinterpret_cast<const Bytef*>(data.data() + checked_bytes),
                       size - checked_bytes);
    checked_bytes = size;
    const auto end =
        zip::DescriptorEnd(file, data_offset + size, static_cast<uint32_t>(checksum), size, size);
    if (end) return Extent{size, size, static_cast<uint32_t>(checksum), *end};
  }
  return Fail(ErrorCode::kTruncated, "its data descriptor is not there");
}

Result<Extent> FindDeflatedEnd(std::span<const std::byte> file, uint64_t data_offset,
                               uint64_t size_bytes_max) {
  HANDRAIL_ASSIGN_OR_RETURN(
      const DeflateExtent deflated,
      MeasureDeflate(file.subspan(static_cast<size_t>(data_offset)), data_offset, size_bytes_max));
  const auto end =
      zip::DescriptorEnd(file, data_offset + deflated.stored_size_bytes, deflated.checksum,
                         deflated.stored_size_bytes, deflated.size_bytes);
  if (!end) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("offset {:#x}: data descriptor: is missing or says other sizes",
                            data_offset + deflated.stored_size_bytes));
  }
  return Extent{deflated.stored_size_bytes, deflated.size_bytes, deflated.checksum, *end};
}

Result<Extent> FindEnd(std::span<const std::byte> file, const zip::LocalHeader& header,
                       uint64_t inflate_bytes_max) {
  if ((header.flags & zip::kHasDataDescriptor) == 0) {
    const uint64_t have = file.size() - header.data_offset;
    if (header.extents.stored_size_bytes > have) {
      return Fail(ErrorCode::kTruncated,
                  fmt::format("offset {:#x}: data: need {} bytes, have {}", header.data_offset,
                              header.extents.stored_size_bytes, have));
    }
    return Extent{header.extents.stored_size_bytes, header.extents.size_bytes, header.checksum,
                  header.data_offset + header.extents.stored_size_bytes};
  }
  if ((header.flags & zip::kEncrypted) == 0) {
    if (header.method == zip::kStored) return FindStoredEnd(file, header.data_offset);
    if (header.method == zip::kDeflated) {
      return FindDeflatedEnd(file, header.data_offset, inflate_bytes_max);
    }
  }
  return Fail(ErrorCode::kUnsupported, "only the directory knew its size");
}

}  // namespace

Result<std::string> Archive::Recover(MemoryBudget& budget) {
  records_end_offset_ = bytes_.size();
  uint64_t inflate_bytes_left =
      limits::kRecoveryInflateBase + limits::kRecoveryInflateFactor * bytes_.size();
  uint64_t offset = 0;
  while (zip::SignatureAt(bytes_, offset) == zip::kLocalHeaderSignature) {
    Result<zip::LocalHeader> header = zip::ReadLocalHeader(bytes_, offset);
    if (!header) {
      return fmt::format("{}; what follows is lost", header.error().message);
    }
    Result<Extent> extent = FindEnd(bytes_, *header, inflate_bytes_left);
    if (!extent) {
      return fmt::format("record {}: {}; it and what follows are lost", Quoted(header->name),
                         extent.error().message);
    }
    if ((header->flags & zip::kHasDataDescriptor) != 0 && header->method == zip::kDeflated) {
      inflate_bytes_left -= std::min(inflate_bytes_left, extent->size_bytes);
    }
    ArchiveRecord record;
    record.full_name = header->name;
    record.size_bytes = extent->size_bytes;
    record.stored_size_bytes = extent->stored_size_bytes;
    record.local_header_offset = offset;
    record.checksum = extent->checksum;
    record.method = header->method;
    record.flags = header->flags;
    record.is_recovered = true;
    HANDRAIL_RETURN_IF_ERROR(AddRecord(record, budget));
    offset = extent->end_offset;
  }
  const uint32_t signature = zip::SignatureAt(bytes_, offset);
  if (offset == bytes_.size() || signature == zip::kCentralHeaderSignature ||
      signature == zip::kZip64EndSignature || signature == zip::kEndSignature) {
    return std::string();
  }
  return fmt::format(
      "offset {:#x}: neither a record nor the directory begins here; what follows "
      "is lost",
      offset);
}

}  // namespace handrail
