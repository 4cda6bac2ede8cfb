// The entry of this stage: a module archive (.pt) -> an archive for PyTorch's mobile runtime
// (.ptl).
//
// In:  the bytes of what `torch.jit.save` or lowering/ wrote.
// Out: the same archive, every record as it was, with bytecode, a debug handle for each
//      instruction, and what handles stand for. PyTorch loads and runs it; program_reader.h reads
//      its program back.
//
// Added records, as PyTorch 1.13 writes them (docs/format.md, "PyTorch's records"): bytecode.pkl,
// mobile_debug_handles.pkl, callstack_debug_map.pkl, and delegated_backends.debug_pkl for the
// source ranges that no kept record has a tag for; and handrail/build_key (docs/format.md). Handles
// are dense from 0; those of blobs that Handrail lowered stay, and the call-stack map has them,
// too. The same input gives the same bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"

namespace handrail::mobile_archive {

struct MobileArchive {
  std::string bytes;
  // What is wrong with the module archive although it is used.
  std::vector<Error> warnings;
};

// `name` is for messages. Fails with kUnsupported for what is no module archive, or has bytecode
// already, and for what the mobile runtime cannot do (fork, functions as values): the error names
// the function and the line. Otherwise with what loading and compiling the module fail with.
Result<MobileArchive> MakeMobileArchive(std::span<const std::byte> file, std::string_view name);

}  // namespace handrail::mobile_archive
