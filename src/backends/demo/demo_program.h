// What the demo backend's blob holds for one method: its steps, one a line, as text.
//
//   inputs 2
//   prim::Constant #0 -> %2<debug_handle>14
//   aten::add.Tensor %0 %1 %2 -> %3<debug_handle>15
//   return %3
//
// `%n` is a register, of which the inputs are the first; `#n` counts the constants beside the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/debug_info/handle.h"

namespace handrail::demo {

struct Step {
  std::string op;  // "aten::add.Tensor"; "prim::Constant" or "prim::GetAttr": loads a constant
  std::vector<uint32_t> inputs;
  std::vector<uint32_t> outputs;
  DebugHandle handle = kUnknownHandle;

  bool is_load() const { return op == "prim::Constant" || op == "prim::GetAttr"; }
};

struct Program {
  uint32_t input_count = 0;
  std::vector<Step> steps;
  std::vector<uint32_t> results;
  uint32_t register_count = 0;
};

std::string ToText(const Program& program);

// Fails with kCorrupt, naming the line, unless every line is as above, every register is written
// before it is read, and constants are below `constant_count`.
Result<Program> FromText(std::string_view text, size_t constant_count);

}  // namespace handrail::demo
