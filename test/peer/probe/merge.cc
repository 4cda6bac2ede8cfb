#include "merge.h"

#include <torch/csrc/jit/backends/backend_exception.h>
#include <torch/csrc/jit/mobile/function.h>
#include <torch/library.h>

#include "run.h"

namespace handrail_peer {
namespace {

constexpr char kFail[] = "handrail_peer::fail";

void Fail(const std::vector<int64_t>& handles) {
  TORCH_CHECK(!handles.empty(), "failed");
  c10::BackendRuntimeException failure({__func__, __FILE__, __LINE__}, "failed", handles.front());
  for (size_t i = 1; i < handles.size(); ++i) failure.pushDebugHandle(handles[i]);
  throw failure;
}

TORCH_LIBRARY(handrail_peer, library) {
  library.def("fail(int[] handles) -> ()", [](at::IntArrayRef handles) { Fail(handles.vec()); });
}

}  // namespace

std::string MergedText(const torch::jit::mobile::Module& module,
                       const std::vector<int64_t>& handles) {
  torch::jit::mobile::Function function(c10::QualifiedName("__torch__.handrail_peer.fail"));
  c10::List<int64_t> carried;
  for (size_t i = 0; i + 1 < handles.size(); ++i) carried.push_back(handles[i]);
  function.append_constant(carried);
  function.append_operator(kFail, "", 1);
  function.append_instruction(torch::jit::LOADC, 0, 0, -1);
  function.append_instruction(torch::jit::OP, 0, 0, handles.back());
  function.append_instruction(torch::jit::RET, 0, 0, -1);
  function.set_register_size(0);
  TORCH_CHECK(function.initialize_operators(false), "peer probe: no operator ", kFail);
  const torch::jit::mobile::Method method(&module, &function);
  torch::jit::mobile::Stack stack;
  return RunToFailure(method, stack).value().text;
}

}  // namespace handrail_peer
