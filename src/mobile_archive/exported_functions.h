// Which functions of a module archive its program needs.
#pragma once

#include <vector>

#include "handrail/base/result.h"
#include "handrail/graph/loaded_module.h"

namespace handrail::mobile_archive {

// The methods of the top module, in the order of its class; then `__setstate__` and `__getstate__`
// of each object that has both, which the runtime calls when it loads the archive, in the order in
// which the top module reaches them. What calls through interfaces reach is not among them
// (bytecode::Compile adds it).
Result<std::vector<graph::FunctionId>> ExportedFunctions(graph::LoadedModule& module);

}  // namespace handrail::mobile_archive
