// The look-ups of DebugMap. Each checks what it hands out: an id in a row is a row that exists, a
// caller is above its callee. So whoever walks rows needs no checks of its own, and chains end.
#include "handrail/debug_map/debug_map.h"

#include <fmt/format.h>

#include "debug_map/reader.h"

namespace handrail {

using debug_map::Damaged;
using debug_map::Section;
using debug_map::UnZigZag;

namespace {

tl::unexpected<Unknown> Because(UnknownReason reason) {
  return tl::unexpected<Unknown>(Unknown{reason});
}

// A gap that is an answer to the look-up itself: the handle is there, its debug info is not.
std::optional<UnknownReason> ReasonOf(RangeGap gap) {
  switch (gap) {
    case RangeGap::kStripped:
      return UnknownReason::kStripped;
    case RangeGap::kDamagedRecord:
      return UnknownReason::kDamagedRecord;
    case RangeGap::kConflict:
      return UnknownReason::kConflict;
    case RangeGap::kNull:
    case RangeGap::kNotRecorded:
    case RangeGap::kUndefinedTag:
    case RangeGap::kOutsideText:
      return std::nullopt;
  }
  return std::nullopt;
}

constexpr uint64_t kRangeGapCount = 0
#define HANDRAIL_RANGE_GAP(name, text) +1
#include "handrail/debug_info/range_gaps.def"
    ;

}  // namespace

std::string_view ToString(UnknownReason reason) {
  switch (reason) {
#define HANDRAIL_UNKNOWN_REASON(name, text, sentence) \
  case UnknownReason::name:                           \
    return text;
#include "handrail/debug_map/unknown_reasons.def"
  }
  return "invalid";
}

std::string_view Sentence(UnknownReason reason) {
  switch (reason) {
#define HANDRAIL_UNKNOWN_REASON(name, text, sentence) \
  case UnknownReason::name:                           \
    return sentence;
#include "handrail/debug_map/unknown_reasons.def"
  }
  return "for a reason that is not known";
}

DebugMap::DebugMap(std::unique_ptr<Reader> reader) : reader_(std::move(reader)) {}
DebugMap::DebugMap(DebugMap&&) noexcept = default;
DebugMap& DebugMap::operator=(DebugMap&&) noexcept = default;
DebugMap::~DebugMap() = default;

Result<DebugMap> DebugMap::Open(const std::filesystem::path& path, MapMode mode) {
  HANDRAIL_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open(path, mode));
  HANDRAIL_ASSIGN_OR_RETURN(std::unique_ptr<Reader> reader, Reader::Open(std::move(file)));
  return DebugMap(std::move(reader));
}

Result<DebugMap> DebugMap::FromBytes(std::vector<std::byte> bytes, std::string name) {
  HANDRAIL_ASSIGN_OR_RETURN(std::unique_ptr<Reader> reader,
                            Reader::Open(std::move(bytes), std::move(name)));
  return DebugMap(std::move(reader));
}

const std::string& DebugMap::name() const {
  return reader_->name();
}
std::span<const std::byte> DebugMap::bytes() const {
  return reader_->bytes();
}
const Hash128& DebugMap::digest() const {
  return reader_->digest();
}

namespace {

uint32_t Narrow(uint64_t count) {
  return static_cast<uint32_t>(count);
}

}  // namespace

uint32_t DebugMap::unit_count() const {
  return Narrow(reader_->row_count(Section::kUnits));
}
uint32_t DebugMap::source_count() const {
  return Narrow(reader_->row_count(Section::kSources));
}
uint32_t DebugMap::string_count() const {
  return Narrow(reader_->strings().string_count());
}
uint32_t DebugMap::range_count() const {
  return Narrow(reader_->row_count(Section::kRanges));
}
uint32_t DebugMap::stack_count() const {
  return Narrow(reader_->row_count(Section::kStacks));
}
uint32_t DebugMap::call_site_count() const {
  return Narrow(reader_->row_count(Section::kCallSites));
}

Answer<DebugMap::UnitInfo> DebugMap::unit(UnitId id) const {
  const auto row = reader_->Row<8>(Section::kUnits, id.index);
  if (!row) return tl::unexpected<Unknown>(row.error());
  const auto& [first_segment, segment_count, kind, top_type, key_high, key_low, build_high,
               build_low] = *row;
  UnitInfo info;
  info.kind = static_cast<UnitKind>(kind);
  info.key = Hash128{key_high, key_low};
  info.build_id = Hash128{build_high, build_low};
  const uint64_t segments = reader_->row_count(Section::kSegments);
  if (!Reader::ToId(top_type, reader_->strings().string_count(), info.top_type) ||
      kind > static_cast<uint64_t>(UnitKind::kBackend) || first_segment > segments ||
      segment_count > segments - first_segment) {
    return Damaged(reader_->table(Section::kUnits).DamageOffset(id.index));
  }
  for (uint64_t i = 0; i < segment_count; ++i) {
    const auto segment = reader_->Row<3>(Section::kSegments, first_segment + i);
    if (!segment) return tl::unexpected<Unknown>(segment.error());
    const auto [first, count, first_position] = *segment;
    if (i == 0) info.first_handle = UnZigZag(first);
    info.handle_count += count;
    info.last_handle = static_cast<DebugHandle>(
        first == 0 && count == 0 ? UINT64_MAX : static_cast<uint64_t>(UnZigZag(first)) + count - 1);
  }
  return info;
}

