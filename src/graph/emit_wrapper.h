// Operators that PyTorch implements as TorchScript functions and not as kernels: its compiler
// pastes their bodies, so that only other operators are seen in graphs (`2 - x` is neg and add).
// Their nodes get the range of the call.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace handrail::graph {

enum class WrapperBody : uint8_t {
#define HANDRAIL_WRAPPER_BODY(name) name,
#include "graph/wrappers.def"
};

struct Wrapper {
  std::string_view schema;
  WrapperBody body;
};

// Those of an operator's name ("aten::mul"), in the order in which PyTorch tries them behind the
// operators of that name.
std::span<const Wrapper> WrappersNamed(std::string_view name);
// True if the wrapper fits only a number and a tensor, in that order.
bool NeedsNumberAndTensor(WrapperBody body);

}  // namespace handrail::graph
