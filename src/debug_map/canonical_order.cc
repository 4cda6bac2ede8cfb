#include "debug_map/canonical_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "handrail/base/interned_rows.h"

namespace handrail::debug_map {

uint64_t HashOf(const NodeKind& kind) {
  return MixHash(0, uint64_t{kind.name.index} << 32 | kind.range.index);
}

CanonicalOrder::CanonicalOrder(const DebugInfo& info)
    : strings(info.strings.size()),
      file_names(info.strings.size()),
      sources(info.sources.size()),
      texts(info.texts.size()),
      ranges(info.ranges.size()),
      call_sites(info.call_sites.size()),
      stacks(info.stacks.size()) {
  OrderUnits(info);
  OrderNodes(info);
  OrderRanges(info);
  if (info.units.empty()) OrderUnreferencedSources(info);
  for (const SourceId source : sources.order()) texts.AddIfAny(info.sources[source.index].text);
  OrderStrings(info);
}

void CanonicalOrder::OrderUnits(const DebugInfo& info) {
  units.resize(info.units.size());
  for (uint32_t i = 0; i < units.size(); ++i) units[i] = UnitId{i};
  const auto rank = [&info](UnitId id) {
    const Unit& unit = info.units[id.index];
    const DebugHandle first = unit.handles.empty() ? 0 : unit.handles.front();
    return std::tuple(unit.build_id, unit.key, unit.kind, first, unit.handles.size());
  };
  std::stable_sort(units.begin(), units.end(),
                   [&rank](UnitId a, UnitId b) { return rank(a) < rank(b); });
}

void CanonicalOrder::OrderNodes(const DebugInfo& info) {
  InternedRows<NodeKindId, NodeKind> interned;
  size_t node_count = 0;
  for (const Unit& unit : info.units) node_count += unit.nodes.size();
  node_kinds.reserve(node_count);
  StackId last_stack;
  for (const UnitId id : units) {
    for (const Node& node : info.units[id.index].nodes) {
      node_kinds.push_back(interned.Intern(NodeKind{node.name, node.range}));
      if (node.stack == last_stack) continue;
      last_stack = node.stack;
      OrderStack(info, node.stack);
    }
  }
  kinds = std::move(interned).Take();
}

void CanonicalOrder::OrderStack(const DebugInfo& info, StackId stack) {
  // Callers come before callees, so the chain is numbered from its outermost new part inwards.
  std::vector<StackId> chain;
  for (; !stack.is_none() && !stacks.has(stack); stack = info.stacks[stack.index].caller) {
    chain.push_back(stack);
  }
  for (size_t i = chain.size(); i-- > 0;) {
    stacks.Add(chain[i]);
    call_sites.Add(info.stacks[chain[i].index].call_site);
  }
}

void CanonicalOrder::OrderRanges(const DebugInfo& info) {
  // Gaps first, so that a look-up sees by its number whether a range can be one.
  std::vector<bool> is_used(info.ranges.size());
  for (const NodeKind& kind : kinds) is_used[kind.range.index] = true;
  for (const CallSiteId site : call_sites.order()) {
    is_used[info.call_sites[site.index].range.index] = true;
  }
  std::vector<RangeId> gaps;
  for (uint32_t i = 0; i < info.ranges.size(); ++i) {
    if (is_used[i] && info.ranges[i].source.is_none()) gaps.push_back(RangeId{i});
  }
  std::sort(gaps.begin(), gaps.end(), [&info](RangeId a, RangeId b) {
    return info.ranges[a.index].gap < info.ranges[b.index].gap;
  });
  for (const RangeId gap : gaps) ranges.Add(gap);
  const auto add = [&](RangeId range) {
    if (ranges.Add(range)) sources.AddIfAny(info.ranges[range.index].source);
  };
  for (const NodeKind& kind : kinds) add(kind.range);
  for (const CallSiteId site : call_sites.order()) add(info.call_sites[site.index].range);
}

void CanonicalOrder::OrderUnreferencedSources(const DebugInfo& info) {
  const auto file_name = [&info](const Source& source) {
    return source.file_name.is_none() ? std::string_view() : info.strings.at(source.file_name);
  };
  const auto text = [&info](const Source& source) {
    return source.text.is_none() ? std::string_view() : info.text(source.text);
  };
  std::vector<SourceId> order(info.sources.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = SourceId{i};
  const auto rank = [&](SourceId id) {
    const Source& source = info.sources[id.index];
    return std::tuple(source.file_name.is_none(), file_name(source), source.first_line,
                      source.text.is_none(), text(source));
  };
  std::sort(order.begin(), order.end(),
            [&rank](SourceId a, SourceId b) { return rank(a) < rank(b); });
  for (const SourceId id : order) sources.Add(id);
}

void CanonicalOrder::OrderStrings(const DebugInfo& info) {
  // One kind of name after the other: the columns that refer to them stay narrow.
  for (const NodeKind& kind : kinds) strings.AddIfAny(kind.name);
  for (const UnitId id : units) {
    StringId last;
    for (const Node& node : info.units[id.index].nodes) {
      if (node.function == last) continue;
      last = node.function;
      strings.AddIfAny(last);
    }
  }
  for (const CallSiteId site : call_sites.order()) {
    strings.AddIfAny(info.call_sites[site.index].function);
  }
  for (const CallSiteId site : call_sites.order()) {
    strings.AddIfAny(info.call_sites[site.index].module_type);
  }
  for (const CallSiteId site : call_sites.order()) {
    strings.AddIfAny(info.call_sites[site.index].module_name);
  }
  for (const UnitId id : units) strings.AddIfAny(info.units[id.index].top_type);
  for (const SourceId source : sources.order()) {
    file_names.AddIfAny(info.sources[source.index].file_name);
  }
}

}  // namespace handrail::debug_map