Answer<Node> DebugMap::NodeAt(uint64_t position) const {
  const auto node = reader_->NodeAt(position);
  if (!node || node->range.index >= reader_->gap_count()) return node;
  const auto found = range(node->range);
  if (!found) return tl::unexpected<Unknown>(found.error());
  if (const auto reason = ReasonOf(found->gap)) return Because(*reason);
  return node;
}

Answer<DebugMap::FoundNode> DebugMap::Find(UnitId unit, DebugHandle handle) const {
  const auto position = reader_->PositionOf(unit, handle);
  const auto node =
      position ? NodeAt(*position) : Answer<Node>(tl::unexpected<Unknown>(position.error()));
  if (node) return FoundNode{unit, handle, *node};
  if (node.error().reason == UnknownReason::kNotIssued && handle == kUnknownHandle) {
    return Because(UnknownReason::kSentinel);
  }
  return tl::unexpected<Unknown>(node.error());
}

namespace {

// What a map that lacks a handle says of it: that it is of another handle space, where it can tell.
UnknownReason ReasonForMissing(const DebugMap& map, DebugHandle handle) {
  if (handle == kUnknownHandle) return UnknownReason::kSentinel;
  for (uint32_t i = 0; i < map.unit_count(); ++i) {
    const auto unit = map.unit(UnitId{i});
    if (!unit) return UnknownReason::kNotIssued;
    // In a foreign unit a handle's bits have no meaning. In one of ours with several spaces, the
    // first and the last tell enough to stay on the safe side.
    if (unit->kind == UnitKind::kForeign || !IsWellFormed(handle)) return UnknownReason::kNotIssued;
    if (HandleSpaceOf(handle) == HandleSpaceOf(unit->first_handle) ||
        HandleSpaceOf(handle) == HandleSpaceOf(unit->last_handle)) {
      return UnknownReason::kNotIssued;
    }
  }
  return map.unit_count() == 0 ? UnknownReason::kNotIssued : UnknownReason::kOtherSpace;
}

// The answer of the one unit among those of a build (all, if null) that has the handle.
Answer<DebugMap::FoundNode> FindAmong(const DebugMap& map, const Hash128* build_id,
                                      DebugHandle handle) {
  std::optional<Answer<DebugMap::FoundNode>> answer;
  bool has_build = build_id == nullptr;
  for (uint32_t i = 0; i < map.unit_count(); ++i) {
    if (build_id != nullptr) {
      const auto unit = map.unit(UnitId{i});
      if (!unit) return tl::unexpected<Unknown>(unit.error());
      if (unit->build_id != *build_id) continue;
      has_build = true;
    }
    Answer<DebugMap::FoundNode> found = map.Find(UnitId{i}, handle);
    const bool is_absent = !found && (found.error().reason == UnknownReason::kNotIssued ||
                                      found.error().reason == UnknownReason::kSentinel);
    if (is_absent) continue;
    if (answer) return Because(UnknownReason::kAmbiguous);
    answer = found;
  }
  if (answer) return *answer;
  return Because(has_build ? ReasonForMissing(map, handle) : UnknownReason::kOtherBuild);
}

}  // namespace

Answer<DebugMap::FoundNode> DebugMap::Find(DebugHandle handle) const {
  if (unit_count() == 1) {
    // The usual case, in which nothing can be ambiguous.
    auto found = Find(UnitId{0}, handle);
    if (found || found.error().reason != UnknownReason::kNotIssued) return found;
  }
  return FindAmong(*this, nullptr, handle);
}

Answer<DebugMap::FoundNode> DebugMap::FindInBuild(const Hash128& build_id,
                                                  DebugHandle handle) const {
  return FindAmong(*this, &build_id, handle);
}

Answer<bool> DebugMap::NextHandle(UnitId unit, HandleCursor& cursor, Answer<Node>& node) const {
  Reader::Cursor at{cursor.segment, cursor.index, kUnknownHandle, 0};
  for (;;) {
    const auto more = reader_->Next(unit, at);
    if (!more || !*more) return more;
    node = NodeAt(at.position);
    if (node || node.error().reason != UnknownReason::kNotIssued) break;
  }
  cursor = {at.segment, at.index, at.handle};
  return true;
}

