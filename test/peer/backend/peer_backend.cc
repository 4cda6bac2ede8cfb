// The backends that the comparisons with PyTorch lower modules to. Loading this library (from
// Python: torch.ops.load_library) registers them:
//
//   handrail_peer_backend      takes any straight-line graph
//   handrail_peer_addsub       takes additions and subtractions, refuses all else
//   handrail_peer_unavailable  takes what the first takes, and says that it is not available here
//
// An operator that fails leaves them as c10::BackendRuntimeException with its node's debug handle.
#include <torch/csrc/jit/backends/backend.h>
#include <torch/csrc/jit/backends/backend_preprocess.h>

#include "compile.h"
#include "program.h"

namespace handrail_peer {
namespace {

// One class for each name: PyTorch knows a backend by its class.
template <bool kAvailable, Accepts kAccepts>
class PeerBackend : public torch::jit::PyTorchBackendInterface {
 public:
  bool is_available() override { return kAvailable; }

  // The blob of a method serves as its handle.
  c10::impl::GenericDict compile(c10::IValue processed, c10::impl::GenericDict spec) override {
    c10::Dict<c10::IValue, c10::IValue> methods(c10::StringType::get(), c10::AnyType::get());
    const auto blobs = processed.toGenericDict();
    for (const auto& entry : spec) methods.insert(entry.key(), blobs.at(entry.key()));
    return methods;
  }

  c10::impl::GenericList execute(c10::IValue handle, c10::impl::GenericList inputs) override {
    const auto& blob = handle.toTupleRef().elements();
    return Run(FromText(blob[0].toStringRef()), blob[1].toList(), inputs);
  }
};

template <Accepts kAccepts>
c10::IValue Preprocess(const torch::jit::Module& module,
                       const c10::Dict<c10::IValue, c10::IValue>& spec,
                       const torch::jit::BackendDebugHandleGenerator& generate_debug_handles) {
  return Compile(module, spec, generate_debug_handles, kAccepts);
}

using torch::jit::backend;
using torch::jit::backend_preprocess_register;

const backend<PeerBackend<true, Accepts::kOperators>> kBackend("handrail_peer_backend");
const backend<PeerBackend<true, Accepts::kAddAndSub>> kAddSub("handrail_peer_addsub");
const backend<PeerBackend<false, Accepts::kOperators>> kUnavailable("handrail_peer_unavailable");

const backend_preprocess_register kBackendPreprocess("handrail_peer_backend",
                                                     Preprocess<Accepts::kOperators>);
const backend_preprocess_register kAddSubPreprocess("handrail_peer_addsub",
                                                    Preprocess<Accepts::kAddAndSub>);
const backend_preprocess_register kUnavailablePreprocess("handrail_peer_unavailable",
                                                         Preprocess<Accepts::kOperators>);

}  // namespace
}  // namespace handrail_peer
