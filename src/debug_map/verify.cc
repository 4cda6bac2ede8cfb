#include "debug_map/verify.h"

#include <algorithm>

#include <fmt/format.h>

#include "handrail/base/hash128.h"

#include "debug_map/reader.h"

namespace handrail::debug_map {
namespace {

class Verifier {
 public:
  explicit Verifier(const DebugMap& map) : map_(map), reader_(map.reader()) {}

  std::vector<Fault> Run() {
    CheckBlocks();
    CheckDigest();
    // What is read next is read through the same checks as any look-up, one row after the other.
    CheckSegments();
    CheckFunctions();
    CheckPositions();
    CheckRows("STCK", Section::kStacks, map_.stack_count(),
              [this](uint32_t i) { return IsReadable(map_.stack(StackId{i})); });
    CheckRows("CALL", Section::kCallSites, map_.call_site_count(),
              [this](uint32_t i) { return IsReadable(map_.call_site(CallSiteId{i})); });
    CheckRows("RANG", Section::kRanges, map_.range_count(),
              [this](uint32_t i) { return IsReadable(map_.location(RangeId{i})); });
    CheckRows("SRCS", Section::kSources, map_.source_count(),
              [this](uint32_t i) { return IsReadable(map_.source(SourceId{i})); });
    CheckRows("STRS", Section::kStrings, map_.string_count(), [this](uint32_t i) {
      TextBuffer buffer;
      return IsReadable(map_.string(StringId{i}, buffer));
    });
    CheckTexts();
    return std::move(faults_);
  }

 private:
  template <typename T>
  static bool IsReadable(const Answer<T>& answer) {
    return answer.has_value();
  }

  void Report(uint64_t offset, std::string message) {
    if (faults_.size() < kFaultsMax - 1) {
      faults_.push_back({offset, std::move(message)});
      return;
    }
    if (faults_.size() < kFaultsMax) faults_.push_back({offset, {}});
    faults_.back().message = fmt::format("{} more faults", ++unreported_);
  }

  void CheckBlocks() {
    const uint64_t blocks = BlockCount(reader_.body().size());
    for (uint64_t block = 0; block < blocks; ++block) {
      if (reader_.body().IsBlockIntact(block)) continue;
      const uint64_t begin = block * kBlockBytes;
      Report(begin, fmt::format("block {} ({}): the checksum is wrong", block, SectionAt(begin)));
    }
  }

  std::string SectionAt(uint64_t offset) const {
    for (const auto& place : reader_.places()) {
      if (offset < place.begin + place.size_bytes) return "section " + place.tag;
    }
    return "the header";
  }

  void CheckDigest() {
    const auto body = map_.bytes().subspan(
        kHeaderBytes, static_cast<size_t>(reader_.body().size() - kHeaderBytes));
    const Hash128 digest = HashBytes(body);
    if (digest == map_.digest()) return;
    Report(kDigestOffset, fmt::format("the digest is {} by the header, {} by the bytes",
                                      map_.digest().ToHex(), digest.ToHex()));
  }

  // Segments of all units, in order, cover the positions without overlap, and handles ascend.
  void CheckSegments() {
    const PackedTable& segments = reader_.table(Section::kSegments);
    uint64_t expected_segment = 0;
    uint64_t expected_position = 0;
    for (uint32_t u = 0; u < map_.unit_count(); ++u) {
      const auto unit = reader_.Row<2>(Section::kUnits, u);
      const auto offset = reader_.table(Section::kUnits).DamageOffset(u);
      if (!unit || !map_.unit(UnitId{u})) {
        Report(offset, fmt::format("section UNIT: row {}: cannot be read", u));
        return;
      }
      if ((*unit)[0] != expected_segment) {
        Report(offset, fmt::format("section UNIT: row {}: begins at segment {}, expected {}", u,
                                   (*unit)[0], expected_segment));
        return;
      }
      std::optional<DebugHandle> last;
      for (uint64_t i = 0; i < (*unit)[1]; ++i, ++expected_segment) {
        const auto segment = reader_.Row<3>(Section::kSegments, expected_segment);
        const auto at = segments.DamageOffset(expected_segment);
        if (!segment) {
          Report(at, fmt::format("section SEGM: row {}: cannot be read", expected_segment));
          return;
        }
        const auto [first_bits, count, position] = *segment;
        const DebugHandle first = UnZigZag(first_bits);
        const uint64_t room = static_cast<uint64_t>(INT64_MAX) - static_cast<uint64_t>(first);
        if (count == 0 || count - 1 > room || (last && first <= *last)) {
          Report(at, fmt::format("section SEGM: row {}: {} handles from {} do not ascend",
                                 expected_segment, count, first));
        }
        if (position != expected_position) {
          Report(at, fmt::format("section SEGM: row {}: begins at position {}, expected {}",
                                 expected_segment, position, expected_position));
        }
        last = static_cast<DebugHandle>(static_cast<uint64_t>(first) + count - 1);
        expected_position = position + count;
      }
    }
    if (expected_segment != segments.row_count() ||
        expected_position != reader_.runs().position_count()) {
      Report(segments.rows_begin(),
             fmt::format("section SEGM: {} rows cover {} positions, expected {} and {}",
                         expected_segment, expected_position, segments.row_count(),
                         reader_.runs().position_count()));
    }
  }

  void CheckFunctions() {
    std::optional<uint64_t> last;
    for (uint64_t row = 0; row < reader_.row_count(Section::kFunctions); ++row) {
      const auto columns = reader_.Row<2>(Section::kFunctions, row);
      const auto offset = reader_.table(Section::kFunctions).DamageOffset(row);
      if (!columns) {
        Report(offset, fmt::format("section FUNC: row {}: cannot be read", row));
        return;
      }
      if ((last && (*columns)[0] <= *last) || (*columns)[1] > map_.string_count()) {
        Report(offset, fmt::format("section FUNC: row {}: position {} and function {} are out of "
                                   "order or range",
                                   row, (*columns)[0], (*columns)[1]));
      }
      last = (*columns)[0];
    }
  }

  void CheckPositions() {
    for (uint64_t position = 0; position < reader_.runs().position_count(); ++position) {
      const auto node = reader_.NodeAt(position);
      if (node || node.error().reason == UnknownReason::kNotIssued) continue;
      Report(node.error().offset,
             fmt::format("position {}: its row, node or stack cannot be read", position));
    }
  }

  template <typename IsGood>
  void CheckRows(std::string_view tag, Section section, uint32_t count, IsGood&& is_good) {
    for (uint32_t row = 0; row < count; ++row) {
      if (is_good(row)) continue;
      Report(reader_.table(section).DamageOffset(row),
             fmt::format("section {}: row {}: cannot be read, or names a row that is not there",
                         tag, row));
    }
  }

  void CheckTexts() {
    DebugMap::TextReader texts(map_);
    for (uint32_t i = 0; i < map_.source_count(); ++i) {
      const auto source = map_.source(SourceId{i});
      if (!source || source->text.is_none()) continue;
      const auto text = texts.Read(SourceId{i});
      if (!text) Report(text.error().offset, text.error().message);
    }
  }

  const DebugMap& map_;
  const DebugMap::Reader& reader_;
  std::vector<Fault> faults_;
  size_t unreported_ = 0;
};

}  // namespace

std::vector<Fault> Verify(const DebugMap& map) {
  return Verifier(map).Run();
}

}  // namespace handrail::debug_map