Answer<SourceRange> DebugMap::range(RangeId id) const {
  std::array<uint64_t, 5> row;
  if (!reader_->Read(Section::kRanges, id.index, row)) {
    return Damaged(reader_->table(Section::kRanges).DamageOffset(id.index));
  }
  const auto [source, line, column, end_line, end_column] = row;
  SourceRange range;
  const auto damaged = [&] {
    return Damaged(reader_->table(Section::kRanges).DamageOffset(id.index));
  };
  if (!Reader::ToId(source, reader_->row_count(Section::kSources), range.source)) return damaged();
  if (range.source.is_none()) {
    if (line >= kRangeGapCount) return damaged();
    range.gap = static_cast<RangeGap>(line);
    return range;
  }
  range.start = Position{Narrow(line), Narrow(column)};
  range.end = Position{Narrow(line + static_cast<uint64_t>(UnZigZag(end_line))),
                       Narrow(column + static_cast<uint64_t>(UnZigZag(end_column)))};
  return range;
}

Answer<CallSite> DebugMap::call_site(CallSiteId id) const {
  std::array<uint64_t, 4> row;
  if (!reader_->Read(Section::kCallSites, id.index, row)) {
    return Damaged(reader_->table(Section::kCallSites).DamageOffset(id.index));
  }
  const auto [function, module_type, module_name, range] = row;
  CallSite site;
  const uint64_t strings = reader_->strings().string_count();
  if (!Reader::ToId(function, strings, site.function) ||
      !Reader::ToId(module_type, strings, site.module_type) ||
      !Reader::ToId(module_name, strings, site.module_name) ||
      range >= reader_->row_count(Section::kRanges)) {
    return Damaged(reader_->table(Section::kCallSites).DamageOffset(id.index));
  }
  site.range = RangeId{Narrow(range)};
  return site;
}

Answer<Stack> DebugMap::stack(StackId id) const {
  std::array<uint64_t, 2> row;
  if (!reader_->Read(Section::kStacks, id.index, row)) {
    return Damaged(reader_->table(Section::kStacks).DamageOffset(id.index));
  }
  const auto [caller_distance, call_site] = row;
  if (caller_distance > id.index || call_site >= reader_->row_count(Section::kCallSites)) {
    return Damaged(reader_->table(Section::kStacks).DamageOffset(id.index));
  }
  Stack stack;
  if (caller_distance != 0) stack.caller = StackId{id.index - Narrow(caller_distance)};
  stack.call_site = CallSiteId{Narrow(call_site)};
  return stack;
}

Answer<Source> DebugMap::source(SourceId id) const {
  std::array<uint64_t, 3> row;
  if (!reader_->Read(Section::kSources, id.index, row)) {
    return Damaged(reader_->table(Section::kSources).DamageOffset(id.index));
  }
  const auto [file_name, first_line, text] = row;
  Source source;
  if (!Reader::ToId(file_name, reader_->strings().string_count(), source.file_name) ||
      text > UINT32_MAX) {
    return Damaged(reader_->table(Section::kSources).DamageOffset(id.index));
  }
  source.first_line = Narrow(first_line);
  // Texts are in an ancillary section: without it, no source has one.
  if (!Reader::ToId(text, reader_->texts().text_count(), source.text)) source.text = TextId::none();
  return source;
}

Answer<std::string_view> DebugMap::string(StringId id, TextBuffer& buffer) const {
  return reader_->strings().Read(reader_->body(), id.index, buffer);
}

Answer<DebugMap::Location> DebugMap::location(RangeId id) const {
  const auto found = range(id);
  if (!found) return tl::unexpected<Unknown>(found.error());
  Location location;
  location.range = *found;
  if (found->source.is_none()) return location;
  const auto origin = source(found->source);
  if (!origin) return tl::unexpected<Unknown>(origin.error());
  location.file_name = origin->file_name;
  if (found->start.line != 0) {
    location.line = origin->first_line + found->start.line - 1;
    location.column = found->start.column;
  }
  if (found->end.line != 0) {
    location.end_line = origin->first_line + found->end.line - 1;
    location.end_column = found->end.column;
  }
  return location;
}

bool DebugMap::has_source_text() const {
  return reader_->texts().text_count() != 0;
}

Result<std::string> DebugMap::SourceText(SourceId id) const {
  return TextReader(*this).Read(id);
}

struct DebugMap::TextReader::State {
  debug_map::TextBlocks::Unpacked last;
};

DebugMap::TextReader::TextReader(const DebugMap& map)
    : map_(map), state_(std::make_unique<State>()) {}
DebugMap::TextReader::~TextReader() = default;

Result<std::string> DebugMap::TextReader::Read(SourceId id) {
  const auto found = map_.source(id);
  if (!found) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("{}: source {}: damaged block at {:#x}", map_.name(), id.index,
                            found.error().offset),
                found.error().offset);
  }
  if (found->text.is_none()) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("{}: source {} has no text", map_.name(), id.index));
  }
  const Reader& reader = map_.reader();
  auto text = reader.texts().Read(reader.body(), found->text.index, state_->last);
  if (!text) return tl::unexpected<Error>(std::move(text).error().In(map_.name()));
  return text;
}

}  // namespace handrail
