#include "archive/zip_records.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "archive/quoted.h"
#include "archive/zip_layout.h"

namespace handrail::zip {
namespace {

ByteCursor CursorAt(std::span<const std::byte> file, uint64_t offset) {
  const auto start = static_cast<size_t>(std::min<uint64_t>(offset, file.size()));
  return ByteCursor(file.subspan(start), offset);
}

Status ExpectSignature(ByteCursor& cursor, uint32_t need, std::string_view what) {
  const uint64_t offset = cursor.offset();
  HANDRAIL_ASSIGN_OR_RETURN(const uint32_t have, cursor.U32(what));
  if (have == need) return {};
  return Fail(ErrorCode::kCorrupt,
              fmt::format("offset {:#x}: {}: signature is {:#010x}, need {:#010x}", offset, what,
                          have, need),
              offset);
}

// Replaces those fields that say "in 64 bits" by what the zip64 extra field holds, in this order.
Status ApplyZip64(std::span<const std::byte> extra, uint64_t extra_offset, bool is_central,
                  Extents& extents) {
  const bool has_size = extents.size_bytes == kIn64Bits32;
  const bool has_stored = extents.stored_size_bytes == kIn64Bits32;
  const bool has_offset = is_central && extents.local_header_offset == kIn64Bits32;
  const bool has_disk = is_central && extents.disk == kIn64Bits16;
  if (!has_size && !has_stored && !has_offset && !has_disk) return {};

  ByteCursor fields(extra, extra_offset);
  // Fewer than 4 bytes are padding that some tools leave.
  while (fields.remaining() >= 4) {
    HANDRAIL_ASSIGN_OR_RETURN(const uint16_t id, fields.U16("extra field's id"));
    HANDRAIL_ASSIGN_OR_RETURN(const uint16_t size, fields.U16("extra field's size"));
    const uint64_t offset = fields.offset();
    HANDRAIL_ASSIGN_OR_RETURN(const auto content, fields.Take("extra field", size));
    if (id != kZip64Extra) continue;
    ByteCursor zip64(content, offset);
    if (has_size) {
      HANDRAIL_ASSIGN_OR_RETURN(extents.size_bytes, zip64.U64("zip64 size"));
    }
    if (has_stored) {
      HANDRAIL_ASSIGN_OR_RETURN(extents.stored_size_bytes, zip64.U64("zip64 stored size"));
    }
    if (has_offset) {
      HANDRAIL_ASSIGN_OR_RETURN(extents.local_header_offset, zip64.U64("zip64 header offset"));
    }
    if (has_disk) {
      HANDRAIL_ASSIGN_OR_RETURN(extents.disk, zip64.U32("zip64 disk number"));
    }
    return {};
  }
  // Without the field the numbers are what they are: 4 GiB - 1 is possible.
  return {};
}

// The end record at `offset`, whose signature is there.
Result<Directory> ReadEnd(std::span<const std::byte> file, uint64_t offset) {
  ByteCursor cursor = CursorAt(file, offset);
  const std::string_view what = "end record";
  HANDRAIL_RETURN_IF_ERROR(ExpectSignature(cursor, kEndSignature, what));
  HANDRAIL_ASSIGN_OR_RETURN(const uint32_t disk, cursor.U16(what));
  HANDRAIL_ASSIGN_OR_RETURN(const uint32_t directory_disk, cursor.U16(what));
  HANDRAIL_ASSIGN_OR_RETURN(const uint32_t count_here, cursor.U16(what));
  HANDRAIL_ASSIGN_OR_RETURN(const uint32_t count, cursor.U16(what));
  HANDRAIL_ASSIGN_OR_RETURN(const uint32_t size_bytes, cursor.U32(what));
  HANDRAIL_ASSIGN_OR_RETURN(const uint32_t directory_offset, cursor.U32(what));
  HANDRAIL_ASSIGN_OR_RETURN(const uint16_t comment_bytes, cursor.U16(what));
  HANDRAIL_RETURN_IF_ERROR(cursor.Skip("end record's comment", comment_bytes));
  const auto multi_disk = [&] {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("offset {:#x}: end record: part of an archive of several disks", offset),
        offset);
  };
  Directory directory{directory_offset, size_bytes, count, cursor.remaining()};
  uint64_t directory_end = offset;

