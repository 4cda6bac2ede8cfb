// The units of blobs that the archive says of itself (handrail/debug_info), among the debug info of
// its bytecode.
#pragma once

#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info.h"
#include "handrail/debug_info/debug_info_builder.h"

namespace handrail::mobile_archive {

// Adds the units of kind kBackend in `from` to `builder`. Fails where DebugInfoBuilder::AddUnit
// does.
Status AddBackendUnits(const DebugInfo& from, DebugInfoBuilder& builder);

// All handles of all units of `info` as one unit: PyTorch's call-stack map is one for all.
Unit UnitOfAllHandles(const DebugInfo& info);

}  // namespace handrail::mobile_archive
