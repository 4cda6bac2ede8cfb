// The order in which the rows of a debug info go into a map: each table in the order in which the
// handles, ascending, first need its rows. It depends on what the debug info says, not on the order
// in which it was recorded, so that equal debug info gives equal bytes; and it makes the columns of
// the tables count up, which packs well.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "handrail/debug_info/debug_info.h"

namespace handrail::debug_map {

// A (name, range) pair: what a node is, apart from the calls that lead to it.
struct NodeKind {
  StringId name;
  RangeId range;

  friend bool operator==(const NodeKind&, const NodeKind&) = default;
};
uint64_t HashOf(const NodeKind& kind);
using NodeKindId = Id<struct NodeKindTag>;

// For one table: the old ids in their new order, and the inverse.
template <typename RowId>
class Renumbering {
 public:
  explicit Renumbering(size_t old_count) : new_ids_(old_count) {}

  bool has(RowId old_id) const { return !new_ids_[old_id.index].is_none(); }
  // Gives `old_id` the next number, unless it has one. True if it was new.
  bool Add(RowId old_id) {
    RowId& new_id = new_ids_[old_id.index];
    if (!new_id.is_none()) return false;
    new_id = RowId{static_cast<uint32_t>(order_.size())};
    order_.push_back(old_id);
    return true;
  }
  void AddIfAny(RowId old_id) {
    if (!old_id.is_none()) Add(old_id);
  }
  // The new id; none for none.
  RowId operator[](RowId old_id) const {
    return old_id.is_none() ? RowId::none() : new_ids_[old_id.index];
  }
  const std::vector<RowId>& order() const { return order_; }

 private:
  std::vector<RowId> new_ids_;
  std::vector<RowId> order_;
};

// All ids are those of `info`, except in `kinds` and `node_kinds`.
struct CanonicalOrder {
  explicit CanonicalOrder(const DebugInfo& info);

  std::vector<UnitId> units;
  Renumbering<StringId> strings;  // all but file names
  Renumbering<StringId> file_names;
  Renumbering<SourceId> sources;
  Renumbering<TextId> texts;
  Renumbering<RangeId> ranges;
  Renumbering<CallSiteId> call_sites;
  Renumbering<StackId> stacks;
  std::vector<NodeKind> kinds;
  // Of each node, units in the order above.
  std::vector<NodeKindId> node_kinds;

 private:
  void OrderUnits(const DebugInfo& info);
  void OrderNodes(const DebugInfo& info);
  void OrderStack(const DebugInfo& info, StackId stack);
  void OrderRanges(const DebugInfo& info);
  void OrderUnreferencedSources(const DebugInfo& info);
  void OrderStrings(const DebugInfo& info);
};

}  // namespace handrail::debug_map
