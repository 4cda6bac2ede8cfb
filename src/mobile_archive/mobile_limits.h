// What PyTorch's mobile runtime cannot load although it has an instruction for it.
#pragma once

#include "handrail/base/result.h"
#include "handrail/bytecode/program.h"
#include "handrail/debug_info/debug_info.h"
#include "handrail/values/object_graph.h"

namespace handrail::mobile_archive {

// Fails with kUnsupported if the program makes objects of classes written in Python or uses
// members of enums, naming the function and the line, or if an object has a member of an enum.
// `info` has what the program's handles stand for, in its first unit.
Status CheckForMobile(const bytecode::Program& program, const values::ObjectGraph& objects,
                      const DebugInfo& info);

}  // namespace handrail::mobile_archive
