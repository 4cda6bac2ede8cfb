// Where nodes come from: sources, ranges of them, and inlined call stacks. Interned rows, which
// nodes name by id; lowering turns each distinct row once into rows of a DebugInfoBuilder.
//
// The words are those of debug_info/debug_info.h. The ids here are of other tables, so they are
// other types.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "handrail/base/id.h"
#include "handrail/base/interned_rows.h"
#include "handrail/base/string_pool.h"
#include "handrail/debug_info/debug_info.h"

namespace handrail::graph {

using SourceId = Id<struct GraphSourceTag>;
using RangeId = Id<struct GraphRangeTag>;
using StackId = Id<struct GraphStackTag>;

// What DebugInfoBuilder::AddSource takes. The text is not owned by the table.
struct SourceRow {
  std::optional<std::string_view> file_name;
  uint32_t first_line = 1;
  std::optional<std::string_view> text;

  friend bool operator==(const SourceRow&, const SourceRow&) = default;
};
uint64_t HashOf(const SourceRow& row);

// Bytes [start, end) of a source, or why there is none. They may lie outside the text, as those of
// broken archives do.
struct RangeRow {
  SourceId source;  // none: `gap` says why
  uint32_t start = 0;
  uint32_t end = 0;
  RangeGap gap = RangeGap::kNull;

  friend bool operator==(const RangeRow&, const RangeRow&) = default;
};
uint64_t HashOf(const RangeRow& row);

// A call stack: one more inlined call, made by `caller`. Always caller < own id.
struct StackRow {
  StackId caller;        // none: this is the outermost call
  StringId function;     // the callee's name without its class: "forward"
  StringId module_type;  // qualified name; none with `module_name` none: a free function
  StringId module_name;  // the attribute the instance was reached by, or "SELF"
  RangeId range;         // of the call, in the caller's source

  friend bool operator==(const StackRow&, const StackRow&) = default;
};
uint64_t HashOf(const StackRow& row);

// The strings of stacks are of the compilation unit's pool. Not thread-safe to add to; safe to
// read from many threads.
class OriginTable {
 public:
  OriginTable();

  // Keeps `text` alive as long as the table lives, and returns a view of it, for SourceRow::text.
  std::string_view KeepText(std::string text);
  // `file_name` is copied; the text must outlive the table (KeepText, or a mapped file).
  SourceId AddSource(const SourceRow& source);
  RangeId AddRange(SourceId source, uint32_t start, uint32_t end) {
    return ranges_.Intern({source, start, end, RangeGap::kNull});
  }
  RangeId AddGap(RangeGap gap) { return ranges_.Intern({SourceId::none(), 0, 0, gap}); }
  // PyTorch's null range: what GetAttr nodes, parameters and results have.
  static constexpr RangeId null_range() { return RangeId{0}; }
  StackId AddStack(const StackRow& stack) { return stacks_.Intern(stack); }

  const SourceRow& source(SourceId id) const { return sources_.at(id); }
  const RangeRow& range(RangeId id) const { return ranges_.at(id); }
  const StackRow& stack(StackId id) const { return stacks_.at(id); }
  uint32_t source_count() const { return sources_.size(); }
  uint32_t range_count() const { return ranges_.size(); }
  uint32_t stack_count() const { return stacks_.size(); }

  // The file's line and the byte column where a range starts and ends, 1-based; all 0 without a
  // source or text, or if the range starts outside it. Walks the text: for people, not inner loops.
  struct Place {
    uint32_t line = 0;
    uint32_t column = 0;
    uint32_t end_line = 0;
    uint32_t end_column = 0;
  };
  Place PlaceOf(RangeId id) const;

 private:
  StringPool file_names_;
  std::vector<std::unique_ptr<std::string>> texts_;
  InternedRows<SourceId, SourceRow> sources_;
  InternedRows<RangeId, RangeRow> ranges_;
  InternedRows<StackId, StackRow> stacks_;
};

// Puts one call stack in front of others: what inlining a call does to the nodes of the callee.
// Equal results are interned, and each distinct stack is walked once.
class StackPrefixer {
 public:
  // `prefix`: the stack of the inlined call, its own call site included.
  StackPrefixer(OriginTable& origins, StackId prefix) : origins_(origins), prefix_(prefix) {}
  // `prefix` followed by all of `stack` (none: `prefix` alone).
  StackId operator()(StackId stack);

 private:
  OriginTable& origins_;
  StackId prefix_;
  std::unordered_map<StackId, StackId> known_;
};

}  // namespace handrail::graph
