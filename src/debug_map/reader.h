// A debug map taken apart into its sections: what DebugMap's look-ups, the verifier, the statistics
// and the dump read through.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "handrail/base/mapped_file.h"
#include "handrail/debug_map/debug_map.h"

#include "debug_map/body.h"
#include "debug_map/layout.h"
#include "debug_map/packed_table.h"
#include "debug_map/run_index.h"
#include "debug_map/string_table.h"
#include "debug_map/text_blocks.h"

namespace handrail {

class DebugMap::Reader {
 public:
  // One entry of the directory.
  struct SectionPlace {
    std::string tag;
    std::optional<debug_map::Section> known;  // none: ancillary, of a newer minor version
    std::span<const std::byte> header;
    uint64_t header_begin = 0;  // in the file
    uint64_t begin = 0;         // of the payload, in the file
    uint64_t size_bytes = 0;    // of the payload
  };

  static Result<std::unique_ptr<Reader>> Open(MappedFile file);
  static Result<std::unique_ptr<Reader>> Open(std::vector<std::byte> bytes, std::string name);

  const std::string& name() const { return name_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  const Hash128& digest() const { return digest_; }
  const debug_map::Body& body() const { return body_; }
  uint16_t minor_version() const { return minor_version_; }
  uint32_t directory_bytes() const { return directory_bytes_; }
  const std::vector<SectionPlace>& places() const { return places_; }
  bool has(debug_map::Section section) const { return present_[Index(section)]; }

  const debug_map::PackedTable& table(debug_map::Section section) const {
    return tables_[Index(section)];
  }
  const debug_map::RunIndex& runs() const { return runs_; }
  const StringTable& strings() const { return strings_; }
  const debug_map::TextBlocks& texts() const { return texts_; }

  // As Row; false is damage, at table(section).DamageOffset(row).
  template <size_t N>
  bool Read(debug_map::Section section, uint64_t row, std::array<uint64_t, N>& values) const {
    return tables_[Index(section)].Read(body_, row, values);
  }
  // Ranges with lower numbers may be gaps, no others are.
  uint64_t gap_count() const { return gap_count_; }

  // The first N fields of a row of a table.
  template <size_t N>
  Answer<std::array<uint64_t, N>> Row(debug_map::Section section, uint64_t row) const {
    return tables_[Index(section)].Row<N>(body_, row);
  }
  uint64_t row_count(debug_map::Section section) const {
    return tables_[Index(section)].row_count();
  }

  // Steps through the handles of a unit, ascending, holes included. False at the end.
  struct Cursor {
    uint64_t segment = 0;
    uint64_t index = 0;
    DebugHandle handle = kUnknownHandle;
    uint64_t position = 0;
  };
  Answer<bool> Next(UnitId unit, Cursor& cursor) const;
  // Where a handle of a unit is among the map's positions; kNotIssued if the unit lacks it.
  Answer<uint64_t> PositionOf(UnitId unit, DebugHandle handle) const;
  // The node at a position, whatever its range says; kNotIssued where the position is a hole.
  Answer<Node> NodeAt(uint64_t position) const;
  // An optional reference (0: none) to a table of `row_count` rows, checked.
  template <typename RowId>
  static bool ToId(uint64_t optional, uint64_t row_count, RowId& id) {
    if (optional > row_count) return false;
    id = RowId{static_cast<uint32_t>(optional) - 1};
    return true;
  }

 private:
  Reader() = default;
  static constexpr size_t Index(debug_map::Section section) { return static_cast<size_t>(section); }
  Status Parse();
  Status ParseDirectory(uint64_t body_bytes);
  Status OpenSections();
  void CountGaps();
  void RememberOnlySegment();
  const SectionPlace* Find(debug_map::Section section) const;
  // The segments of a unit: [first, second).
  Answer<std::pair<uint64_t, uint64_t>> SegmentsOf(UnitId unit) const;
  // The function that owns a position.
  Answer<StringId> FunctionAt(uint64_t position) const;

  std::optional<MappedFile> file_;
  std::vector<std::byte> owned_;
  std::string name_;
  std::span<const std::byte> bytes_;
  Hash128 digest_;
  uint16_t minor_version_ = 0;
  uint32_t directory_bytes_ = 0;
  debug_map::Body body_;
  std::vector<SectionPlace> places_;
  std::array<bool, debug_map::kSectionCount> present_ = {};
  std::array<debug_map::PackedTable, debug_map::kSectionCount> tables_ = {};
  uint64_t gap_count_ = 0;
  // The segment and the function of a map that has one unit, one segment and at most one function,
  // as most do. Others are searched.
  struct OnlySegment {
    DebugHandle first_handle;
    uint64_t count;
    StringId function;
  };
  std::optional<OnlySegment> only_segment_;
  debug_map::RunIndex runs_;
  StringTable strings_;
  debug_map::TextBlocks texts_;
};

}  // namespace handrail
