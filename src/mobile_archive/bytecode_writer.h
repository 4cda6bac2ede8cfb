// A program -> bytecode.pkl and mobile_debug_handles.pkl. The mirror of function_reader.h.
#pragma once

#include <string>

#include "handrail/base/result.h"
#include "handrail/bytecode/program.h"

#include "mobile_archive/storage_names.h"

namespace handrail::mobile_archive {

// As PyTorch 1.13 writes it: always with schemas, operators always with the number of their
// arguments. Fails where values::WriteValue does; errors name the function.
Result<std::string> WriteBytecode(const bytecode::Program& program, const StorageNames& storages);

// The handles of all functions, in the program's order.
std::string WriteHandles(const bytecode::Program& program);

}  // namespace handrail::mobile_archive
