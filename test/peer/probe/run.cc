#include "run.h"

#include <fstream>
#include <iterator>

#include <ATen/ATen.h>
#include <torch/csrc/jit/backends/backend_exception.h>
#include <torch/csrc/jit/mobile/function.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include "digest.h"

namespace handrail_peer {
namespace {

// The runtime adds the trace as one context among empty ones.
std::string ContextText(const c10::Error& error) {
  std::string text;
  for (const std::string& context : error.context()) text += context;
  return text;
}

template <typename T>
c10::IValue ListOf(const c10::List<c10::IValue>& list) {
  c10::List<T> typed;
  for (const c10::IValue& element : list) typed.push_back(element.to<T>());
  return typed;
}

// A list or dict that Python pickled has no element type, which operators rely on unchecked.
c10::IValue Typed(const c10::IValue& value) {
  if (value.isList() && value.toListRef().size() > 0) {
    const auto list = value.toList();
    const c10::IValue first = list.get(0);
    if (first.isTensor()) return ListOf<at::Tensor>(list);
    if (first.isInt()) return ListOf<int64_t>(list);
    if (first.isString()) return ListOf<std::string>(list);
  }
  if (value.isGenericDict()) {
    c10::Dict<std::string, at::Tensor> typed;
    for (const auto& entry : value.toGenericDict()) {
      typed.insert(entry.key().toStringRef(), entry.value().toTensor());
    }
    return typed;
  }
  return value;
}

}  // namespace

std::optional<Failure> RunToFailure(const torch::jit::mobile::Method& method,
                                    torch::jit::mobile::Stack& stack) {
  try {
    const c10::InferenceMode no_gradients;
    method.run(stack);
  } catch (c10::BackendRuntimeException& error) {
    return Failure{error.what_without_backtrace(), error.getDebugHandles(), ContextText(error)};
  } catch (const c10::Error& error) {
    return Failure{error.what_without_backtrace(), method.function().getExceptionDebugHandles(),
                   ContextText(error)};
  } catch (const std::exception& error) {
    return Failure{error.what(), {}, ""};
  }
  return std::nullopt;
}

std::optional<Failure> RunToFailure(const torch::jit::mobile::Module& module,
                                    const std::string& method, const std::string& inputs_path,
                                    std::string& outputs) {
  std::ifstream file(inputs_path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  TORCH_CHECK(file.good() || file.eof(), "peer probe: cannot read ", inputs_path);
  const c10::IValue inputs = torch::jit::pickle_load(bytes);
  torch::jit::mobile::Stack stack;
  for (const c10::IValue& input : inputs.toTupleRef().elements()) stack.push_back(Typed(input));
  at::manual_seed(0);
  auto failure = RunToFailure(module.get_method(method), stack);
  if (!failure && !stack.empty()) outputs = DigestOf(stack.back());
  return failure;
}

}  // namespace handrail_peer
