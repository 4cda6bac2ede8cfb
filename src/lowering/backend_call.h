// One module given to one backend.
//
// In:  a module of a loaded archive, by its path; a backend.
// Out: its blob, the debug info of the handles in it, and the methods that were lowered.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "handrail/base/hash128.h"
#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info.h"
#include "handrail/graph/loaded_module.h"
#include "handrail/lowering/lowering.h"
#include "handrail/values/value.h"

#include "lowering/lowered_code.h"

namespace handrail {

// A module that has the lowered one in an attribute.
struct ModuleCaller {
  std::string class_name;
  std::string attribute;
};

struct BackendCall {
  std::string class_name;  // of the module
  std::vector<ModuleCaller> callers;
  // Keys of the handle spaces that other lowerings of this archive have.
  const DebugInfo* other_lowerings = nullptr;
};

struct LoweredPart {
  values::Value compile_spec;
  values::Value blob;
  std::vector<LoweredMethod> methods;
  DebugInfo debug_info;
};

// Adds to `module`'s unit what its methods need.
Result<LoweredPart> CallBackend(graph::LoadedModule& module, const LowerSelection& selection,
                                const BackendCall& call, const Backend& backend);

}  // namespace handrail
