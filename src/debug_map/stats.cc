#include "debug_map/stats.h"

#include "debug_map/layout.h"
#include "debug_map/reader.h"

namespace handrail::debug_map {
namespace {

std::string FieldNames(const SectionInfo& section) {
  std::string names;
  for (size_t f = 0; f < FieldCount(section); ++f) {
    if (f != 0) names += ", ";
    names += section.fields[f];
  }
  return names;
}

}  // namespace

Stats StatsOf(const DebugMap& map) {
  const DebugMap::Reader& reader = map.reader();
  Stats stats;
  stats.file_bytes = map.bytes().size();
  for (uint32_t i = 0; i < map.unit_count(); ++i) {
    if (const auto unit = map.unit(UnitId{i})) stats.handle_count += unit->handle_count;
  }
  stats.parts.push_back({"header", "magic, versions, sizes, digest", kHeaderBytes, 0});
  uint64_t directory_at = kHeaderBytes;
  for (size_t i = 0; i < reader.places().size(); ++i) {
    const DebugMap::Reader::SectionPlace& place = reader.places()[i];
    const bool is_last = i + 1 == reader.places().size();
    // A section's directory entry ends where the next one's tag begins.
    const uint64_t entry_end =
        is_last ? kHeaderBytes + reader.directory_bytes()
                : place.header_begin + place.header.size() + VarintBytes(place.size_bytes);
    PartSize part;
    part.tag = place.tag;
    part.size_bytes = place.size_bytes + (entry_end - directory_at);
    directory_at = entry_end;
    if (place.known) {
      const SectionInfo& section = kSections[static_cast<size_t>(*place.known)];
      part.content = IsTable(section) ? FieldNames(section) : std::string(section.content);
      if (IsTable(section)) part.row_count = reader.row_count(*place.known);
    } else {
      part.content = "not known to this version";
    }
    stats.parts.push_back(std::move(part));
  }
  stats.parts.push_back({"checksums", "of 4 KiB blocks, and the trailer",
                         map.bytes().size() - reader.body().size(), 0});
  return stats;
}

}  // namespace handrail::debug_map
