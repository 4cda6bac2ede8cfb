#include "debug_map/reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "handrail/base/byte_cursor.h"

namespace handrail {

using debug_map::Body;
using debug_map::Damaged;
using debug_map::kSections;
using debug_map::PackedTable;
using debug_map::Section;

namespace {

template <typename T>
T LoadLittleEndian(std::span<const std::byte> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

std::string Printable(std::string_view tag) {
  std::string result;
  for (const char c : tag) {
    if (c >= 0x20 && c < 0x7f) {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

}  // namespace

Result<std::unique_ptr<DebugMap::Reader>> DebugMap::Reader::Open(MappedFile file) {
  std::unique_ptr<Reader> reader(new Reader);
  reader->file_ = std::move(file);
  reader->name_ = reader->file_->name();
  reader->bytes_ = reader->file_->bytes();
  if (Status status = reader->Parse(); !status) {
    return tl::unexpected<Error>(std::move(status).error().In(reader->name_));
  }
  return reader;
}

Result<std::unique_ptr<DebugMap::Reader>> DebugMap::Reader::Open(std::vector<std::byte> bytes,
                                                                 std::string name) {
  std::unique_ptr<Reader> reader(new Reader);
  reader->owned_ = std::move(bytes);
  reader->name_ = std::move(name);
  reader->bytes_ = reader->owned_;
  if (Status status = reader->Parse(); !status) {
    return tl::unexpected<Error>(std::move(status).error().In(reader->name_));
  }
  return reader;
}

Status DebugMap::Reader::Parse() {
  using namespace debug_map;  // NOLINT: the layout's names are this function's vocabulary
  if (bytes_.size() < kMagic.size() || AsText(bytes_.first(kMagic.size())) != kMagic) {
    return Fail(ErrorCode::kUnsupported, "not a debug map: it does not begin with the magic bytes",
                0);
  }
  const uint64_t least = kHeaderBytes + kChecksumBytes + kTrailer.size();
  if (bytes_.size() < least) {
    return Fail(ErrorCode::kTruncated,
                fmt::format("a debug map has at least {} bytes, have {}", least, bytes_.size()));
  }
  const auto major = LoadLittleEndian<uint16_t>(bytes_, kMajorOffset);
  minor_version_ = LoadLittleEndian<uint16_t>(bytes_, kMinorOffset);
  if (major != kMajorVersion) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("debug map of version {}.{}, this reader knows {}.x", major,
                            minor_version_, kMajorVersion),
                kMajorOffset);
  }
  const auto body_bytes = LoadLittleEndian<uint64_t>(bytes_, kBodySizeOffset);
  directory_bytes_ = LoadLittleEndian<uint32_t>(bytes_, kDirectorySizeOffset);
  // Divides, so that hostile sizes cannot wrap.
  const uint64_t room = bytes_.size() - kTrailer.size();
  if (body_bytes < kHeaderBytes || body_bytes > room ||
      room - body_bytes != BlockCount(body_bytes) * kChecksumBytes) {
    return Fail(ErrorCode::kTruncated,
                fmt::format("the body is {} bytes by the header, which does not fit a file of {}",
                            body_bytes, bytes_.size()),
                kBodySizeOffset);
  }
  if (AsText(bytes_.last(kTrailer.size())) != kTrailer) {
    return Fail(ErrorCode::kTruncated, "the file does not end with the trailer",
                bytes_.size() - kTrailer.size());
  }
  body_ = Body(bytes_, body_bytes);
  if (directory_bytes_ > body_bytes - kHeaderBytes) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("the directory is {} bytes by the header, have {}", directory_bytes_,
                            body_bytes - kHeaderBytes),
                kDirectorySizeOffset);
  }
  if (!body_.IsIntact(0, kHeaderBytes + directory_bytes_)) {
    return Fail(ErrorCode::kCorrupt, "offset 0x0: the header's or directory's checksum is wrong",
                0);
  }
  digest_ = Hash128{LoadLittleEndian<uint64_t>(bytes_, kDigestOffset),
                    LoadLittleEndian<uint64_t>(bytes_, kDigestOffset + 8)};
  HANDRAIL_RETURN_IF_ERROR(ParseDirectory(body_bytes));
  return OpenSections();
}

Status DebugMap::Reader::ParseDirectory(uint64_t body_bytes) {
  using debug_map::kHeaderBytes;
  ByteCursor cursor(bytes_.subspan(kHeaderBytes, directory_bytes_), kHeaderBytes);
  uint64_t begin = kHeaderBytes + directory_bytes_;
  while (!cursor.at_end()) {
    SectionPlace place;
    HANDRAIL_ASSIGN_OR_RETURN(const std::string_view tag, cursor.TakeText("section tag", 4));
    place.tag = Printable(tag);
    HANDRAIL_ASSIGN_OR_RETURN(const uint64_t header_bytes, cursor.Varint("section header size"));
    place.header_begin = cursor.offset();
    HANDRAIL_ASSIGN_OR_RETURN(place.header, cursor.Take("section header", header_bytes));
    HANDRAIL_ASSIGN_OR_RETURN(place.size_bytes, cursor.Varint("section size"));
    place.begin = begin;
    if (place.size_bytes > body_bytes - begin) {
      return Fail(ErrorCode::kTruncated,
                  fmt::format("section {}: need {} bytes at {:#x}, have {}", place.tag,
                              place.size_bytes, begin, body_bytes - begin),
                  begin);
    }
    begin += place.size_bytes;
    for (size_t i = 0; i < debug_map::kSectionCount; ++i) {
      if (kSections[i].tag != tag) continue;
      if (present_[i]) {
        return Fail(ErrorCode::kCorrupt, fmt::format("section {} occurs twice", place.tag),
                    place.header_begin);
      }
      present_[i] = true;
      place.known = static_cast<Section>(i);
    }
    if (!place.known && debug_map::IsCriticalTag(tag)) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("critical section '{}' is not known to this version", place.tag),
                  place.header_begin);
    }
    places_.push_back(std::move(place));
  }
  if (begin != body_bytes) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("the sections end at {:#x}, the body at {:#x}", begin, body_bytes),
                begin);
  }
  return {};
}

