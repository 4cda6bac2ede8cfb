// The strings and rendered ranges of one debug map, each made once. Between the map's rows and the
// symbolizer's texts: a trace is put together from these by copying.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/debug_info/debug_info.h"
#include "handrail/debug_map/debug_map.h"

#include "symbolize/memo.h"

namespace handrail {

// Not thread-safe. What it gives away is valid until Clear.
class MapMemo {
 public:
  // A string, and what it says as the qualified name of a type or function.
  struct Name {
    std::string_view text;
    std::string_view last_atom;
    std::string_view owner;  // everything before the last '.'
    bool is_generated_type = false;
    bool is_owner_generated = false;
  };
  // A range, read and rendered.
  struct Range {
    DebugMap::Location location;
    std::string_view file;
    RangeGap gap = RangeGap::kNull;  // meaningful if !has_source
    bool has_source = false;
    bool is_generated_call = false;
    bool has_header = false;
    std::string_view header;  // see RangeText
    std::string_view body;
  };

  // One row of a call stack, with all that it names.
  struct Call {
    const Name* function = nullptr;  // of the callee; null: unknown
    const Name* type = nullptr;      // of the module instance it runs on; null: none
    const Name* instance = nullptr;
    const Range* site = nullptr;  // of the call, in the caller
    StackId caller;               // none: this is the outermost call
  };

  explicit MapMemo(const DebugMap& map) : map_(&map) {}

  // Fail only with kDamagedMap.
  Answer<const Name*> NameOf(StringId id);
  // Null for none.
  Answer<const Name*> NameOrNull(StringId id);
  Answer<const Call*> CallOf(StackId id);
  Answer<const Range*> RangeOf(RangeId id);

  const DebugMap& map() const { return *map_; }
  size_t size_bytes() const;
  void Clear();

 private:
  // A source's text, unpacked.
  struct SourceText {
    std::string text;
    std::vector<uint64_t> line_starts;
    bool has_text = false;
  };
  const SourceText& TextOf(SourceId id);
  void Render(Range& range);

  const DebugMap* map_;
  TextArena arena_;
  IdMemo<Name> names_;
  IdMemo<Range> ranges_;
  IdMemo<Call> calls_;
  IdMemo<SourceText> sources_;
  size_t source_bytes_ = 0;
};

}  // namespace handrail
