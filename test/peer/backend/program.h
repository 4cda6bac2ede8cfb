// The blob of the peer backend: a straight-line program, and how it runs.
//
// In:  the text and constants that compile.h made of a method's graph.
// Out: the method's results, or c10::BackendRuntimeException with the debug handle of the step that
//      failed.
//
// One step a line, in the graph's order:
//   aten::add.Tensor %0 %1 %2 -> %3<debug_handle>15
//   prim::Constant #0 -> %2<debug_handle>14
// `%n` is a register (the inputs are the first), `#n` an index into the constants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/ivalue.h>

namespace handrail_peer {

struct Step {
  std::string op;  // "aten::add.Tensor"; a few prim:: kinds are steps of their own, see Run
  std::vector<size_t> inputs;
  std::vector<size_t> outputs;
  int64_t debug_handle = -1;
};

struct Program {
  size_t input_count = 0;
  std::vector<Step> steps;
  std::vector<size_t> results;
  // The exception of a failing step also carries the handle of the program's first step, as if that
  // were a caller inside the backend.
  bool chained = false;
};

std::string ToText(const Program& program);
Program FromText(const std::string& text);

// `constants` holds what prim::Constant and prim::GetAttr steps load.
c10::List<c10::IValue> Run(const Program& program, const c10::List<c10::IValue>& constants,
                           const c10::List<c10::IValue>& inputs);

}  // namespace handrail_peer
