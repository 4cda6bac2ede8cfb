// The structures of a zip file, each read from its place: what the directory (archive.cc), reading
// one record (archive_read.cc) and the recovery scan (archive_recovery.cc) have in common. Errors
// do not name the archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "handrail/base/byte_cursor.h"
#include "handrail/base/result.h"

namespace handrail::zip {

// Sizes, and a place, that may stand in a zip64 extra field instead of the header.
struct Extents {
  uint64_t size_bytes = 0;
  uint64_t stored_size_bytes = 0;
  uint64_t local_header_offset = 0;  // central headers only
  uint32_t disk = 0;                 // central headers only
};

struct CentralHeader {
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t checksum = 0;
  Extents extents;
  std::string_view name;
};

struct LocalHeader {
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t checksum = 0;
  Extents extents;
  std::string_view name;
  uint64_t data_offset = 0;  // in the file; may be the file's end
};

// Where the directory is.
struct Directory {
  uint64_t offset = 0;
  uint64_t size_bytes = 0;
  uint64_t entry_count = 0;
  uint64_t bytes_after_end = 0;  // of the file, after the end record and its comment
};

// Finds the end record, with or without comment, and the zip64 one if there is one.
Result<Directory> FindDirectory(std::span<const std::byte> file);
Result<CentralHeader> ReadCentralHeader(ByteCursor& cursor);
Result<LocalHeader> ReadLocalHeader(std::span<const std::byte> file, uint64_t offset);
// Whether a local header of that name begins there: tells a real overlap from a bad offset.
bool IsLocalHeaderOf(std::span<const std::byte> file, uint64_t offset, std::string_view name);
// The end of the data descriptor that begins at `offset`, with or without signature, of 4-byte or
// 8-byte sizes, if it says just this; else nothing.
std::optional<uint64_t> DescriptorEnd(std::span<const std::byte> file, uint64_t offset,
                                      uint32_t checksum, uint64_t stored_size_bytes,
                                      uint64_t size_bytes);
// The signature at `offset`, or 0 if fewer than 4 bytes are left.
uint32_t SignatureAt(std::span<const std::byte> file, uint64_t offset);

}  // namespace handrail::zip
