// Kernels: what PyTorch's operators do, on values of a running program.
//
// In:  an operator's name and overload.   Out: a function that runs it; the interpreter and the
// reference backend call it.
//
// Kernels are plain and run on the thread that calls them. Results are PyTorch's up to rounding;
// there is no autograd.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/values/value.h"

namespace handrail::kernels {

// Takes all arguments of the operator's schema, in order and with defaults filled in, off the
// stack's end and puts the results there. An operator that takes any number of arguments
// (aten::format, prim::Print) takes their count, an int, as the last.
//
// Throws KernelError. The stack's end is then unspecified; what lies below the arguments is kept.
using Kernel = void (*)(values::Stack& stack);

// The message is PyTorch's own where that is short.
class KernelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "aten::add", "Tensor". Null: there is none.
Kernel FindKernel(std::string_view name, std::string_view overload);

// All that there are, sorted: "aten::add.Tensor", "aten::relu".
std::vector<std::string_view> KernelNames();

}  // namespace handrail::kernels
