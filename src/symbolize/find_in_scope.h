// The look-up that a HandleScope asks for.
#pragma once

#include "handrail/symbolize/symbolizer.h"

namespace handrail {

inline Answer<DebugMap::FoundNode> FindInScope(const DebugMap& map, const HandleScope& scope,
                                               DebugHandle handle) {
  if (scope.unit) return map.Find(*scope.unit, handle);
  if (scope.build_id) return map.FindInBuild(*scope.build_id, handle);
  return map.Find(handle);
}

}  // namespace handrail
