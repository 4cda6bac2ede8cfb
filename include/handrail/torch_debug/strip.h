// A PyTorch archive without its debug info: it runs as before, and its handles stay.
//
// In:  the bytes of a .ptl.   Out: the bytes of one without debug records, for devices.
// The debug info itself is what ReadTorchDebugInfo gives of the same file: keep it as a debug map.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "handrail/base/result.h"

namespace handrail {

// Whether a record says what handles stand for, and nothing that runs needs it: *.debug_pkl,
// callstack_debug_map.pkl and handrail/debug_info. PyTorch loads an archive that has none of them;
// with the call-stack map but without the others it does not.
bool IsDebugInfoRecord(std::string_view record_name);

// `file` without its debug info records; every other record stays as it is, byte for byte, and so
// does the build id. `name` is for messages. Fails with kUnsupported if there would be no way back:
// no archive for the mobile runtime, no handles, or no debug info in it; and if the archive cannot
// be copied in full.
Result<std::string> StripTorchArchive(std::span<const std::byte> file, std::string_view name);

}  // namespace handrail
