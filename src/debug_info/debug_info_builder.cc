#include "handrail/debug_info/debug_info_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "handrail/base/check.h"

namespace handrail {
namespace {

// Handles this close together are sorted by placing each at its offset from the smallest.
constexpr uint64_t kSparsenessMax = 4;

Node ConflictNode(RangeId conflict) {
  return Node{{}, conflict, {}, {}};
}

}  // namespace

SourceId DebugInfoBuilder::AddSource(const SourceOptions& options) {
  Source source;
  if (options.file_name) source.file_name = info_.strings.Intern(*options.file_name);
  source.first_line = options.first_line;
  if (options.text) source.text = TextId{info_.texts.Intern(*options.text).index};
  return sources_.Intern(source);
}

const DebugInfoBuilder::LineTable& DebugInfoBuilder::LinesOf(SourceId source) {
  if (line_tables_.size() <= source.index) line_tables_.resize(sources_.size());
  LineTable& lines = line_tables_[source.index];
  if (!lines.line_starts.empty()) return lines;
  const TextId text_id = sources_.at(source).text;
  HANDRAIL_CHECK(!text_id.is_none());
  const std::string_view text = info_.text(text_id);
  lines.text_size = text.size();
  lines.line_starts.push_back(0);
  for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    lines.line_starts.push_back(at + 1);
  }
  return lines;
}

Position DebugInfoBuilder::PositionAt(const LineTable& lines, uint64_t offset) {
  const auto after = std::upper_bound(lines.line_starts.begin(), lines.line_starts.end(), offset);
  const auto line = static_cast<uint64_t>(after - lines.line_starts.begin());
  const uint64_t column = offset - *(after - 1) + 1;
  return Position{static_cast<uint32_t>(std::min<uint64_t>(line, UINT32_MAX)),
                  static_cast<uint32_t>(std::min<uint64_t>(column, UINT32_MAX))};
}

RangeId DebugInfoBuilder::AddRange(SourceId source, uint64_t start, uint64_t end) {
  const LineTable& lines = LinesOf(source);
  if (start > lines.text_size) return AddGap(RangeGap::kOutsideText);
  return AddRange(source, PositionAt(lines, start), PositionAt(lines, end));
}

RangeId DebugInfoBuilder::AddRange(SourceId source, Position start, Position end) {
  return ranges_.Intern(SourceRange{source, start, end, RangeGap::kNull});
}

RangeId DebugInfoBuilder::AddGap(RangeGap gap) {
  return ranges_.Intern(SourceRange{{}, {}, {}, gap});
}

StackId DebugInfoBuilder::AddCall(StackId caller, std::string_view function,
                                  std::optional<ModuleInstance> module, RangeId call_site) {
  CallSite site;
  site.function = AddString(function);
  site.range = call_site;
  if (module) {
    site.module_type = AddString(module->type);
    site.module_name = AddString(module->name);
  }
  return AddCall(caller, site);
}

StackId DebugInfoBuilder::AddCall(StackId caller, const CallSite& call_site) {
  return stacks_.Intern(Stack{caller, call_sites_.Intern(call_site)});
}

void DebugInfoBuilder::ReserveStacks(uint32_t count) {
  stacks_.Reserve(count);
  call_sites_.Reserve(count);
}

void DebugInfoBuilder::ReserveNodes(uint32_t count) {
  HANDRAIL_CHECK(!info_.units.empty());
  Unit& unit = info_.units.back();
  const size_t needed = unit.handles.size() + count;
  // Never less than doubled: graph after graph must not copy what is there each time.
  if (needed <= unit.handles.capacity()) return;
  const size_t room = std::max(needed, 2 * unit.handles.capacity());
  unit.handles.reserve(room);
  unit.nodes.reserve(room);
}

Status DebugInfoBuilder::BeginUnit(const UnitOptions& options) {
  Unit unit;
  unit.kind = options.kind;
  unit.key = options.key;
  unit.build_id = options.build_id;
  if (!options.top_type.empty()) unit.top_type = AddString(options.top_type);
  info_.units.push_back(std::move(unit));
  function_ = StringId::none();
  space_ordinal_ = 0;
  if (options.kind == UnitKind::kForeign) return {};
  Status opened = OpenNextSpace();
  if (!opened) info_.units.pop_back();
  return opened;
}

Status DebugInfoBuilder::OpenNextSpace() {
  const Unit& unit = info_.units.back();
  uint32_t space = kBytecodeSpace;
  if (unit.kind == UnitKind::kBackend) {
    space = HandleSpaceForKey(unit.key, space_ordinal_);
    HANDRAIL_RETURN_IF_ERROR(ClaimSpace(space, unit.key));
  } else if (space_ordinal_ != 0) {
    return Fail(ErrorCode::kExhausted,
                fmt::format("all {} bytecode handles are issued", kHandlesPerSpace));
  }
  ++space_ordinal_;
  next_handle_ = MakeHandle(space, 0);
  handle_limit_ = next_handle_ + kHandlesPerSpace;
  return {};
}

