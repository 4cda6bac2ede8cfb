// How a kernel fails: it throws, since the interpreter unwinds to the handles of its frames.
#pragma once

#include <string>

namespace handrail::kernels {

// Throws KernelError.
[[noreturn]] void Raise(std::string message);

}  // namespace handrail::kernels
