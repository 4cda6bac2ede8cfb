// The bytes of a debug map -> DebugInfo, row for row.
#include <fmt/format.h>

#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/debug_map/debug_map_writer.h"

#include "debug_map/reader.h"

namespace handrail {
namespace {

// Rows of the map become rows of the builder; `ids` is indexed by the map's ids.
class Decoder {
 public:
  explicit Decoder(const DebugMap& map) : map_(map) {}

  Result<DebugInfo> Run() {
    HANDRAIL_RETURN_IF_ERROR(AddStrings());
    HANDRAIL_RETURN_IF_ERROR(AddSources());
    HANDRAIL_RETURN_IF_ERROR(AddRanges());
    HANDRAIL_RETURN_IF_ERROR(AddStacks());
    HANDRAIL_RETURN_IF_ERROR(AddUnits());
    return std::move(builder_).Finish();
  }

 private:
  tl::unexpected<Error> Damage(const Unknown& unknown) const {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("{}: offset {:#x}: damaged block", map_.name(), unknown.offset),
                unknown.offset);
  }
  template <typename RowId>
  static RowId New(const std::vector<RowId>& ids, RowId old_id) {
    return old_id.is_none() ? RowId::none() : ids[old_id.index];
  }

  Status AddStrings();
  Status AddSources();
  Status AddRanges();
  Status AddStacks();
  Status AddUnits();

  const DebugMap& map_;
  DebugInfoBuilder builder_;
  std::vector<StringId> strings_;
  std::vector<SourceId> sources_;
  std::vector<RangeId> ranges_;
  std::vector<StackId> stacks_;
};

Status Decoder::AddStrings() {
  TextBuffer buffer;
  for (uint32_t i = 0; i < map_.string_count(); ++i) {
    const auto text = map_.string(StringId{i}, buffer);
    if (!text) return Damage(text.error());
    strings_.push_back(builder_.AddString(*text));
  }
  return {};
}

Status Decoder::AddSources() {
  TextBuffer buffer;
  DebugMap::TextReader texts(map_);
  for (uint32_t i = 0; i < map_.source_count(); ++i) {
    const auto source = map_.source(SourceId{i});
    if (!source) return Damage(source.error());
    DebugInfoBuilder::SourceOptions options;
    options.first_line = source->first_line;
    if (!source->file_name.is_none()) {
      const auto name = map_.string(source->file_name, buffer);
      if (!name) return Damage(name.error());
      options.file_name = *name;
    }
    std::string text;
    if (!source->text.is_none()) {
      HANDRAIL_ASSIGN_OR_RETURN(text, texts.Read(SourceId{i}));
      options.text = text;
    }
    sources_.push_back(builder_.AddSource(options));
  }
  return {};
}

Status Decoder::AddRanges() {
  for (uint32_t i = 0; i < map_.range_count(); ++i) {
    const auto range = map_.range(RangeId{i});
    if (!range) return Damage(range.error());
    ranges_.push_back(range->source.is_none() ? builder_.AddGap(range->gap)
                                              : builder_.AddRange(sources_[range->source.index],
                                                                  range->start, range->end));
  }
  return {};
}

Status Decoder::AddStacks() {
  for (uint32_t i = 0; i < map_.stack_count(); ++i) {
    const auto stack = map_.stack(StackId{i});
    if (!stack) return Damage(stack.error());
    const auto site = map_.call_site(stack->call_site);
    if (!site) return Damage(site.error());
    stacks_.push_back(
        builder_.AddCall(New(stacks_, stack->caller),
                         CallSite{New(strings_, site->function), New(strings_, site->module_type),
                                  New(strings_, site->module_name), ranges_[site->range.index]}));
  }
  return {};
}

Status Decoder::AddUnits() {
  for (uint32_t i = 0; i < map_.unit_count(); ++i) {
    const auto info = map_.unit(UnitId{i});
    if (!info) return Damage(info.error());
    Unit unit;
    unit.kind = info->kind;
    unit.key = info->key;
    unit.build_id = info->build_id;
    unit.top_type = New(strings_, info->top_type);
    DebugMap::Reader::Cursor cursor;
    for (;;) {
      const auto more = map_.reader().Next(UnitId{i}, cursor);
      if (!more) return Damage(more.error());
      if (!*more) break;
      const auto node = map_.reader().NodeAt(cursor.position);
      if (!node && node.error().reason == UnknownReason::kNotIssued) continue;
      if (!node) return Damage(node.error());
      unit.handles.push_back(cursor.handle);
      unit.nodes.push_back(Node{New(strings_, node->name), ranges_[node->range.index],
                                New(stacks_, node->stack), New(strings_, node->function)});
    }
    if (Status added = builder_.AddUnit(std::move(unit)); !added) {
      return tl::unexpected<Error>(std::move(added).error().In(map_.name()));
    }
  }
  return {};
}

}  // namespace

Result<DebugInfo> DecodeDebugMap(const DebugMap& map) {
  return Decoder(map).Run();
}

}  // namespace handrail
