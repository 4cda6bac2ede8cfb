// Debug info -> the debug records of a PyTorch archive. The mirror of tagged_ranges.h,
// handle_nodes.h and handle_record.h.
//
// In:  debug info whose nodes this archive's records shall hold.
// Out: the bytes of records, as PyTorch's own writer would make them, for ReadTorchDebugInfo and
// for
//      PyTorch.
//
// PyTorch's records cannot hold everything that debug info can. A node without a name gets an empty
// one, a call without a function name "FunctionName_UNKNOWN"; a range that is a gap other than
// kNull, or whose source has no text, gets PyTorch's "no tag"; nodes that are not known (kStripped,
// kDamagedRecord, kConflict) have no entry.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handrail/debug_info/debug_info.h"

namespace handrail {

// The tags of an archive's ranges. Made once per archive: records that name ranges by tag must all
// use one.
class RangeTags {
 public:
  // Gives tags, from 0, to the ranges that `info` can give PyTorch.
  explicit RangeTags(const DebugInfo& info);
  // The same beside records that are kept, for PyTorch to load: ranges that have a tag in `known`
  // keep it (the first of several), the others get those above.
  using KnownTag = std::pair<RangeId, int64_t>;
  RangeTags(const DebugInfo& info, std::span<const KnownTag> known);

  // The range's tag, or kNoTag.
  int64_t TagOf(RangeId id) const { return tags_[id.index]; }
  // The same for the range of a node. Beside kept records that of the null range stands for ranges
  // that cannot have a tag, since PyTorch does not load nodes without one.
  int64_t NodeTagOf(RangeId id) const { return tags_[id.index] < 0 ? null_tag_ : tags_[id.index]; }
  // The ranges that got their tags here, in the order of their tags.
  const std::vector<RangeId>& tagged() const { return tagged_; }

 private:
  std::vector<int64_t> tags_;  // by RangeId
  std::vector<RangeId> tagged_;
  int64_t null_tag_;
};

// A *.debug_pkl record of the ranges of `tags.tagged()`, with a text table. They belong to no place
// in a .py file, which is written as offset -1, as PyTorch does in delegated_backends.debug_pkl.
std::string WriteRangeRecord(const DebugInfo& info, const RangeTags& tags);

// callstack_debug_map.pkl for a unit of `info`. Stacks that end in the same calls share them;
// stacks that begin with the same calls cannot, since PyTorch's form nests from the outermost call
// inwards.
std::string WriteCallStackMap(const DebugInfo& info, const Unit& unit, const RangeTags& tags);

// The handles of one function, one per instruction, in the order of the instructions.
struct FunctionHandles {
  std::string_view name;
  std::span<const DebugHandle> handles;
};
// mobile_debug_handles.pkl; functions must be in the order of bytecode.pkl.
std::string WriteHandleRecord(int64_t bytecode_version, std::span<const FunctionHandles> functions);

}  // namespace handrail
