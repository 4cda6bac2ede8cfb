// Turns debug handles into traces, with several maps: finds the map that may answer, or says why
// none can.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/symbolize/map_set.h"
#include "handrail/symbolize/symbolizer.h"
#include "handrail/symbolize/trace.h"

namespace handrail {

// Not thread-safe. `maps` must outlive it.
class MapSetSymbolizer {
 public:
  explicit MapSetSymbolizer(MapSet& maps, TraceStyle style = TraceStyle::kHandrail);
  MapSetSymbolizer(MapSetSymbolizer&&) noexcept;
  MapSetSymbolizer& operator=(MapSetSymbolizer&&) noexcept;
  ~MapSetSymbolizer();

  // Which map answered. Null: none, and the trace says why for every handle.
  struct Source {
    const OpenedMap* map = nullptr;
    std::optional<Hash128> build_id;  // the build asked for, in full
  };

  // The trace of `handles`, innermost first, of the build `build`; without a build, of the named
  // maps. Of several maps that have all handles the first answers, if all of them say the same;
  // otherwise the answer is kAmbiguous. See Symbolizer::Symbolize for the trace.
  Source Symbolize(const std::optional<BuildName>& build, std::span<const DebugHandle> handles,
                   Trace& trace);

  // Handles that PyTorch printed without separators ("72446", "72-1"), innermost first: the ways to
  // split them that a map admits. docs/traces.md says which those are.
  struct Splits {
    std::vector<std::vector<DebugHandle>>
        ways;                 // at most kSplitWaysMax, longest first handle first
    bool is_complete = true;  // false: there are more
  };
  static constexpr size_t kSplitWaysMax = 8;
  // Digits beyond this many are not tried.
  static constexpr size_t kSplitBytesMax = 512;
  Splits SplitHandles(std::string_view digits);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace handrail
