// Turns debug handles into traces, with one debug map. Several maps: map_set_symbolizer.h.
//
//   HANDRAIL_ASSIGN_OR_RETURN(OpenedMap opened, OpenMap("model.hdm"));
//   Symbolizer symbolizer(opened.map);
//   Trace trace;
//   symbolizer.Symbolize(std::vector<DebugHandle>{446, 72}, {}, trace);   // innermost first
//   std::cout << trace.text;
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "handrail/debug_info/debug_info.h"
#include "handrail/debug_map/debug_map.h"
#include "handrail/symbolize/trace.h"

namespace handrail {

// Which units of a map may answer. Nothing set: the one unit that has the handle.
struct HandleScope {
  std::optional<UnitId> unit = {};
  std::optional<Hash128> build_id = {};  // ignored if `unit` is set
};

// A frame as rows of the map: `function` runs on the module instance (`module_name`, `module_type`)
// and is at `range`.
struct FrameIds {
  StringId function;     // none: unknown. In a handle's first frame it is the qualified name
  StringId module_type;  // none with `module_name` none: a free function, or the first frame
  StringId module_name;
  RangeId range;

  friend bool operator==(const FrameIds&, const FrameIds&) = default;
};

// Replaces `frames` by the frames of one handle, outermost first; the last is the node's own. The
// fastest form of an answer: nothing is copied out of the map, and nothing is allocated once
// `frames` is large enough. Thread-safe as far as each thread brings its own `frames`.
Answer<DebugMap::FoundNode> ReadFrames(const DebugMap& map, const HandleScope& scope,
                                       DebugHandle handle, std::vector<FrameIds>& frames);

// Remembers what it has read and rendered, in at most about kMemoBytesMax bytes. Not thread-safe:
// one per thread. `map` must outlive it.
class Symbolizer {
 public:
  static constexpr size_t kMemoBytesMax = size_t{64} << 20;

  explicit Symbolizer(const DebugMap& map, TraceStyle style = TraceStyle::kHandrail,
                      size_t memo_bytes_max = kMemoBytesMax);
  Symbolizer(Symbolizer&&) noexcept;
  Symbolizer& operator=(Symbolizer&&) noexcept;
  ~Symbolizer();

  // The trace of `handles`, innermost first. Cannot fail: what is not known is said in the trace.
  // Invalidates the views of the trace that it filled before.
  void Symbolize(std::span<const DebugHandle> handles, const HandleScope& scope, Trace& trace);
  // The trace of one handle. Differs only in the text for an unknown handle in PyTorch's style,
  // which PyTorch words differently for one handle ("7") and for a list ("debug_handles:{7}").
  void Symbolize(DebugHandle handle, const HandleScope& scope, Trace& trace);

  const DebugMap& map() const;
  TraceStyle style() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace handrail
