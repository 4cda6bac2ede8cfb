// Reads the flatbuffer files of PyTorch's mobile runtime ("PTMF" at byte 4): what runs, and the
// debug handle of each instruction. Such a file holds no debug map, so the handles are of use only
// with a map from beside it.
//
// In:  the bytes of a file.   Out: its functions.
//
// Format: PyTorch's mobile_bytecode.fbs (1.13), in the encoding of
// https://flatbuffers.dev/internals/. Tables are reached through bounds-checked offsets of our own,
// since flatbuffers::Verifier says only yes or no, and an error here says where and what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "handrail/base/check.h"
#include "handrail/base/result.h"

#include "archive/memory_budget.h"

namespace handrail {

// A run of little-endian int64 in the file, at any alignment.
class Int64View {
 public:
  Int64View() = default;
  // `bytes` is a multiple of 8 long.
  explicit Int64View(std::span<const std::byte> bytes) : bytes_(bytes) {}

  size_t size() const { return bytes_.size() / 8; }
  int64_t at(size_t index) const;
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

struct MobileOperator {
  std::string_view name;
  std::string_view overload;
  int32_t specified_args = -1;  // -1: not said
};

// One function or method. Views are into the file.
struct MobileFunction {
  // As written: "__torch__.M.forward".
  std::string_view qualified_name;
  // 8 bytes each: opcode (int8) at 0, N (uint16) at 2, X (int32) at 4.
  std::span<const std::byte> instruction_bytes;
  static constexpr size_t kInstructionBytes = 8;
  std::vector<MobileOperator> operators;
  // One per instruction; empty if the file was saved without debug info, and may be of any other
  // length in a damaged file.
  Int64View debug_handles;
  // Type of the object it is a method of, or empty.
  std::string_view class_type_name;

  size_t instruction_count() const { return instruction_bytes.size() / kInstructionBytes; }
};

struct MobileSource {
  std::string_view name;
  std::string_view content;
};

struct MobileModule {
  uint32_t bytecode_version = 0;  // 9 and up
  uint32_t operator_version = 0;
  // Type of the top module, or empty if the file does not lead to one.
  std::string_view top_type_name;
  // In the order of the file's values.
  std::vector<MobileFunction> functions;
  // TorchScript sources, if the file keeps them.
  std::vector<MobileSource> sources;
};

// `bytes` must outlive the result. Memory is taken from `budget` and not given back. Errors name
// place, need and found, not the file (the caller does, with Error::In). kTruncated, kCorrupt: bad
// bytes; kUnsupported: not "PTMF"; kLimit: the budget.
Result<MobileModule> ReadMobileFlatbuffer(std::span<const std::byte> bytes, MemoryBudget& budget);

}  // namespace handrail
