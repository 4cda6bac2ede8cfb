// Records debug info while a graph is lowered, and issues the handles. For any compiler: it takes
// sources, ranges and calls directly and knows nothing of a graph.
//
//   DebugInfoBuilder builder;
//   const SourceId file = builder.AddSource({.file_name = "model.py", .text = text});
//   builder.BeginUnit({.kind = UnitKind::kBackend, .key = HashBytes(text)});
//   const RangeId range = builder.AddRange(file, 12, 17);
//   Result<DebugHandle> handle = builder.AddNode("aten::add", range);
//   ...
//   DebugInfo info = std::move(builder).Finish();
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info.h"

namespace handrail {

// A module instance: its type's qualified name and the attribute it was reached by (or "SELF").
struct ModuleInstance {
  std::string_view type;
  std::string_view name;
};

// Not thread-safe; any number of builders work at once, they share nothing. All ids given to it
// must be its own.
class DebugInfoBuilder {
 public:
  struct SourceOptions {
    std::optional<std::string_view> file_name = {};
    uint32_t first_line = 1;
    // Without a text, ranges are given as positions and traces have no source lines.
    std::optional<std::string_view> text = {};
  };
  // Equal sources get one id.
  SourceId AddSource(const SourceOptions& source);

  // Bytes [start, end) of the text of `source`, which must have one. A `start` beyond the text
  // gives a range without source (RangeGap::kOutsideText); `end` may lie anywhere.
  RangeId AddRange(SourceId source, uint64_t start, uint64_t end);
  // The same by lines and columns of `source` (see Position).
  RangeId AddRange(SourceId source, Position start, Position end);
  RangeId AddGap(RangeGap gap);

  StringId AddString(std::string_view text) { return info_.strings.Intern(text); }

  // The call stack `caller` + one more call. `caller` none: the outermost call. Equal stacks get
  // one id.
  StackId AddCall(StackId caller, std::string_view function, std::optional<ModuleInstance> module,
                  RangeId call_site);
  StackId AddCall(StackId caller, const CallSite& call_site);

  // Makes room for this many more call stacks, or nodes of the current unit. Only speed depends on
  // it.
  void ReserveStacks(uint32_t count);
  void ReserveNodes(uint32_t count);

  struct UnitOptions {
    UnitKind kind = UnitKind::kBackend;
    // Everything that the debug info depends on, hashed: equal keys give equal handles.
    Hash128 key = {};
    // Zero: derived from the keys of all units when finished.
    Hash128 build_id = {};
    std::string_view top_type = {};
  };
  // Nodes added from here on belong to this unit. Fails with kConflict if a unit of this builder
  // with another key has the same handle space.
  Status BeginUnit(const UnitOptions& options);
  // Nodes added from here on belong to this function (qualified name). Empty: unknown.
  void BeginFunction(std::string_view name);

  // Issues the unit's next handle for a node. Fails with kExhausted when there is no next one.
  Result<DebugHandle> AddNode(std::string_view name, RangeId range,
                              StackId stack = StackId::none());
  Result<DebugHandle> AddNode(StringId name, RangeId range, StackId stack = StackId::none());
  // Records a node under a handle that someone else issued. Only in kForeign units. `node.function`
  // counts, BeginFunction does not. A handle that is added with two different nodes becomes a node
  // with RangeGap::kConflict: it stands for neither.
  void AddForeignNode(DebugHandle handle, const Node& node);

  // Adds a unit that is complete: its handles ascend, its ids are this builder's. Fails with
  // kConflict like BeginUnit. Nodes cannot be added to it.
  Status AddUnit(Unit unit);

  // Gives everything away.
  DebugInfo Finish() &&;

  // What was recorded so far; ids stay valid in the finished DebugInfo.
  const StringPool& strings() const { return info_.strings; }
  const SourceRange& range(RangeId id) const { return ranges_.at(id); }

 private:
  struct LineTable {
    std::vector<uint64_t> line_starts;  // byte offset of each line of the text
    uint64_t text_size = 0;
  };
  const LineTable& LinesOf(SourceId source);
  static Position PositionAt(const LineTable& lines, uint64_t offset);
  Status OpenNextSpace();
  Status ClaimSpace(uint32_t space, const Hash128& key);
  void SortUnit(Unit& unit);

  DebugInfo info_;  // its interned tables are filled by Finish
  InternedRows<SourceId, Source> sources_;
  InternedRows<RangeId, SourceRange> ranges_;
  InternedRows<CallSiteId, CallSite> call_sites_;
  InternedRows<StackId, Stack> stacks_;
  std::vector<LineTable> line_tables_;  // by SourceId; empty until asked for
  std::unordered_map<uint32_t, Hash128> space_keys_;
  StringId function_;
  uint32_t space_ordinal_ = 0;
  DebugHandle next_handle_ = 0;
  DebugHandle handle_limit_ = 0;  // one beyond the last of the current space
};

}  // namespace handrail
