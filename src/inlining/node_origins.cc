#include "inlining/node_origins.h"

#include <optional>
#include <string_view>

namespace handrail {
namespace {

// The row of an id, in a table that has room for the `count` ids there are now.
template <typename Row>
Row& RowOf(std::vector<Row>& table, uint32_t index, uint32_t count) {
  if (index >= table.size()) table.resize(count);
  return table[index];
}

}  // namespace

StringId NodeOrigins::AddName(StringId kind) {
  StringId& name = RowOf(names_, kind.index, unit_.strings.size());
  return name = builder_.AddString(unit_.text(kind));
}

SourceId NodeOrigins::SourceOf(graph::SourceId id) {
  SourceId& source = RowOf(sources_, id.index, unit_.origins.source_count());
  if (source.is_none()) {
    const graph::SourceRow& row = unit_.origins.source(id);
    source = builder_.AddSource(
        {.file_name = row.file_name, .first_line = row.first_line, .text = row.text});
  }
  return source;
}

RangeId NodeOrigins::AddRange(graph::RangeId id) {
  RangeId& range = RowOf(ranges_, id.index, unit_.origins.range_count());
  const graph::RangeRow& row = unit_.origins.range(id);
  if (row.source.is_none()) return range = builder_.AddGap(row.gap);
  // Offsets say nothing without the text that they count in.
  if (!unit_.origins.source(row.source).text) {
    return range = builder_.AddGap(RangeGap::kOutsideText);
  }
  return range = builder_.AddRange(SourceOf(row.source), uint64_t{row.start}, uint64_t{row.end});
}

StackId NodeOrigins::AddStack(graph::StackId id) {
  if (id.index >= stacks_.size()) {
    const uint32_t count = unit_.origins.stack_count();
    builder_.ReserveStacks(count - static_cast<uint32_t>(stacks_.size()));
    stacks_.resize(count);
  }
  // Callers stand above those they call: what is not known yet is the chain's inner end.
  std::vector<graph::StackId> unknown;
  for (graph::StackId at = id; !at.is_none() && stacks_[at.index].is_none();
       at = unit_.origins.stack(at).caller) {
    unknown.push_back(at);
  }
  for (auto at = unknown.rbegin(); at != unknown.rend(); ++at) {
    const graph::StackRow& row = unit_.origins.stack(*at);
    const auto name_of = [&](StringId text) {
      return text.is_none() ? StringId::none() : NameOf(text);
    };
    CallSite site;
    site.function = name_of(row.function);
    site.module_type = name_of(row.module_type);
    site.module_name = name_of(row.module_name);
    site.range = RangeOf(row.range);
    const StackId caller = row.caller.is_none() ? StackId::none() : stacks_[row.caller.index];
    stacks_[at->index] = builder_.AddCall(caller, site);
  }
  return stacks_[id.index];
}

}  // namespace handrail
