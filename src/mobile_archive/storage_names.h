// Where the tensors among a module archive's constants lie in it: a program's constants name those
// records, no bytes are written again.
#pragma once

#include <unordered_map>

#include "handrail/base/result.h"
#include "handrail/values/instantiate.h"

#include "values/value_writer.h"

namespace handrail::mobile_archive {

class StorageNames {
 public:
  // Names the storages of all tensors that `instantiator` has made, or now makes, of `graph`.
  // Tensors that cannot be made are left out: they are refused where a program needs them.
  StorageNames(const values::ObjectGraph& graph, values::Instantiator& instantiator);

  // Fails with kUnsupported if the tensor lies in no record.
  Result<values::StorageName> NameOf(const values::Tensor& tensor) const;

 private:
  std::unordered_map<const values::Buffer*, values::StorageName> names_;
};

}  // namespace handrail::mobile_archive
