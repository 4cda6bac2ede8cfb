// The trace of several handles at once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/csrc/jit/mobile/module.h>

namespace handrail_peer {

// What PyTorch's mobile runtime adds to an exception that leaves `module` with `handles`, innermost
// first; at least one. libtorch keeps the function that merges them to itself, so a made-up method
// of the module fails with just these handles: all but the last come with the exception, as from a
// backend, and the last is that of the failing instruction.
std::string MergedText(const torch::jit::mobile::Module& module,
                       const std::vector<int64_t>& handles);

}  // namespace handrail_peer
