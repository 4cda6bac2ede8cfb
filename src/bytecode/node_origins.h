// Ranges and call stacks of a compilation unit, as rows of a DebugInfoBuilder: each once.
#pragma once

#include <vector>

#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/graph/compilation_unit.h"

namespace handrail::bytecode {

// Both must outlive it.
class NodeOrigins {
 public:
  NodeOrigins(const graph::CompilationUnit& unit, DebugInfoBuilder& builder)
      : unit_(unit), builder_(builder) {}

  RangeId RangeOf(graph::RangeId id);
  StackId StackOf(graph::StackId id);  // none stays none

 private:
  SourceId SourceOf(graph::SourceId id);
  std::string_view TextOf(StringId id) const {
    return id.is_none() ? std::string_view() : unit_.text(id);
  }

  const graph::CompilationUnit& unit_;
  DebugInfoBuilder& builder_;
  std::vector<SourceId> sources_;
  std::vector<RangeId> ranges_;
  std::vector<StackId> stacks_;
};

}  // namespace handrail::bytecode
