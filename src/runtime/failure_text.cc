#include "runtime/failure_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "handrail/runtime/run_error.h"
#include "handrail/symbolize/symbolizer.h"

namespace handrail::runtime {

std::string RunError::ToString() const {
  if (trace.empty()) return message;
  return message + "\n" + trace;
}

std::string LogToken(const Hash128& build_id, std::span<const DebugHandle> handles) {
  return fmt::format("{{{{{{hdh:{}:{}}}}}}}", build_id.ToHex(), fmt::join(handles, ","));
}

std::string TraceText(const std::optional<DebugMap>& map, const Hash128& build_id, TraceStyle style,
                      std::span<const DebugHandle> handles) {
  // A program without handles has no map either, and nothing to look up elsewhere.
  if (std::all_of(handles.begin(), handles.end(),
                  [](DebugHandle handle) { return handle == kUnknownHandle; })) {
    return {};
  }
  if (!map) return LogToken(build_id, handles);
  Symbolizer symbolizer(*map, style);
  Trace trace;
  symbolizer.Symbolize(handles, {}, trace);
  return std::move(trace.text);
}

std::string PlaceText(const DebugMap& map, DebugHandle handle) {
  Symbolizer symbolizer(map);
  Trace trace;
  symbolizer.Symbolize(handle, {}, trace);
  if (trace.frames.empty() || trace.frames.back().line == 0) return {};
  return fmt::format("{}:{}", trace.frames.back().file, trace.frames.back().line);
}

}  // namespace handrail::runtime