  const bool has_zip64 = offset >= kZip64LocatorBytes &&
                         SignatureAt(file, offset - kZip64LocatorBytes) == kZip64LocatorSignature;
  if (has_zip64) {
    ByteCursor locator = CursorAt(file, offset - kZip64LocatorBytes + 4);
    HANDRAIL_RETURN_IF_ERROR(locator.Skip("zip64 locator", 4));
    HANDRAIL_ASSIGN_OR_RETURN(const uint64_t end64_offset, locator.U64("zip64 locator"));
    HANDRAIL_ASSIGN_OR_RETURN(const uint32_t disks, locator.U32("zip64 locator"));
    if (disks > 1) return multi_disk();
    ByteCursor end64 = CursorAt(file, end64_offset);
    const std::string_view what64 = "zip64 end record";
    HANDRAIL_RETURN_IF_ERROR(ExpectSignature(end64, kZip64EndSignature, what64));
    // The record's size and versions do not matter: what we read has been there from the start.
    HANDRAIL_RETURN_IF_ERROR(end64.Skip(what64, 8 + 2 + 2));
    HANDRAIL_ASSIGN_OR_RETURN(const uint32_t disk64, end64.U32(what64));
    HANDRAIL_ASSIGN_OR_RETURN(const uint32_t directory_disk64, end64.U32(what64));
    HANDRAIL_ASSIGN_OR_RETURN(const uint64_t count_here64, end64.U64(what64));
    HANDRAIL_ASSIGN_OR_RETURN(const uint64_t count64, end64.U64(what64));
    HANDRAIL_ASSIGN_OR_RETURN(const uint64_t size64, end64.U64(what64));
    HANDRAIL_ASSIGN_OR_RETURN(const uint64_t offset64, end64.U64(what64));
    if (disk64 != 0 || directory_disk64 != 0 || count_here64 != count64) return multi_disk();
    if ((count != kIn64Bits16 && count != count64) ||
        (size_bytes != kIn64Bits32 && size_bytes != size64) ||
        (directory_offset != kIn64Bits32 && directory_offset != offset64)) {
      return Fail(
          ErrorCode::kCorrupt,
          fmt::format("offset {:#x}: zip64 end record: says {} entries in {} bytes at "
                      "{:#x}, but the end record {} entries in {} bytes at {:#x}",
                      end64_offset, count64, size64, offset64, count, size_bytes, directory_offset),
          end64_offset);
    }
    directory = {offset64, size64, count64, directory.bytes_after_end};
    directory_end = end64_offset;
  } else if (disk != 0 || directory_disk != 0 || count_here != count) {
    return multi_disk();
  }

  if (directory.offset > directory_end || directory.size_bytes > directory_end - directory.offset ||
      directory.entry_count > directory.size_bytes / kCentralHeaderBytes) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("offset {:#x}: end record: says {} entries in {} bytes at {:#x}, but "
                            "the directory must end before {:#x}",
                            offset, directory.entry_count, directory.size_bytes, directory.offset,
                            directory_end),
                offset);
  }
  if (directory.entry_count > 0) {
    ByteCursor first = CursorAt(file, directory.offset);
    HANDRAIL_RETURN_IF_ERROR(ExpectSignature(first, kCentralHeaderSignature, "central directory"));
  }
  return directory;
}

}  // namespace

uint32_t SignatureAt(std::span<const std::byte> file, uint64_t offset) {
  return CursorAt(file, offset).U32("signature").value_or(0);
}

Result<Directory> FindDirectory(std::span<const std::byte> file) {
  constexpr uint64_t kCommentBytesMax = UINT16_MAX;
  std::optional<Error> nearest_error;
  if (file.size() >= kEndBytes) {
    const uint64_t last = file.size() - kEndBytes;
    const uint64_t first = last - std::min(last, kCommentBytesMax);
    // Backwards: what looks like an end record may also stand in a comment or a stored record.
    for (uint64_t offset = last + 1; offset-- > first;) {
      if (file[static_cast<size_t>(offset)] != std::byte{'P'}) continue;
      if (SignatureAt(file, offset) != kEndSignature) continue;
      Result<Directory> directory = ReadEnd(file, offset);
      if (directory) return directory;
      if (!nearest_error) nearest_error = std::move(directory).error();
    }
  }
  if (nearest_error) return tl::unexpected(*std::move(nearest_error));
  return Fail(ErrorCode::kTruncated,
              fmt::format("no end record in the last {} bytes, so there is no directory",
                          std::min<uint64_t>(file.size(), kEndBytes + kCommentBytesMax)),
              file.size());
}

