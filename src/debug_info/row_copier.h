// Rows of one debug info as rows of a builder that holds those of others: each once.
#pragma once

#include <vector>

#include "handrail/debug_info/debug_info.h"
#include "handrail/debug_info/debug_info_builder.h"

namespace handrail {

class RowCopier {
 public:
  // Copies all rows but the units. `info` and `builder` must outlive it.
  RowCopier(const DebugInfo& info, DebugInfoBuilder& builder);

  // The unit with the builder's rows in place of the debug info's.
  Unit Copy(const Unit& unit) const;

 private:
  void CopySource(const Source& source);
  void CopyRange(const SourceRange& range);
  void CopyStack(const Stack& stack);

  const DebugInfo& info_;
  DebugInfoBuilder& builder_;
  std::vector<StringId> strings_;
  std::vector<SourceId> sources_;
  std::vector<RangeId> ranges_;
  std::vector<StackId> stacks_;
};

}  // namespace handrail
