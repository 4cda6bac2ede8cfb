// Asks PyTorch's own mobile runtime what it makes of an archive's debug handles.
//
//   peer_probe ARCHIVE [BACKEND_LIBRARY] < COMMANDS
//
// One command a line, one JSON object a line in answer, in the same order:
//   trace HANDLE        {"handle", "hierarchy", "traceback"}: getModuleHierarchy, getCallStack
//   merge H0,H1,...     {"handles", "text"}: what a failure with these handles, innermost first,
//                       adds to an exception
//   run METHOD INPUTS   {"error", "handles", "text"}: runs METHOD on the tuple of inputs that
//                       torch.save wrote to the file INPUTS; "error" is the whole exception text,
//                       "text" what the debug handles added to it. Where the method succeeds:
//                       {"outputs"}, see digest.h
// Exits 3, with {"error"}, where PyTorch cannot load the archive.
#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>

#include <dlfcn.h>
#include <nlohmann/json.hpp>
#include <torch/csrc/jit/mobile/import.h>
#include <torch/csrc/jit/mobile/module.h>

#include "merge.h"
#include "run.h"

namespace {

using nlohmann::ordered_json;

ordered_json Answer(const torch::jit::mobile::Module& module, const std::string& line) {
  std::istringstream words(line);
  std::string verb;
  words >> verb;
  if (verb == "trace") {
    int64_t handle = 0;
    words >> handle;
    return {{"handle", handle},
            {"hierarchy", module.getModuleHierarchy(handle)},
            {"traceback", module.getCallStack(handle)}};
  }
  if (verb == "merge") {
    std::vector<int64_t> handles;
    for (std::string handle; std::getline(words, handle, ',');) {
      handles.push_back(std::stoll(handle));
    }
    return {{"handles", handles}, {"text", handrail_peer::MergedText(module, handles)}};
  }
  if (verb == "run") {
    std::string method;
    std::string inputs;
    words >> method >> std::ws;
    std::getline(words, inputs);
    std::string outputs;
    const auto failure = handrail_peer::RunToFailure(module, method, inputs, outputs);
    if (!failure) return {{"outputs", outputs}};
    return {{"error", failure->error}, {"handles", failure->handles}, {"text", failure->text}};
  }
  return {{"error", "unknown command: " + line}};
}

void Print(const ordered_json& object) {
  std::cout << object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::cerr << "usage: peer_probe ARCHIVE [BACKEND_LIBRARY] < COMMANDS\n";
    return 2;
  }
  if (argc == 3 && dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    std::cerr << "peer_probe: " << dlerror() << "\n";
    return 2;
  }
  torch::jit::mobile::Module module;
  try {
    module = torch::jit::_load_for_mobile(argv[1]);
  } catch (const c10::Error& error) {
    Print({{"error", error.what_without_backtrace()}});
    return 3;
  } catch (const std::exception& error) {
    Print({{"error", error.what()}});
    return 3;
  }
  for (std::string line; std::getline(std::cin, line);) Print(Answer(module, line));
  return 0;
}
