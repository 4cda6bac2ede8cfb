// libhandrail_torch: Handrail's backends in PyTorch. Loading the library registers them, each under
// its own name:
//
//   torch.ops.load_library("libhandrail_torch.so")
//   lowered = torch._C._jit_to_backend("reference", scripted, {"forward": ""})
//
// A failure inside of a lowered module is an exception with the trace of the node that failed, in
// PyTorch's interpreter and in its mobile runtime, in this process and in every other.
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <torch/csrc/jit/backends/backend.h>
#include <torch/csrc/jit/backends/backend_preprocess.h>

#include "handrail/backend/registry.h"
#include "handrail/backends/backends.h"

#include "plugins/libtorch/lowered_module.h"
#include "plugins/libtorch/values.h"

namespace handrail::libtorch {
namespace {

// PyTorch knows a backend by its C++ class, so there is one for each place in this list.
constexpr size_t kBackendCountMax = 16;

const std::vector<std::string>& BackendNames() {
  static const std::vector<std::string> names = [] {
    BackendRegistry& registry = BackendRegistry::OfProcess();
    const Status registered = RegisterShippedBackends(registry);
    TORCH_CHECK(registered.has_value(), registered.error().message);
    return registry.names();
  }();
  return names;
}

// The backend of one lowered module.
template <size_t kPlace>
class PluginBackend : public torch::jit::PyTorchBackendInterface {
 public:
  bool is_available() override {
    return BackendRegistry::OfProcess().FindAvailable(BackendNames()[kPlace]).has_value();
  }

  // A method's handle: which module, and which of its methods.
  c10::impl::GenericDict compile(c10::IValue processed,
                                 c10::impl::GenericDict compile_spec) override {
    auto backend = BackendRegistry::OfProcess().FindAvailable(BackendNames()[kPlace]);
    TORCH_CHECK(backend.has_value(), backend.error().message);
    const LoweredModule& module =
        modules_.emplace_back(*std::move(backend), processed, compile_spec);
    const auto module_index = static_cast<int64_t>(modules_.size() - 1);
    c10::impl::GenericDict handles(c10::StringType::get(), c10::AnyType::get());
    for (size_t i = 0; i < module.methods().size(); ++i) {
      handles.insert(module.methods()[i].name,
                     c10::ivalue::Tuple::create(module_index, static_cast<int64_t>(i)));
    }
    return handles;
  }

  c10::impl::GenericList execute(c10::IValue handle, c10::impl::GenericList inputs) override {
    const auto& indices = handle.toTupleRef().elements();
    const auto module_index = static_cast<size_t>(indices[0].toInt());
    TORCH_CHECK(module_index < modules_.size(), "a handle of another module");
    std::vector<values::Value> arguments;
    for (const c10::IValue& input : inputs) arguments.push_back(ToHandrail(input));
    const std::vector<values::Value> results =
        modules_[module_index].Execute(static_cast<size_t>(indices[1].toInt()), arguments);
    c10::impl::GenericList outputs(c10::AnyType::get());
    for (const values::Value& result : results) outputs.push_back(ToTorch(result));
    return outputs;
  }

 private:
  std::deque<LoweredModule> modules_;
};

template <size_t kPlace>
void Register() {
  if (kPlace >= BackendNames().size()) return;
  const std::string& name = BackendNames()[kPlace];
  static const torch::jit::backend<PluginBackend<kPlace>> backend(name);
  static const torch::jit::backend_preprocess_register preprocess(
      name, [name](const torch::jit::Module& module,
                   const c10::Dict<c10::IValue, c10::IValue>& compile_spec,
                   const torch::jit::BackendDebugHandleGenerator&) {
        return Lower(name, module, compile_spec);
      });
}

template <size_t... kPlaces>
bool RegisterAll(std::index_sequence<kPlaces...>) {
  TORCH_CHECK(BackendNames().size() <= kBackendCountMax, "room for ", kBackendCountMax,
              " backends, found ", BackendNames().size());
  (Register<kPlaces>(), ...);
  return true;
}

const bool kIsRegistered = RegisterAll(std::make_index_sequence<kBackendCountMax>());

}  // namespace
}  // namespace handrail::libtorch
