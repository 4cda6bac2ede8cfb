// Methods of a loaded module given to a backend, without an archive around the result: for hosts
// that keep blobs themselves. `Lower` (lowering.h) does it for whole archives.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "handrail/backend/backend.h"
#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info.h"
#include "handrail/graph/loaded_module.h"
#include "handrail/values/value.h"

namespace handrail {

struct LoweredMethods {
  values::Value blob;
  // Of the handles in the blob: one unit of kind kBackend.
  DebugInfo debug_info;
};

// Inlines the methods, issues a handle for each of their nodes and has the backend make its blob.
// `module_path` leads from the top module to the one whose methods they are, by attributes; "": the
// top module. The compile spec is the backend's own affair; like everything else that the debug
// info depends on, it is part of the handles' key. If that key's handle space is one of
// `other_lowerings`, another key is taken.
//
// Adds to `module`'s unit. Fails with kNotFound if there is no such module or method, and with what
// loading, inlining, the recorder and the backend fail with.
Result<LoweredMethods> LowerMethods(graph::LoadedModule& module, const Backend& backend,
                                    std::string_view backend_name,
                                    std::span<const std::string> methods,
                                    const values::Value& compile_spec, std::string_view module_path,
                                    const DebugInfo* other_lowerings = nullptr);

}  // namespace handrail
