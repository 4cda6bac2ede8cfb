// The entry of this stage: a module archive -> the same archive with parts of its model given to
// backends.
//
// In:  the bytes of an archive that PyTorch's torch.jit.save or this stage wrote.
// Out: the bytes of another one, in the shape that PyTorch's own to_backend gives a model: each
//      lowered module is replaced by a module with the same methods, which hands their inputs to
//      the backend. It can be lowered further. The debug info of the backends' handles goes with
//      it, in the record handrail/debug_info.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handrail/backend/registry.h"
#include "handrail/base/result.h"

namespace handrail {

// One module to lower, on its own.
struct LowerSelection {
  std::string module_path;  // dotted, from the top module; "": the whole model
  std::string backend;      // a name of the registry
  // Empty: `forward`, and those that other modules call.
  std::vector<std::string> methods = {};
  // Given to the backend with each method.
  std::vector<std::pair<std::string, std::string>> options = {};
};

// Lowers the selected modules, inner ones before those around them; a module that is reached on
// several ways is replaced on all of them. Where only some modules of a class change, those get a
// copy of the class. Code that does not change, weights and records that nobody knows are kept byte
// for byte; weights that nothing refers to any more are left out.
//
// `name` is for messages. Deterministic: equal arguments give equal bytes, and so the same handles.
// Fails with kNotFound (no such module, method or backend), kUnsupported (what a backend cannot
// lower, modules that contain themselves or set their own state), kConflict (a module is selected
// twice, or two lowerings share a handle space), kExhausted, and as graph::LoadedModule does.
Result<std::string> Lower(std::span<const std::byte> archive, std::string_view name,
                          std::span<const LowerSelection> selections,
                          const BackendRegistry& registry = BackendRegistry::OfProcess());

}  // namespace handrail
