// The handles of a mobile archive -> nodes of the unit that the builder is at.
//
// In:  mobile_debug_handles.pkl (handle_record.h), which says whose the handles are, and
//      callstack_debug_map.pkl, which says what they stand for:
//        ((handle, source range tag, node name, call stack), ...)    PyTorch 1.10 and up
//        ((handle, source range tag, call stack), ...)               1.9
//      Either may be missing or damaged.
// Out: a node for every handle in any of them.
#pragma once

#include <optional>
#include <string_view>

#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info_builder.h"

#include "archive/archive.h"
#include "archive/memory_budget.h"
#include "torch_debug/handle_record.h"
#include "torch_debug/tagged_ranges.h"
#include "torch_debug/warning_list.h"

namespace handrail {

struct HandleNodesInput {
  std::optional<HandleRecord> handles;  // nothing: there is none that can be read
  // callstack_debug_map.pkl, if it is there and could be read from the archive.
  std::optional<RecordBytes> call_stack_map;
  // What handles without an entry get: whether the map is not there, or there and unreadable.
  RangeGap gap_without_map = RangeGap::kStripped;
};

// Adds the nodes; what is wrong with the map becomes warnings. Fails with kLimit, before any node
// is added.
Status AddHandleNodes(HandleNodesInput input, TaggedRanges& ranges, DebugInfoBuilder& builder,
                      MemoryBudget& budget, WarningList& warnings);

}  // namespace handrail
