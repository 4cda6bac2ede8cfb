// The program in a mobile archive (.ptl), for runtime/.
//
// In:  the bytes of an archive for PyTorch's mobile runtime: bytecode.pkl, versions 4 to 9, its
//      constants, and mobile_debug_handles.pkl.
// Out: bytecode::Program. The archive's objects are in data.pkl (values/instantiate.h).
//
// Format: docs/format.md, "PyTorch's records"; facts of
// torch/csrc/jit/mobile/{import,parse_bytecode}.cpp of PyTorch 1.13.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/bytecode/program.h"

namespace handrail::mobile_archive {

struct ReadProgramResult {
  // Every function is verified (bytecode::Verify), functions have different names.
  bytecode::Program program;
  // What is wrong with the debug handles although the program can run: functions whose handles do
  // not fit have none. Each names file, record and place.
  std::vector<Error> warnings;
};

// Constants that are tensors view `file`; `owner` keeps it alive, without one the caller does, for
// as long as there is a program. `name` is for messages.
//
// Fails with kUnsupported if this is no archive with bytecode, or bytecode of another version; with
// kCorrupt, kTruncated, kNotFound or kLimit if the bytecode cannot be used as a whole. Errors name
// file, record, function, and what in it. Takes at most twice the memory that
// limits::kArchiveMemoryBase and kArchiveMemoryFactor allow. Thread-safe.
Result<ReadProgramResult> ReadProgram(std::span<const std::byte> file, std::string_view name,
                                      std::shared_ptr<const void> owner = nullptr);

}  // namespace handrail::mobile_archive
