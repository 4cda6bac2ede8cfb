// How a kernel fails: it throws, since the interpreter unwinds to the handles of its frames.
#pragma once

#include <string>

namespace handrail::kernels {

// Throws KernelError.
[[noreturn]] void Raise(const std::string& message);

}  // namespace handrail::kernels
