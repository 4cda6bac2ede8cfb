#include "plugins/libtorch/lowered_module.h"

#include <cstring>
#include <sstream>
#include <utility>

#include <ATen/ATen.h>
#include <torch/csrc/jit/backends/backend_exception.h>

#include "handrail/backend/registry.h"
#include "handrail/base/byte_cursor.h"
#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/graph/loaded_module.h"
#include "handrail/lowering/lower_methods.h"
#include "handrail/symbolize/symbolizer.h"

#include "plugins/libtorch/values.h"

namespace handrail::libtorch {
namespace {

template <typename T>
T ValueOrThrow(Result<T> result) {
  TORCH_CHECK(result.has_value(), result.error().message);
  return *std::move(result);
}

at::Tensor TensorOfBytes(std::span<const std::byte> bytes) {
  at::Tensor tensor = at::empty({static_cast<int64_t>(bytes.size())}, at::kByte);
  std::memcpy(tensor.data_ptr(), bytes.data(), bytes.size());
  return tensor;
}

DebugMap MapOfTensor(const at::Tensor& tensor) {
  TORCH_CHECK(
      tensor.defined() && tensor.is_cpu() && tensor.scalar_type() == at::kByte && tensor.dim() == 1,
      "need the bytes of a debug map, found ", tensor.toString());
  const at::Tensor bytes = tensor.contiguous();
  const auto* const begin = static_cast<const std::byte*>(bytes.data_ptr());
  return ValueOrThrow(
      DebugMap::FromBytes({begin, begin + bytes.numel()}, "debug map of a lowered module"));
}

constexpr const char* kMark = "handrail: blob, debug map";

struct Processed {
  c10::IValue blob;
  c10::IValue debug_map;  // None: there is none
};

Processed TakeApart(const c10::IValue& processed) {
  if (!processed.isTuple()) return {processed, {}};
  const auto& parts = processed.toTupleRef().elements();
  if (parts.size() != 3 || !parts[0].isString() || parts[0].toStringRef() != kMark) {
    return {processed, {}};
  }
  return {parts[1], parts[2]};
}

}  // namespace

c10::IValue Lower(const std::string& backend_name, const torch::jit::Module& module,
                  const c10::Dict<c10::IValue, c10::IValue>& compile_spec) {
  const auto backend = ValueOrThrow(BackendRegistry::OfProcess().Find(backend_name));
  std::ostringstream saved;
  module.save(saved);
  const std::string archive = std::move(saved).str();
  graph::LoadedModule loaded =
      ValueOrThrow(graph::LoadedModule::Load(AsBytes(archive), "module to lower"));
  std::vector<std::string> methods;
  for (const auto& entry : compile_spec) methods.push_back(entry.key().toStringRef());
  const LoweredMethods lowered = ValueOrThrow(LowerMethods(
      loaded, *backend, backend_name, methods, ToHandrail(compile_spec), /*module_path=*/""));
  const auto map = ValueOrThrow(EncodeDebugMap(lowered.debug_info));
  return c10::ivalue::Tuple::create(kMark, ToTorch(lowered.blob), TensorOfBytes(map));
}

LoweredModule::LoweredModule(std::shared_ptr<const Backend> backend, const c10::IValue& processed,
                             const c10::IValue& compile_spec)
    : backend_(std::move(backend)) {
  const Processed parts = TakeApart(processed);
  methods_ = ValueOrThrow(backend_->Compile(ToHandrail(parts.blob), ToHandrail(compile_spec)));
  if (!parts.debug_map.isNone()) debug_map_ = MapOfTensor(parts.debug_map.toTensor());
}

std::vector<values::Value> LoweredModule::Execute(size_t index,
                                                  std::span<const values::Value> inputs) const {
  TORCH_CHECK(index < methods_.size(), "the lowered module has no method ", index);
  try {
    return backend_->Execute(methods_[index].handle, inputs);
  } catch (const BackendError& error) {
    if (!debug_map_) {
      const auto handles = error.handles();
      c10::BackendRuntimeException without_map(
          {__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, error.what(), handles.front());
      for (const DebugHandle handle : handles.subspan(1)) without_map.pushDebugHandle(handle);
      throw without_map;
    }
    Symbolizer symbolizer(*debug_map_);
    Trace trace;
    symbolizer.Symbolize(error.handles(), {}, trace);
    TORCH_CHECK(false, error.what(), "\n", trace.text);
  }
}

}  // namespace handrail::libtorch
