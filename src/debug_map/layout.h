// Where things are in a debug map. docs/format.md is the normative text of what this file fixes.
//
//   +--------+-----------+-----------------+-----------------+---------+
//   | header | directory | sections ...    | block checksums | trailer |
//   +--------+-----------+-----------------+-----------------+---------+
//   0        40          40 + directory    body size                   file size
//
// Integers are little-endian; nothing is aligned. Bits are numbered from the lowest bit of the
// first byte. `varint` is LEB128.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace handrail::debug_map {

static_assert(std::endian::native == std::endian::little,
              "bit-packed fields are loaded as little-endian words");

// A byte that is not ASCII, the name, and the line endings that text-mode transfers damage.
inline constexpr std::string_view kMagic = "\x89HDM\r\n\x1a\n";
inline constexpr std::string_view kTrailer = "HDM-end\n";

// History of the format, one line a version:
//   1.0  first release
inline constexpr uint16_t kMajorVersion = 1;
inline constexpr uint16_t kMinorVersion = 0;

// The header, byte by byte.
inline constexpr size_t kMajorOffset = 8;           // u16: other majors are refused
inline constexpr size_t kMinorOffset = 10;          // u16: newer minors are read
inline constexpr size_t kDirectorySizeOffset = 12;  // u32: bytes
inline constexpr size_t kBodySizeOffset = 16;       // u64: header + directory + sections, in bytes
inline constexpr size_t kDigestOffset =
    24;  // 16 bytes: XXH3-128 of [40, body size), high half first
inline constexpr size_t kHeaderBytes = 40;

// The body is checked in blocks of this size, counted from the start of the file. The checksum of a
// block is the low 32 bits of XXH3-64 of its bytes within the body, XORed with the low 32 bits of
// the block's number, so that blocks cannot trade places.
inline constexpr uint64_t kBlockBytes = 4096;
inline constexpr uint64_t kChecksumBytes = 4;

constexpr uint64_t BlockCount(uint64_t body_bytes) {
  return (body_bytes + kBlockBytes - 1) / kBlockBytes;
}

// Positions per record of the RUNS section: a rank and this many bits.
inline constexpr uint64_t kRunBlockPositions = 256;
// Patterns per front-coded block of the PATT section.
inline constexpr uint64_t kPatternsPerBlock = 16;
// Uncompressed bytes per block of source text; the last one may be shorter.
inline constexpr uint64_t kTextBlockBytes = 256 << 10;
constexpr uint64_t TextBlockCount(uint64_t run_bytes) {
  return run_bytes / kTextBlockBytes + (run_bytes % kTextBlockBytes != 0 ? 1 : 0);
}

// In a pattern, this byte and the one after it stand for a decimal number; the one after it is the
// number's least width, filled with zeros from the left (0: no filling).
inline constexpr char kNumberMark = '\0';
inline constexpr size_t kNumberDigitsMax = 9;

// Numbers of the sections, in the order of sections.def.
enum class Section : uint8_t {
#define HANDRAIL_TABLE_SECTION(name, tag, ...) k##name,
#define HANDRAIL_BYTES_SECTION(name, tag, content) k##name,
#include "debug_map/sections.def"
};

struct SectionInfo {
  std::string_view name;
  std::string_view tag;
  std::array<std::string_view, 8> fields;  // of a table's row; all empty for bytes sections
  std::string_view content;                // of a bytes section
};

inline constexpr SectionInfo kSections[] = {
#define HANDRAIL_TABLE_SECTION(name, tag, ...) {#name, tag, {__VA_ARGS__}, {}},
#define HANDRAIL_BYTES_SECTION(name, tag, content) {#name, tag, {}, content},
#include "debug_map/sections.def"
};
inline constexpr size_t kSectionCount = std::size(kSections);

constexpr size_t FieldCount(const SectionInfo& section) {
  size_t count = 0;
  while (count < section.fields.size() && !section.fields[count].empty()) ++count;
  return count;
}
constexpr bool IsTable(const SectionInfo& section) {
  return !section.fields[0].empty();
}
constexpr bool IsCriticalTag(std::string_view tag) {
  return tag[0] >= 'A' && tag[0] <= 'Z';
}

// Signed numbers in unsigned fields: 0, -1, 1, -2, 2, ...
constexpr uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
constexpr int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

// Where a table names a row of another that may be absent: 0 is absent, else the row's number + 1.
constexpr uint64_t Optional(uint32_t index) {
  return static_cast<uint64_t>(static_cast<uint32_t>(index + 1));
}

}  // namespace handrail::debug_map