Status DebugInfoBuilder::ClaimSpace(uint32_t space, const Hash128& key) {
  const auto [entry, is_new] = space_keys_.emplace(space, key);
  if (is_new) return {};
  return Fail(ErrorCode::kConflict,
              fmt::format("handle space {} is wanted by key {} and taken by key {}", space,
                          key.ToHex(), entry->second.ToHex()));
}

Status DebugInfoBuilder::AddUnit(Unit unit) {
  if (unit.kind == UnitKind::kBackend) {
    std::optional<uint32_t> last;
    for (const DebugHandle handle : unit.handles) {
      const uint32_t space = HandleSpaceOf(handle);
      if (space == last) continue;
      last = space;
      HANDRAIL_RETURN_IF_ERROR(ClaimSpace(space, unit.key));
    }
  }
  info_.units.push_back(std::move(unit));
  return {};
}

void DebugInfoBuilder::BeginFunction(std::string_view name) {
  function_ = name.empty() ? StringId::none() : AddString(name);
}

Result<DebugHandle> DebugInfoBuilder::AddNode(std::string_view name, RangeId range, StackId stack) {
  return AddNode(AddString(name), range, stack);
}

Result<DebugHandle> DebugInfoBuilder::AddNode(StringId name, RangeId range, StackId stack) {
  HANDRAIL_CHECK(!info_.units.empty() && info_.units.back().kind != UnitKind::kForeign);
  if (next_handle_ == handle_limit_) HANDRAIL_RETURN_IF_ERROR(OpenNextSpace());
  Unit& unit = info_.units.back();
  unit.handles.push_back(next_handle_);
  unit.nodes.push_back(Node{name, range, stack, function_});
  return next_handle_++;
}

void DebugInfoBuilder::AddForeignNode(DebugHandle handle, const Node& node) {
  HANDRAIL_CHECK(!info_.units.empty() && info_.units.back().kind == UnitKind::kForeign);
  info_.units.back().handles.push_back(handle);
  info_.units.back().nodes.push_back(node);
}

void DebugInfoBuilder::SortUnit(Unit& unit) {
  const size_t count = unit.handles.size();
  if (std::is_sorted(unit.handles.begin(), unit.handles.end()) &&
      std::adjacent_find(unit.handles.begin(), unit.handles.end()) == unit.handles.end()) {
    return;
  }
  // Places in the order of their handles, equal handles in the order they were added.
  std::vector<uint32_t> order(count);
  const auto [low, high] = std::minmax_element(unit.handles.begin(), unit.handles.end());
  const DebugHandle first = *low;
  const uint64_t spread = static_cast<uint64_t>(*high) - static_cast<uint64_t>(first);
  if (spread < kSparsenessMax * count) {
    std::vector<uint32_t> starts(spread + 2, 0);
    for (const DebugHandle handle : unit.handles) ++starts[static_cast<size_t>(handle - first) + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (uint32_t i = 0; i < count; ++i) {
      order[starts[static_cast<size_t>(unit.handles[i] - first)]++] = i;
    }
  } else {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&unit](uint32_t a, uint32_t b) { return unit.handles[a] < unit.handles[b]; });
  }
  std::vector<DebugHandle> handles;
  std::vector<Node> nodes;
  handles.reserve(count);
  nodes.reserve(count);
  for (const uint32_t i : order) {
    if (!handles.empty() && handles.back() == unit.handles[i]) {
      if (nodes.back() != unit.nodes[i]) nodes.back() = ConflictNode(AddGap(RangeGap::kConflict));
      continue;
    }
    handles.push_back(unit.handles[i]);
    nodes.push_back(unit.nodes[i]);
  }
  unit.handles = std::move(handles);
  unit.nodes = std::move(nodes);
}

DebugInfo DebugInfoBuilder::Finish() && {
  FieldHasher keys;
  for (Unit& unit : info_.units) {
    SortUnit(unit);
    keys.Add(unit.key);
  }
  for (Unit& unit : info_.units) {
    if (unit.build_id.is_zero()) unit.build_id = keys.Finish();
  }
  info_.sources = std::move(sources_).Take();
  info_.ranges = std::move(ranges_).Take();
  info_.call_sites = std::move(call_sites_).Take();
  info_.stacks = std::move(stacks_).Take();
  return std::move(info_);
}

}  // namespace handrail
