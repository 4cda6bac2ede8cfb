#include "debug_map/dump_bytes.h"

#include <algorithm>

#include <fmt/format.h>

#include "handrail/base/byte_cursor.h"

#include "debug_map/layout.h"
#include "debug_map/reader.h"

namespace handrail::debug_map {
namespace {

constexpr size_t kBytesPerLine = 16;

class Dumper {
 public:
  explicit Dumper(const DebugMap& map) : map_(map), reader_(map.reader()) {}

  std::string Run() {
    DumpHeader();
    DumpDirectory();
    for (const auto& place : reader_.places()) DumpSection(place);
    DumpChecksums();
    return std::move(out_);
  }

 private:
  std::back_insert_iterator<std::string> Out() { return std::back_inserter(out_); }

  void Bytes(uint64_t begin, uint64_t size, std::string_view annotation) {
    for (uint64_t at = 0; at == 0 || at < size; at += kBytesPerLine) {
      const uint64_t end = std::min<uint64_t>(at + kBytesPerLine, size);
      fmt::format_to(Out(), "{:06x}:", begin + at);
      for (uint64_t i = at; i < end; ++i) {
        fmt::format_to(Out(), " {:02x}", static_cast<unsigned>(map_.bytes()[begin + i]));
      }
      const auto printed = static_cast<size_t>(end - at);
      fmt::format_to(Out(), "{:{}}", "", 3 * (kBytesPerLine - printed));
      out_ += at == 0 ? fmt::format("  {}\n", annotation) : "\n";
    }
  }

  void DumpHeader() {
    const auto hex = [](const Hash128& hash) { return hash.ToHex(); };
    Bytes(0, kMajorOffset, "magic");
    Bytes(kMajorOffset, 2, fmt::format("major version = {}", kMajorVersion));
    Bytes(kMinorOffset, 2, fmt::format("minor version = {}", reader_.minor_version()));
    Bytes(kDirectorySizeOffset, 4, fmt::format("directory bytes = {}", reader_.directory_bytes()));
    Bytes(kBodySizeOffset, 8, fmt::format("body bytes = {}", reader_.body().size()));
    Bytes(kDigestOffset, 16, "digest = " + hex(map_.digest()));
  }

  void DumpDirectory() {
    uint64_t at = kHeaderBytes;
    for (const auto& place : reader_.places()) {
      Bytes(at, 4, "section " + place.tag);
      Bytes(at + 4, place.header_begin - at - 4,
            fmt::format("section header bytes = {}", place.header.size()));
      if (!place.header.empty()) Bytes(place.header_begin, place.header.size(), Describe(place));
      at = place.header_begin + place.header.size();
      const uint64_t size_bytes = VarintBytes(place.size_bytes);
      Bytes(at, size_bytes, fmt::format("section bytes = {}", place.size_bytes));
      at += size_bytes;
    }
  }

  std::string Describe(const DebugMap::Reader::SectionPlace& place) const {
    if (!place.known) return "header of a section that this version does not know";
    const SectionInfo& section = kSections[static_cast<size_t>(*place.known)];
    if (IsTable(section)) {
      const PackedTable& table = reader_.table(*place.known);
      return fmt::format("{} rows in blocks of {}, widths of {} fields", table.row_count(),
                         1u << table.block_log2(), table.field_count());
    }
    switch (*place.known) {
      case Section::kRuns:
        return fmt::format("{} positions, {} runs, width of ranks", reader_.runs().position_count(),
                           reader_.runs().run_count());
      case Section::kPatterns:
        return fmt::format("{} patterns", reader_.strings().pattern_count());
      default:
        return fmt::format("{} bytes of text", reader_.texts().run_bytes());
    }
  }

  void DumpSection(const DebugMap::Reader::SectionPlace& place) {
    if (place.size_bytes != 0) Bytes(place.begin, place.size_bytes, "section " + place.tag);
    if (!place.known) return;
    const SectionInfo& section = kSections[static_cast<size_t>(*place.known)];
    if (IsTable(section)) DumpRows(*place.known, section);
  }

  void DumpRows(Section section, const SectionInfo& info) {
    const PackedTable& table = reader_.table(section);
    for (uint64_t row = 0; row < table.row_count(); ++row) {
      fmt::format_to(Out(), "        row {}:", row);
      for (size_t f = 0; f < table.field_count(); ++f) {
        const auto value = table.Field(reader_.body(), row, f);
        const auto text = value ? fmt::format("{}", *value) : std::string("damaged");
        fmt::format_to(Out(), "{} {} = {}", f == 0 ? "" : ",", info.fields[f], text);
      }
      out_ += '\n';
    }
  }

  void DumpChecksums() {
    const uint64_t begin = reader_.body().size();
    const uint64_t blocks = BlockCount(begin);
    for (uint64_t block = 0; block < blocks; ++block) {
      Bytes(begin + block * kChecksumBytes, kChecksumBytes,
            fmt::format("checksum of block {}: {}", block,
                        reader_.body().IsBlockIntact(block) ? "right" : "wrong"));
    }
    Bytes(map_.bytes().size() - kTrailer.size(), kTrailer.size(), "trailer");
  }

  const DebugMap& map_;
  const DebugMap::Reader& reader_;
  std::string out_;
};

}  // namespace

std::string DumpBytes(const DebugMap& map) {
  return Dumper(map).Run();
}

}  // namespace handrail::debug_map
