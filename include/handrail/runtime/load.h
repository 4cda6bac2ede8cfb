// A file that PyTorch or Handrail wrote -> a module that runs.
//
//   HANDRAIL_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open("model.ptl"));
//   HANDRAIL_ASSIGN_OR_RETURN(runtime::Module module, runtime::Load(file.bytes(), "model.ptl"));
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "handrail/base/result.h"
#include "handrail/runtime/module.h"

namespace handrail::runtime {

// `bytes` are those of a `.pt` or `.ptl`, told apart by what is in them; `name` is for messages.
// Weights are views of the bytes, which `owner` keeps alive; null: the caller does, as long as the
// module or a value of it lives.
//
// A `.pt` is compiled here, and its errors have traces. So have those of a `.ptl` with debug info;
// one that was stripped gives log tokens. Damaged debug info is a warning.
//
// Fails if the file is no such archive (kUnsupported), or its objects or code cannot be read, and
// as Module::Make. A method that cannot be compiled is a warning, and an error when it is run.
Result<Module> Load(std::span<const std::byte> bytes, const std::string& name,
                    const ModuleOptions& options = {}, std::shared_ptr<const void> owner = {});

}  // namespace handrail::runtime
