#include "bytecode/node_origins.h"

#include <optional>

namespace handrail::bytecode {

SourceId NodeOrigins::SourceOf(graph::SourceId id) {
  if (id.index >= sources_.size()) sources_.resize(unit_.origins.source_count());
  SourceId& known = sources_[id.index];
  if (known.is_none()) {
    const graph::SourceRow& row = unit_.origins.source(id);
    known = builder_.AddSource(
        {.file_name = row.file_name, .first_line = row.first_line, .text = row.text});
  }
  return known;
}

RangeId NodeOrigins::RangeOf(graph::RangeId id) {
  if (id.index >= ranges_.size()) ranges_.resize(unit_.origins.range_count());
  RangeId& known = ranges_[id.index];
  if (known.is_none()) {
    const graph::RangeRow& row = unit_.origins.range(id);
    if (row.source.is_none()) {
      known = builder_.AddGap(row.gap);
    } else if (!unit_.origins.source(row.source).text) {
      known = builder_.AddGap(RangeGap::kOutsideText);
    } else {
      known = builder_.AddRange(SourceOf(row.source), uint64_t{row.start}, uint64_t{row.end});
    }
  }
  return known;
}

StackId NodeOrigins::StackOf(graph::StackId id) {
  if (id.is_none()) return StackId::none();
  if (stacks_.size() < unit_.origins.stack_count()) stacks_.resize(unit_.origins.stack_count());
  // Callers stand above those they call: a stack's unknown part is a chain.
  std::vector<graph::StackId> unknown;
  for (graph::StackId at = id; !at.is_none() && stacks_[at.index].is_none();
       at = unit_.origins.stack(at).caller) {
    unknown.push_back(at);
  }
  for (auto at = unknown.rbegin(); at != unknown.rend(); ++at) {
    const graph::StackRow& row = unit_.origins.stack(*at);
    std::optional<ModuleInstance> module;
    if (!row.module_type.is_none() || !row.module_name.is_none()) {
      module = ModuleInstance{TextOf(row.module_type), TextOf(row.module_name)};
    }
    stacks_[at->index] =
        builder_.AddCall(row.caller.is_none() ? StackId::none() : stacks_[row.caller.index],
                         TextOf(row.function), module, RangeOf(row.range));
  }
  return stacks_[id.index];
}

}  // namespace handrail::bytecode
