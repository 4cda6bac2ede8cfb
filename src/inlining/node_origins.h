// Names, ranges and call stacks of a compilation unit, as rows of a DebugInfoBuilder: each once.
#pragma once

#include <cstdint>
#include <vector>

#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/graph/compilation_unit.h"

namespace handrail {

// Both must outlive it. A row that was met before costs one look into a table.
class NodeOrigins {
 public:
  NodeOrigins(const graph::CompilationUnit& unit, DebugInfoBuilder& builder)
      : unit_(unit), builder_(builder) {}

  // Any string of the unit.
  StringId NameOf(StringId name) {
    if (name.index < names_.size() && !names_[name.index].is_none()) return names_[name.index];
    return AddName(name);
  }
  RangeId RangeOf(graph::RangeId id) {
    if (id.index < ranges_.size() && !ranges_[id.index].is_none()) return ranges_[id.index];
    return AddRange(id);
  }
  // None stays none.
  StackId StackOf(graph::StackId id) {
    if (id.is_none()) return StackId::none();
    if (id.index < stacks_.size() && !stacks_[id.index].is_none()) return stacks_[id.index];
    return AddStack(id);
  }

 private:
  StringId AddName(StringId name);
  RangeId AddRange(graph::RangeId id);
  StackId AddStack(graph::StackId id);
  SourceId SourceOf(graph::SourceId id);

  const graph::CompilationUnit& unit_;
  DebugInfoBuilder& builder_;
  // By the unit's ids; none: not met yet.
  std::vector<StringId> names_;
  std::vector<SourceId> sources_;
  std::vector<RangeId> ranges_;
  std::vector<StackId> stacks_;
};

}  // namespace handrail
