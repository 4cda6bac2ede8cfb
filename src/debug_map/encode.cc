// DebugInfo -> the bytes of a debug map.
#include <algorithm>
#include <cstring>

#include <xxhash.h>

#include "handrail/base/byte_cursor.h"
#include "handrail/base/check.h"
#include "handrail/debug_map/debug_map_writer.h"

#include "debug_map/canonical_order.h"
#include "debug_map/layout.h"
#include "debug_map/packed_table.h"
#include "debug_map/run_index.h"
#include "debug_map/string_table.h"
#include "debug_map/text_blocks.h"

namespace handrail {
namespace debug_map {
namespace {

// Holes of at most this many handles are filled with empty positions; a wider one begins a segment.
constexpr uint64_t kHoleMax = 64;

struct EncodedSection {
  std::vector<std::byte> header;
  std::vector<std::byte> payload;
  bool is_present = false;
};

class Encoder {
 public:
  Encoder(const DebugInfo& info, const DebugMapOptions& options)
      : info_(info), options_(options), order_(info) {}

  Result<std::vector<std::byte>> Run() {
    HANDRAIL_RETURN_IF_ERROR(AddUnits());
    AddNodes();
    AddStacks();
    AddRanges();
    AddSources();
    AddStrings();
    return Assemble();
  }

 private:
  EncodedSection& Open(Section section) {
    EncodedSection& result = sections_[static_cast<size_t>(section)];
    result.is_present = true;
    return result;
  }
  void Add(Section section, const PackedTableWriter& table) {
    EncodedSection& encoded = Open(section);
    table.Finish(encoded.header, encoded.payload);
  }
  void Add(Section section, std::vector<std::byte> header, std::vector<std::byte> payload) {
    EncodedSection& encoded = Open(section);
    encoded.header = std::move(header);
    encoded.payload = std::move(payload);
  }

  // Units, segments, functions, rows and runs: what leads from a handle to its row.
  Status AddUnits();
  void AddNodes();
  void AddStacks();
  void AddRanges();
  void AddSources();
  void AddStrings();
  std::string MapPath(std::string_view path) const;
  // File names follow the other strings in their table.
  uint64_t FileNameNumber(StringId name) const {
    if (name.is_none()) return 0;
    return order_.strings.order().size() + Optional(order_.file_names[name].index);
  }
  std::vector<std::byte> Assemble() const;

