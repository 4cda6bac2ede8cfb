#include "mobile_archive/storage_names.h"

#include <string>

namespace handrail::mobile_archive {

StorageNames::StorageNames(const values::ObjectGraph& graph, values::Instantiator& instantiator) {
  for (uint32_t row = 0; row < graph.size(); ++row) {
    if (graph.kind({row}) != values::ValueKind::kTensor) continue;
    const Result<values::Value> tensor = instantiator.ValueOf({row});
    if (!tensor) continue;
    const values::Storage& storage = graph.storage(graph.tensor({row}).storage);
    names_.try_emplace(
        tensor->tensor().buffer().get(),
        values::StorageName{std::string(graph.text(storage.key)),
                            std::string(graph.text(storage.device)), storage.element_count});
  }
}

Result<values::StorageName> StorageNames::NameOf(const values::Tensor& tensor) const {
  const auto found = names_.find(tensor.buffer().get());
  if (found != names_.end()) return found->second;
  return Fail(ErrorCode::kUnsupported, "constant: a tensor that lies in no record");
}

}  // namespace handrail::mobile_archive
