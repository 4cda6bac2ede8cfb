// What the handles of a failed run say.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "handrail/base/hash128.h"
#include "handrail/debug_map/debug_map.h"
#include "handrail/symbolize/trace.h"

namespace handrail::runtime {

// `{{{hdh:<build id>:<handle>,<handle>…}}}`
std::string LogToken(const Hash128& build_id, std::span<const DebugHandle> handles);

// The trace of `handles`, innermost first; without a map the log token; "" without handles.
std::string TraceText(const std::optional<DebugMap>& map, const Hash128& build_id, TraceStyle style,
                      std::span<const DebugHandle> handles);

// "model.py:12", where the node of a handle stands; "" if nobody knows.
std::string PlaceText(const DebugMap& map, DebugHandle handle);

}  // namespace handrail::runtime