  const DebugInfo& info_;
  const DebugMapOptions& options_;
  const CanonicalOrder order_;
  std::array<EncodedSection, kSectionCount> sections_;
};

Status Encoder::AddUnits() {
  PackedTableWriter units(8);
  PackedTableWriter segments(3);
  PackedTableWriter functions(2);
  PackedTableWriter rows(2);
  std::vector<bool> begins_run;
  uint64_t last_node = UINT64_MAX;
  uint64_t last_stack = UINT64_MAX;
  uint64_t last_function = 0;
  const auto add_position = [&](uint64_t node, uint64_t stack, uint64_t function) {
    const bool begins = begins_run.empty() || node != last_node || stack != last_stack;
    if (function != last_function) {
      functions.Add({begins_run.size(), function});
      last_function = function;
    }
    begins_run.push_back(begins);
    if (!begins) return;
    rows.Add({node, stack});
    last_node = node;
    last_stack = stack;
  };
  size_t node_index = 0;
  for (const UnitId id : order_.units) {
    const Unit& unit = info_.units[id.index];
    HANDRAIL_CHECK(unit.handles.size() == unit.nodes.size());
    const uint64_t first_segment = segments.row_count();
    size_t segment_begin = 0;
    uint64_t segment_position = begins_run.size();
    const auto end_segment = [&](size_t end) {
      if (end == segment_begin) return;
      segments.Add({ZigZag(unit.handles[segment_begin]), begins_run.size() - segment_position,
                    segment_position});
      segment_begin = end;
      segment_position = begins_run.size();
    };
    for (size_t i = 0; i < unit.handles.size(); ++i, ++node_index) {
      if (i > segment_begin) {
        const uint64_t hole =
            static_cast<uint64_t>(unit.handles[i]) - static_cast<uint64_t>(unit.handles[i - 1]) - 1;
        HANDRAIL_CHECK(unit.handles[i - 1] < unit.handles[i]);
        if (hole > kHoleMax) {
          end_segment(i);
        } else {
          for (uint64_t k = 0; k < hole; ++k) add_position(0, 0, last_function);
        }
      }
      const Node& node = unit.nodes[i];
      add_position(Optional(order_.node_kinds[node_index].index),
                   Optional(order_.stacks[node.stack].index),
                   Optional(order_.strings[node.function].index));
    }
    end_segment(unit.handles.size());
    units.Add({first_segment, segments.row_count() - first_segment,
               static_cast<uint64_t>(unit.kind), Optional(order_.strings[unit.top_type].index),
               unit.key.high, unit.key.low, unit.build_id.high, unit.build_id.low});
  }
  if (begins_run.size() >= UINT32_MAX) {
    return Fail(ErrorCode::kLimit, "a debug map holds fewer than 2^32-1 handles");
  }
  Add(Section::kUnits, units);
  Add(Section::kSegments, segments);
  Add(Section::kFunctions, functions);
  Add(Section::kRows, rows);
  EncodedSection& runs = Open(Section::kRuns);
  WriteRunIndex(begins_run, runs.header, runs.payload);
  return {};
}

void Encoder::AddNodes() {
  PackedTableWriter table(2);
  table.Reserve(order_.kinds.size());
  for (const NodeKind& kind : order_.kinds) {
    table.Add({Optional(order_.strings[kind.name].index), order_.ranges[kind.range].index});
  }
  Add(Section::kNodes, table);
}

void Encoder::AddStacks() {
  PackedTableWriter stacks(2);
  stacks.Reserve(order_.stacks.order().size());
  for (const StackId id : order_.stacks.order()) {
    const Stack& stack = info_.stacks[id.index];
    const StackId caller = order_.stacks[stack.caller];
    const uint64_t distance = caller.is_none() ? 0 : order_.stacks[id].index - caller.index;
    stacks.Add({distance, order_.call_sites[stack.call_site].index});
  }
  Add(Section::kStacks, stacks);
  PackedTableWriter call_sites(4);
  for (const CallSiteId id : order_.call_sites.order()) {
    const CallSite& site = info_.call_sites[id.index];
    call_sites.Add({Optional(order_.strings[site.function].index),
                    Optional(order_.strings[site.module_type].index),
                    Optional(order_.strings[site.module_name].index),
                    order_.ranges[site.range].index});
  }
  Add(Section::kCallSites, call_sites);
}

void Encoder::AddRanges() {
  PackedTableWriter ranges(5);
  ranges.Reserve(order_.ranges.order().size());
  for (const RangeId id : order_.ranges.order()) {
    const SourceRange& range = info_.ranges[id.index];
    if (range.source.is_none()) {
      ranges.Add({0, static_cast<uint64_t>(range.gap), 0, 0, 0});
      continue;
    }
    ranges.Add({Optional(order_.sources[range.source].index), range.start.line, range.start.column,
                ZigZag(int64_t{range.end.line} - int64_t{range.start.line}),
                ZigZag(int64_t{range.end.column} - int64_t{range.start.column})});
  }
  Add(Section::kRanges, ranges);
}

void Encoder::AddSources() {
  PackedTableWriter sources(3);
  for (const SourceId id : order_.sources.order()) {
    const Source& source = info_.sources[id.index];
    const uint64_t text = options_.source_text ? Optional(order_.texts[source.text].index) : 0;
    sources.Add({FileNameNumber(source.file_name), source.first_line, text});
  }
  Add(Section::kSources, sources);
  if (!options_.source_text || order_.texts.order().empty()) return;
  std::vector<std::string_view> texts;
  for (const TextId id : order_.texts.order()) texts.push_back(info_.text(id));
  EncodedTexts encoded = EncodeTexts(texts);
  Add(Section::kTexts, std::move(encoded.texts_header), std::move(encoded.texts_payload));
  Add(Section::kTextBlocks, std::move(encoded.blocks_header), std::move(encoded.blocks_payload));
  Add(Section::kTextBytes, std::move(encoded.bytes_header), std::move(encoded.bytes_payload));
}

std::string Encoder::MapPath(std::string_view path) const {
  for (const auto& [from, to] : options_.path_map) {
    if (!path.starts_with(from)) continue;
    const bool at_boundary =
        path.size() == from.size() || from.ends_with('/') || path[from.size()] == '/';
    if (at_boundary) return to + std::string(path.substr(from.size()));
  }
  return std::string(path);
}

void Encoder::AddStrings() {
  std::vector<std::string_view> strings;
  strings.reserve(order_.strings.order().size() + order_.file_names.order().size());
  for (const StringId id : order_.strings.order()) strings.push_back(info_.strings.at(id));
  std::vector<std::string> paths;
  for (const StringId id : order_.file_names.order()) {
    paths.push_back(MapPath(info_.strings.at(id)));
  }
  strings.insert(strings.end(), paths.begin(), paths.end());
  EncodedStrings encoded = EncodeStrings(strings);
  Add(Section::kStrings, std::move(encoded.strings_header), std::move(encoded.strings_payload));
  Add(Section::kPatternBlocks, std::move(encoded.blocks_header), std::move(encoded.blocks_payload));
  Add(Section::kPatterns, std::move(encoded.patterns_header), std::move(encoded.patterns_payload));
}

template <typename T>
void PutLittleEndian(std::vector<std::byte>& out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

std::vector<std::byte> Encoder::Assemble() const {
  std::vector<std::byte> directory;
  uint64_t payload_bytes = 0;
  for (size_t i = 0; i < kSectionCount; ++i) {
    const EncodedSection& section = sections_[i];
    if (!section.is_present) continue;
    PutBytes(directory, AsBytes(kSections[i].tag));
    PutVarint(directory, section.header.size());
    PutBytes(directory, section.header);
    PutVarint(directory, section.payload.size());
    payload_bytes += section.payload.size();
  }
  const uint64_t body_bytes = kHeaderBytes + directory.size() + payload_bytes;
  const uint64_t blocks = BlockCount(body_bytes);
  std::vector<std::byte> out;
  out.reserve(static_cast<size_t>(body_bytes + blocks * kChecksumBytes + kTrailer.size()));
  PutBytes(out, AsBytes(kMagic));
  PutLittleEndian(out, kMajorVersion);
  PutLittleEndian(out, kMinorVersion);
  PutLittleEndian(out, static_cast<uint32_t>(directory.size()));
  PutLittleEndian(out, body_bytes);
  PutLittleEndian(out, uint64_t{0});  // the digest, once what it is of is there
  PutLittleEndian(out, uint64_t{0});
  PutBytes(out, directory);
  for (const EncodedSection& section : sections_) {
    PutBytes(out, section.payload);
  }
  HANDRAIL_CHECK(out.size() == body_bytes);
  const Hash128 digest = HashBytes(std::span(out).subspan(kHeaderBytes));
  std::memcpy(out.data() + kDigestOffset, &digest.high, 8);
  std::memcpy(out.data() + kDigestOffset + 8, &digest.low, 8);
  for (uint64_t block = 0; block < blocks; ++block) {
    const uint64_t begin = block * kBlockBytes;
    const uint64_t size = std::min(kBlockBytes, body_bytes - begin);
    const auto bytes = std::span<const std::byte>(out).subspan(static_cast<size_t>(begin),
                                                               static_cast<size_t>(size));
    PutLittleEndian(out, Body::Checksum(bytes, block));
  }
  PutBytes(out, AsBytes(kTrailer));
  return out;
}

}  // namespace
}  // namespace debug_map

Result<std::vector<std::byte>> EncodeDebugMap(const DebugInfo& info,
                                              const DebugMapOptions& options) {
  return debug_map::Encoder(info, options).Run();
}

}  // namespace handrail
