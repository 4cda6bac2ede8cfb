// The entry of this stage: a file that PyTorch wrote -> the debug info in it.
//
// In:  the bytes of a .pt, .ptl or flatbuffer mobile file, of any age.
// Out: DebugInfo; debug_map/ keeps it, symbolize/ makes traces of it.
//
// Formats: PyTorch has no specification of these records; docs/format.md, "PyTorch's records", says
// what is known of each and from which release on it is written. Nothing in a file is executed, and
// no tensor is read: their bytes are never touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/hash128.h"
#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info.h"

namespace handrail {

enum class TorchFileKind : uint8_t {
#define HANDRAIL_TORCH_FILE_KIND(name, text) name,
#include "handrail/torch_debug/torch_file_kinds.def"
};
// Stable text, as it appears in JSON: "mobile", "module", ...
std::string_view ToString(TorchFileKind kind);

// A function or method that the mobile runtime can call.
struct TorchFunction {
  std::string name;  // qualified: "__torch__.M.forward"
  // How many instructions it has, as far as the file says.
  uint64_t instruction_count = 0;
  // How many of its instructions have a handle: 0 in a file saved without debug info.
  uint64_t handle_count = 0;
};

struct TorchDebugInfo {
  TorchFileKind kind = TorchFileKind::kModule;

  // Files for the mobile runtime have exactly one unit, of kind kForeign: PyTorch's bytecode and
  // its backends share one number space. Module archives (.pt) have no handles and so no unit, but
  // all their sources and ranges. Both have a further unit, of kind kBackend, for each blob that
  // Handrail lowered, from the record handrail/debug_info.
  //
  // Every handle that the file mentions has a node. Where the file does not say what it stands for,
  // the node's range is a gap that says why: kStripped (the record is not there), kDamagedRecord
  // (it is there and cannot be read), and so on (RangeGap). Node::function is the function that
  // owns the handle, where exactly one does; the handles of a backend's blob belong to none.
  //
  // Archives of PyTorch 1.6 to 1.8 have no handles, but a module path for each operator
  // (mobile_debug.pkl). Their unit numbers the operators of all functions, in the order of the
  // file, from 0; a node's call stack is its path, without ranges.
  DebugInfo info;

  // 128 bits over what runs and what names handles; the same for the same file after its debug info
  // was stripped, whatever the order of its records and however they are compressed:
  //   mobile:     contents of bytecode.pkl and mobile_debug_handles.pkl (or that there is none);
  //               in a file with lowered modules also their blobs: the content of data.pkl, and
  //               name, size and checksum of each record in data/
  //               handrail/build_key, if Handrail wrote the file
  //   flatbuffer: name, instructions, operators and handles of each function
  //   module:     name and content of each code/*.py, and blobs as above
  // A record that cannot be read counts as damaged, so that the id differs from the intact file's.
  // docs/format.md, "Build id", has the exact fields. The unit has it too.
  Hash128 build_id;

  // Qualified type of the top module ("__torch__.M"); empty if the file does not lead to one.
  std::string top_type;

  // Of bytecode.pkl or the flatbuffer; nothing if there is no bytecode, or it does not say (before
  // version 4).
  std::optional<int64_t> bytecode_version;

  // Whether the file names a handle for each instruction, and whether it says what handles stand
  // for. Both are about what is there, readable or not.
  bool has_debug_handles = false;
  bool has_debug_info = false;

  // In the order of the file; empty for module archives.
  std::vector<TorchFunction> functions;

  // What could not be read or contradicts itself. Everything else is in `info` all the same. Each
  // names file, record, place, need and found; repetitions of one fault in one record are counted
  // in one warning. Empty for a sound file.
  std::vector<Error> warnings;
};

struct TorchReadOptions {
  // Whether to parse bytecode.pkl, which no debug info depends on: gives `functions` of files
  // without handles, and compares functions and instruction counts with mobile_debug_handles.pkl.
  bool check_bytecode = true;
};

// Reads the debug info of `file`, which is recognized by its content; `name` is for messages. What
// the result holds are copies, `file` may go away.
//
// Fails only if the file as a whole cannot be used: kUnsupported (not a PyTorch file, or one
// without code), kTruncated, kCorrupt or kLimit (the container). Anything wrong further inside is a
// warning. Takes at most limits::kArchiveMemoryBase + kArchiveMemoryFactor x file size bytes of
// memory, result included; what would take more is left out with a warning (kLimit). Thread-safe.
Result<TorchDebugInfo> ReadTorchDebugInfo(std::span<const std::byte> file, std::string_view name,
                                          const TorchReadOptions& options = {});

}  // namespace handrail
