// The readers behind ReadTorchDebugInfo, one per kind of container. Contracts are those of
// include/handrail/torch_debug/torch_debug.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/torch_debug/torch_debug.h"

#include "archive/archive.h"
#include "archive/memory_budget.h"
#include "torch_debug/warning_list.h"

namespace handrail {

// Of one function in TorchDebugInfo::functions, its name aside.
inline constexpr uint64_t kTorchFunctionBytes = 128;

// `result.info` and `result.warnings` are left to the caller, who has the builder and the list.
Status ReadMobileArchive(const Archive& archive, const TorchReadOptions& options,
                         MemoryBudget& budget, DebugInfoBuilder& builder, WarningList& warnings,
                         TorchDebugInfo& result);
Status ReadModuleArchive(const Archive& archive, MemoryBudget& budget, DebugInfoBuilder& builder,
                         WarningList& warnings, TorchDebugInfo& result);
Status ReadFlatbufferFile(std::span<const std::byte> file, MemoryBudget& budget,
                          DebugInfoBuilder& builder, TorchDebugInfo& result);

// Whether the archive has a record that only mobile archives have.
bool IsMobileArchive(const Archive& archive);
// Whether it has TorchScript or the source ranges of some.
bool IsModuleArchive(const Archive& archive);

// The qualified type of the object that data.pkl holds: the first thing that PyTorch writes there.
// Empty if `data_pkl` does not begin so.
std::string RootTypeOf(std::span<const std::byte> data_pkl);
// "__torch__.M" of "__torch__.M.forward".
std::string_view ClassOfMethod(std::string_view qualified_name);

}  // namespace handrail
