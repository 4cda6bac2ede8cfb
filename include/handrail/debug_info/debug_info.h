// Debug info in memory: for each debug handle, where its node came from.
//
// In:  calls of DebugInfoBuilder (by a compiler), or an archive's records (torch_debug/).
// Out: debug_map/ turns it into the bytes of a debug map.
//
// Flat tables of rows that name each other by typed ids. Everything is shared: equal strings,
// sources, ranges, call sites and stacks are stored once. The numbering carries no meaning, the
// writer renumbers canonically.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "handrail/base/hash128.h"
#include "handrail/base/id.h"
#include "handrail/base/interned_rows.h"
#include "handrail/base/string_pool.h"
#include "handrail/debug_info/handle.h"

namespace handrail {

using TextId = Id<struct TextTag>;
using SourceId = Id<struct SourceTag>;
using RangeId = Id<struct RangeTag>;
using CallSiteId = Id<struct CallSiteTag>;
using StackId = Id<struct StackTag>;
using UnitId = Id<struct UnitTag>;

// A named text. Its first line is line `first_line` of the file it was cut from.
struct Source {
  StringId file_name;  // none: the source has no name (that differs from the name "")
  uint32_t first_line = 1;
  TextId text;  // none: the text is not available

  friend bool operator==(const Source&, const Source&) = default;
};
uint64_t HashOf(const Source& source);

// A place in a source. Lines and columns are 1-based, 0 is unknown. `line` counts from the start of
// the source's text, so that the file's line is Source::first_line + line - 1; `column` counts
// bytes (UTF-8). A column may lie beyond its line's end: positions are byte offsets seen through
// the line table, and the last line goes on for ever.
struct Position {
  uint32_t line = 0;
  uint32_t column = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

// Why a range has no source.
enum class RangeGap : uint8_t {
#define HANDRAIL_RANGE_GAP(name, text) name,
#include "handrail/debug_info/range_gaps.def"
};
// The sentence that a user reads.
std::string_view ToString(RangeGap gap);

// Bytes [start, end) of a source, as positions; or, without a source, why there is none.
struct SourceRange {
  SourceId source;
  Position start;
  Position end;
  RangeGap gap = RangeGap::kNull;  // meaningful where source.is_none(), kNull elsewhere

  friend bool operator==(const SourceRange&, const SourceRange&) = default;
};
uint64_t HashOf(const SourceRange& range);

// One inlined call: what is called, on which module instance, from where.
struct CallSite {
  StringId function;     // the callee's name; none: unknown
  StringId module_type;  // qualified type name; none with `module_name` none: a free function
  StringId module_name;  // attribute name the instance was reached by, or "SELF"
  RangeId range;         // of the call, in the caller's source

  bool has_module() const { return !module_type.is_none() || !module_name.is_none(); }
  friend bool operator==(const CallSite&, const CallSite&) = default;
};
uint64_t HashOf(const CallSite& call_site);

// An inlined call stack: this call site, entered from `caller`. Always caller < own id.
struct Stack {
  StackId caller;  // none: this is the outermost call
  CallSiteId call_site;

  friend bool operator==(const Stack&, const Stack&) = default;
};
uint64_t HashOf(const Stack& stack);

// What one handle stands for. PyTorch calls it DebugInfoTuple.
struct Node {
  StringId name;      // "aten::add"; none: unknown (archives before PyTorch 1.10)
  RangeId range;      // never none: a null range is a row with RangeGap::kNull
  StackId stack;      // none: the node was not inlined
  StringId function;  // qualified name of the function that owns the handle; none: unknown

  friend bool operator==(const Node&, const Node&) = default;
};

// How a unit's handles were issued.
enum class UnitKind : uint8_t {
#define HANDRAIL_UNIT_KIND(name, value, text) name = value,
#include "handrail/debug_info/unit_kinds.def"
};
std::string_view ToString(UnitKind kind);

// The handles that one lowering, or the bytecode of one archive, issued.
struct Unit {
  UnitKind kind = UnitKind::kForeign;
  Hash128 key;        // what the handles were derived from; names the unit
  Hash128 build_id;   // ties the map to what runs; see docs/format.md, "Build id"
  StringId top_type;  // qualified type name of the outermost module; none: unknown
  // Parallel, ascending by handle, no handle twice.
  std::vector<DebugHandle> handles;
  std::vector<Node> nodes;
};

// Owns everything it names. Immutable by convention once built; safe to read from many threads.
struct DebugInfo {
  StringPool strings;
  StringPool texts;  // by TextId; the ids of this pool are TextId::index
  std::vector<Source> sources;
  std::vector<SourceRange> ranges;
  std::vector<CallSite> call_sites;
  std::vector<Stack> stacks;
  std::vector<Unit> units;

  std::string_view text(TextId id) const { return texts.at(StringId{id.index}); }
};

}  // namespace handrail
