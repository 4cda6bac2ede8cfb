// mobile_debug.pkl (PyTorch 1.6 to 1.8): a module path for each operator, in place of handles.
//
// In:  the record's bytes:
//        (version, (function, (("module_debug_info", (path, ...)),)), ...)
//      Functions in the order of bytecode.pkl, paths in the order of the function's operators.
//        path = "top(C).B0(B).forward.A0(A).forward", or (such a text, source range tag)
// Out: a node for each path. The operators of all functions are numbered from 0, since there are no
//      handles: what failed was told by function and position.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info_builder.h"

#include "archive/memory_budget.h"
#include "torch_debug/bytecode_record.h"
#include "torch_debug/tagged_ranges.h"
#include "torch_debug/warning_list.h"

namespace handrail {

inline constexpr std::string_view kModulePathsName = "mobile_debug.pkl";

// One step of a path: a call of `function` on the module instance.
struct ModulePathStep {
  std::string_view module_name;  // with the type empty: the path does not know the instance
  std::string_view module_type;  // the last part of the type's name
  std::string_view function;     // empty: the path does not say
};

// The calls that "top(C).B0(B).forward.A0(A).forward" leads through, outermost first; the top
// module and its function are not among them. Nothing if the text is no such path.
std::optional<std::vector<ModulePathStep>> ParseModulePath(std::string_view path);

// Adds the nodes; `bytecode` (may be null) names the operators. What is wrong becomes warnings.
// Fails if the record as a whole cannot be used.
Status AddModulePathNodes(std::span<const std::byte> content, const BytecodeRecord* bytecode,
                          TaggedRanges& ranges, DebugInfoBuilder& builder, MemoryBudget& budget,
                          WarningList& warnings);

}  // namespace handrail
