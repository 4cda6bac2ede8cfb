// Turns a module's methods into the peer backend's blob, with a debug handle for every node.
#pragma once

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/backends/backend_detail.h>

namespace handrail_peer {

// Which nodes a backend takes: all straight-line operators, or only additions and subtractions.
enum class Accepts { kOperators, kAddAndSub };

// For each method named in `spec`, a pair (program text, constants). A spec of "chained" makes the
// program chained (see Program). Throws c10::Error with the model's source where a node is not
// supported.
c10::IValue Compile(const torch::jit::Module& module,
                    const c10::Dict<c10::IValue, c10::IValue>& spec,
                    const torch::jit::BackendDebugHandleGenerator& generate_debug_handles,
                    Accepts accepts);

}  // namespace handrail_peer