const DebugMap::Reader::SectionPlace* DebugMap::Reader::Find(Section section) const {
  const auto at =
      std::find_if(places_.begin(), places_.end(),
                   [section](const SectionPlace& place) { return place.known == section; });
  return at == places_.end() ? nullptr : &*at;
}

Status DebugMap::Reader::OpenSections() {
  for (size_t i = 0; i < debug_map::kSectionCount; ++i) {
    const auto section = static_cast<Section>(i);
    const SectionPlace* place = Find(section);
    if (place == nullptr) {
      if (!debug_map::IsCriticalTag(kSections[i].tag)) continue;
      return Fail(ErrorCode::kCorrupt,
                  fmt::format("critical section '{}' is missing", kSections[i].tag));
    }
    const auto in_section = [&](Error error) {
      return tl::unexpected<Error>(std::move(error).In(fmt::format("section {}", place->tag)));
    };
    if (debug_map::IsTable(kSections[i])) {
      auto table = PackedTable::Open(body_, place->header, FieldCount(kSections[i]), place->begin,
                                     place->size_bytes);
      if (!table) return in_section(std::move(table).error());
      tables_[i] = *table;
    } else if (section == Section::kRuns) {
      auto runs = debug_map::RunIndex::Open(body_, place->header, place->begin, place->size_bytes);
      if (!runs) return in_section(std::move(runs).error());
      runs_ = *runs;
    } else if (section == Section::kPatterns) {
      auto strings =
          StringTable::Open(body_, table(Section::kStrings), table(Section::kPatternBlocks),
                            place->header, place->begin, place->size_bytes);
      if (!strings) return in_section(std::move(strings).error());
      strings_ = *strings;
    } else if (section == Section::kTextBytes) {
      auto texts =
          debug_map::TextBlocks::Open(body_, table(Section::kTexts), table(Section::kTextBlocks),
                                      place->header, place->begin, place->size_bytes);
      if (!texts) return in_section(std::move(texts).error());
      texts_ = *texts;
    }
  }
  if (runs_.run_count() != row_count(Section::kRows)) {
    return Fail(ErrorCode::kCorrupt, fmt::format("section RUNS: {} runs, section ROWS: {} rows",
                                                 runs_.run_count(), row_count(Section::kRows)));
  }
  CountGaps();
  RememberOnlySegment();
  return {};
}

void DebugMap::Reader::RememberOnlySegment() {
  if (row_count(Section::kUnits) != 1 || row_count(Section::kSegments) != 1 ||
      row_count(Section::kFunctions) > 1) {
    return;
  }
  const auto segments = SegmentsOf(UnitId{0});
  const auto segment = Row<3>(Section::kSegments, 0);
  if (!segments || !segment || segments->first != 0 || segments->second != 1) return;
  const auto [first, count, first_position] = *segment;
  if (first_position != 0 || count != runs_.position_count() || count == 0) return;
  // The one function owns all positions or those from its first on: only the former is remembered.
  StringId function;
  if (row_count(Section::kFunctions) == 1) {
    const auto row = Row<2>(Section::kFunctions, 0);
    if (!row || (*row)[0] != 0 || !ToId((*row)[1], strings_.string_count(), function)) return;
  }
  only_segment_ = OnlySegment{debug_map::UnZigZag(first), count, function};
}

void DebugMap::Reader::CountGaps() {
  constexpr uint64_t kGapKinds = 0
#define HANDRAIL_RANGE_GAP(name, text) +1
#include "handrail/debug_info/range_gaps.def"
      ;
  // If the rows cannot be read, every look-up that needs them finds that out for itself.
  while (gap_count_ < std::min(kGapKinds, row_count(Section::kRanges))) {
    const auto row = Row<1>(Section::kRanges, gap_count_);
    if (row && (*row)[0] != 0) break;
    ++gap_count_;
  }
}

