// Runs a method and keeps what its exception says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <torch/csrc/jit/mobile/module.h>

namespace handrail_peer {

struct Failure {
  std::string error;             // the text a user sees, without the C++ backtrace
  std::vector<int64_t> handles;  // innermost first; empty where PyTorch did not look them up
  std::string text;              // the part of `error` that those handles gave
};

// Nothing where the method succeeds.
std::optional<Failure> RunToFailure(const torch::jit::mobile::Method& method,
                                    torch::jit::mobile::Stack& stack);

// The same for a method by name, with the inputs that torch.save wrote to `inputs_path` as a tuple;
// `outputs` is set where it succeeds.
std::optional<Failure> RunToFailure(const torch::jit::mobile::Module& module,
                                    const std::string& method, const std::string& inputs_path,
                                    std::string& outputs);

}  // namespace handrail_peer
