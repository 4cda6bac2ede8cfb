// What PyTorch keeps of a module that was lowered to one of Handrail's backends: the blob and the
// debug map that its handles need. Both are in the module's `__processed_module`, which PyTorch
// saves and loads with it, so that the map is there in every process that the blob reaches.
//
// Archives that `handrail lower` wrote have the blob alone there. What its handles stand for is in
// their own records, which PyTorch's mobile runtime reads.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <torch/csrc/jit/backends/backend_preprocess.h>

#include "handrail/backend/backend.h"
#include "handrail/debug_map/debug_map.h"

namespace handrail::libtorch {

// PyTorch's preprocess function of the backend of this name: a tuple of a mark, the blob, and the
// bytes of the debug map, as a tensor. Throws c10::Error where the module cannot be lowered.
c10::IValue Lower(const std::string& backend_name, const torch::jit::Module& module,
                  const c10::Dict<c10::IValue, c10::IValue>& compile_spec);

// A lowered module that is ready to run.
class LoweredModule {
 public:
  // `processed` is what Lower gave, maybe in another process, or a blob alone. Throws c10::Error
  // where the backend cannot use it, or the debug map is damaged.
  LoweredModule(std::shared_ptr<const Backend> backend, const c10::IValue& processed,
                const c10::IValue& compile_spec);

  const std::vector<CompiledMethod>& methods() const { return methods_; }

  // Runs methods()[index]. What fails is thrown as c10::Error: the backend's message, and below it
  // the trace of the node that failed. Without a debug map it is c10::BackendRuntimeException with
  // the handles, which PyTorch's mobile runtime puts before its own.
  std::vector<values::Value> Execute(size_t index, std::span<const values::Value> inputs) const;

 private:
  std::shared_ptr<const Backend> backend_;
  std::vector<CompiledMethod> methods_;
  std::optional<DebugMap> debug_map_;
};

}  // namespace handrail::libtorch