Answer<std::pair<uint64_t, uint64_t>> DebugMap::Reader::SegmentsOf(UnitId unit) const {
  const auto row = Row<2>(Section::kUnits, unit.index);
  if (!row) return tl::unexpected<Unknown>(row.error());
  const auto [first, count] = *row;
  const uint64_t segments = row_count(Section::kSegments);
  if (first > segments || count > segments - first) {
    return Damaged(table(Section::kUnits).DamageOffset(unit.index));
  }
  return std::pair(first, first + count);
}

Answer<bool> DebugMap::Reader::Next(UnitId unit, Cursor& cursor) const {
  const auto segments = SegmentsOf(unit);
  if (!segments) return tl::unexpected<Unknown>(segments.error());
  for (; cursor.segment < segments->second - segments->first; ++cursor.segment, cursor.index = 0) {
    const uint64_t row = segments->first + cursor.segment;
    const auto segment = Row<3>(Section::kSegments, row);
    if (!segment) return tl::unexpected<Unknown>(segment.error());
    const auto [first, count, first_position] = *segment;
    if (first_position > runs_.position_count() ||
        count > runs_.position_count() - first_position) {
      return Damaged(table(Section::kSegments).DamageOffset(row));
    }
    if (cursor.index == count) continue;
    cursor.handle =
        static_cast<DebugHandle>(static_cast<uint64_t>(debug_map::UnZigZag(first)) + cursor.index);
    cursor.position = first_position + cursor.index;
    ++cursor.index;
    return true;
  }
  return false;
}

Answer<uint64_t> DebugMap::Reader::PositionOf(UnitId unit, DebugHandle handle) const {
  if (only_segment_ && unit.index == 0) {
    const uint64_t position =
        static_cast<uint64_t>(handle) - static_cast<uint64_t>(only_segment_->first_handle);
    if (position < only_segment_->count) return position;
    return tl::unexpected<Unknown>(Unknown{UnknownReason::kNotIssued});
  }
  const auto segments = SegmentsOf(unit);
  if (!segments) return tl::unexpected<Unknown>(segments.error());
  // The last segment that begins at or before the handle.
  auto [low, high] = *segments;
  std::array<uint64_t, 3> segment = {};
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const auto row = Row<3>(Section::kSegments, middle);
    if (!row) return tl::unexpected<Unknown>(row.error());
    if (debug_map::UnZigZag((*row)[0]) <= handle) {
      segment = *row;
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == segments->first) return tl::unexpected<Unknown>(Unknown{UnknownReason::kNotIssued});
  const auto [first, count, first_position] = segment;
  const uint64_t in_segment =
      static_cast<uint64_t>(handle) - static_cast<uint64_t>(debug_map::UnZigZag(first));
  if (in_segment >= count) return tl::unexpected<Unknown>(Unknown{UnknownReason::kNotIssued});
  if (first_position > runs_.position_count() ||
      in_segment >= runs_.position_count() - first_position) {
    return Damaged(table(Section::kSegments).DamageOffset(low - 1));
  }
  return first_position + in_segment;
}

Answer<Node> DebugMap::Reader::NodeAt(uint64_t position) const {
  const auto row_index = runs_.RowOf(body_, position);
  if (!row_index) return tl::unexpected<Unknown>(row_index.error());
  std::array<uint64_t, 2> row;
  if (!Read(Section::kRows, *row_index, row)) {
    return Damaged(table(Section::kRows).DamageOffset(*row_index));
  }
  const auto [node_plus_one, stack_plus_one] = row;
  if (node_plus_one == 0) return tl::unexpected<Unknown>(Unknown{UnknownReason::kNotIssued});
  std::array<uint64_t, 2> columns;
  if (!Read(Section::kNodes, node_plus_one - 1, columns)) {
    return Damaged(table(Section::kNodes).DamageOffset(node_plus_one - 1));
  }
  const auto [name_plus_one, range] = columns;
  Node node;
  if (range >= row_count(Section::kRanges) ||
      !ToId(name_plus_one, strings_.string_count(), node.name) ||
      !ToId(stack_plus_one, row_count(Section::kStacks), node.stack)) {
    return Damaged(table(Section::kRows).DamageOffset(*row_index));
  }
  node.range = RangeId{static_cast<uint32_t>(range)};
  const auto function = FunctionAt(position);
  if (!function) return tl::unexpected<Unknown>(function.error());
  node.function = *function;
  return node;
}

Answer<StringId> DebugMap::Reader::FunctionAt(uint64_t position) const {
  if (only_segment_) return only_segment_->function;
  const PackedTable& functions = table(Section::kFunctions);
  uint64_t low = 0;
  uint64_t high = functions.row_count();
  uint64_t function_plus_one = 0;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    const auto row = functions.Row<2>(body_, middle);
    if (!row) return tl::unexpected<Unknown>(row.error());
    if ((*row)[0] <= position) {
      function_plus_one = (*row)[1];
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  StringId function;
  if (!ToId(function_plus_one, strings_.string_count(), function)) {
    return Damaged(functions.DamageOffset(low - 1));
  }
  return function;
}

}  // namespace handrail
