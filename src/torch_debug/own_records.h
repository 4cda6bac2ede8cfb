// Records of ours in PyTorch's archives: what PyTorch's own cannot hold. PyTorch ignores them.
//
//   handrail/debug_info   a debug map with the units of the archive's blobs (UnitKind::kBackend):
//                         a .pt has no other place for what their handles stand for, and PyTorch's
//                         call-stack map in a .ptl has none for their keys
//   handrail/build_key    32 hexadecimal digits, of an archive for the mobile runtime: a hash of
//   all
//                         that its handles stand for. Equal bytecode of two versions of a source
//                         has different build ids by it, also after the debug info was stripped
#pragma once

#include <string_view>

#include "handrail/base/result.h"
#include "handrail/torch_debug/torch_debug.h"

#include "archive/archive.h"
#include "archive/memory_budget.h"
#include "torch_debug/warning_list.h"

namespace handrail {

inline constexpr std::string_view kOwnDebugInfoName = "handrail/debug_info";
inline constexpr std::string_view kBuildKeyName = "handrail/build_key";

// The units in kOwnDebugInfoName; none if the archive has no such record. Fails with kLimit where
// they would take more than `budget` has, and as reading a record and a debug map does; errors name
// archive and record.
Result<DebugInfo> ReadOwnUnits(const Archive& archive, MemoryBudget& budget);

// Adds the units in kOwnDebugInfoName, if the archive has one, to `result.info`: they get the
// archive's build id, and the unit of PyTorch's own records loses the handles that they have.
// `result` is otherwise complete. What cannot be read is a warning.
void AddOwnUnits(const Archive& archive, MemoryBudget& budget, WarningList& warnings,
                 TorchDebugInfo& result);

}  // namespace handrail