Result<CentralHeader> ReadCentralHeader(ByteCursor& cursor) {
  const std::string_view what = "central header";
  CentralHeader header;
  HANDRAIL_RETURN_IF_ERROR(ExpectSignature(cursor, kCentralHeaderSignature, what));
  HANDRAIL_RETURN_IF_ERROR(cursor.Skip(what, 2 + 2));  // versions: made by, needed
  HANDRAIL_ASSIGN_OR_RETURN(header.flags, cursor.U16(what));
  HANDRAIL_ASSIGN_OR_RETURN(header.method, cursor.U16(what));
  HANDRAIL_RETURN_IF_ERROR(cursor.Skip(what, 2 + 2));  // time, date
  HANDRAIL_ASSIGN_OR_RETURN(header.checksum, cursor.U32(what));
  HANDRAIL_ASSIGN_OR_RETURN(header.extents.stored_size_bytes, cursor.U32(what));
  HANDRAIL_ASSIGN_OR_RETURN(header.extents.size_bytes, cursor.U32(what));
  HANDRAIL_ASSIGN_OR_RETURN(const uint16_t name_bytes, cursor.U16(what));
  HANDRAIL_ASSIGN_OR_RETURN(const uint16_t extra_bytes, cursor.U16(what));
  HANDRAIL_ASSIGN_OR_RETURN(const uint16_t comment_bytes, cursor.U16(what));
  HANDRAIL_ASSIGN_OR_RETURN(header.extents.disk, cursor.U16(what));
  HANDRAIL_RETURN_IF_ERROR(cursor.Skip(what, 2 + 4));  // attributes: internal, external
  HANDRAIL_ASSIGN_OR_RETURN(header.extents.local_header_offset, cursor.U32(what));
  HANDRAIL_ASSIGN_OR_RETURN(header.name, cursor.TakeText("central header's name", name_bytes));
  const uint64_t extra_offset = cursor.offset();
  HANDRAIL_ASSIGN_OR_RETURN(const auto extra,
                            cursor.Take("central header's extra field", extra_bytes));
  HANDRAIL_RETURN_IF_ERROR(ApplyZip64(extra, extra_offset, /*is_central=*/true, header.extents));
  HANDRAIL_RETURN_IF_ERROR(cursor.Skip("central header's comment", comment_bytes));
  return header;
}

Result<LocalHeader> ReadLocalHeader(std::span<const std::byte> file, uint64_t offset) {
  const std::string_view what = "local header";
  ByteCursor cursor = CursorAt(file, offset);
  LocalHeader header;
  HANDRAIL_RETURN_IF_ERROR(ExpectSignature(cursor, kLocalHeaderSignature, what));
  HANDRAIL_RETURN_IF_ERROR(cursor.Skip(what, 2));  // version needed
  HANDRAIL_ASSIGN_OR_RETURN(header.flags, cursor.U16(what));
  HANDRAIL_ASSIGN_OR_RETURN(header.method, cursor.U16(what));
  HANDRAIL_RETURN_IF_ERROR(cursor.Skip(what, 2 + 2));  // time, date
  HANDRAIL_ASSIGN_OR_RETURN(header.checksum, cursor.U32(what));
  HANDRAIL_ASSIGN_OR_RETURN(header.extents.stored_size_bytes, cursor.U32(what));
  HANDRAIL_ASSIGN_OR_RETURN(header.extents.size_bytes, cursor.U32(what));
  HANDRAIL_ASSIGN_OR_RETURN(const uint16_t name_bytes, cursor.U16(what));
  HANDRAIL_ASSIGN_OR_RETURN(const uint16_t extra_bytes, cursor.U16(what));
  HANDRAIL_ASSIGN_OR_RETURN(header.name, cursor.TakeText("local header's name", name_bytes));
  const uint64_t extra_offset = cursor.offset();
  HANDRAIL_ASSIGN_OR_RETURN(const auto extra,
                            cursor.Take("local header's extra field", extra_bytes));
  HANDRAIL_RETURN_IF_ERROR(ApplyZip64(extra, extra_offset, /*is_central=*/false, header.extents));
  header.data_offset = cursor.offset();
  return header;
}

bool IsLocalHeaderOf(std::span<const std::byte> file, uint64_t offset, std::string_view name) {
  const Result<LocalHeader> header = ReadLocalHeader(file, offset);
  return header.has_value() && header->name == name;
}

std::optional<uint64_t> DescriptorEnd(std::span<const std::byte> file, uint64_t offset,
                                      uint32_t checksum, uint64_t stored_size_bytes,
                                      uint64_t size_bytes) {
  const std::string_view what = "data descriptor";
  ByteCursor cursor = CursorAt(file, offset);
  if (SignatureAt(file, offset) == kDataDescriptorSignature) {
    if (!cursor.Skip(what, 4)) return std::nullopt;
  }
  if (cursor.U32(what).value_or(~checksum) != checksum) return std::nullopt;
  ByteCursor wide = cursor;
  if (cursor.U32(what).value_or(0) == stored_size_bytes &&
      cursor.U32(what).value_or(1) == size_bytes) {
    return cursor.offset();
  }
  if (wide.U64(what).value_or(0) == stored_size_bytes && wide.U64(what).value_or(1) == size_bytes) {
    return wide.offset();
  }
  return std::nullopt;
}

}  // namespace handrail::zip
