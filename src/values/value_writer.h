// Values of a running program -> a pickle, as PyTorch's Pickler writes them. The mirror of
// values.h and instantiate.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "handrail/base/result.h"
#include "handrail/values/value.h"

#include "archive/pickle_writer.h"

namespace handrail::values {

// Where the elements of a tensor lie in the archive.
struct StorageName {
  std::string key;     // "0": of the record "data/0"
  std::string device;  // "cpu"
  uint64_t element_count = 0;
};
// The same name for the same buffer; an error if the tensor cannot lie in the archive.
using StorageNameOf = std::function<Result<StorageName>(const Tensor&)>;

// Writes one value. Lists and dicts without a type text get one: `List[Any]`, and `Dict[str, Any]`
// by the kind of the first key. What is reached in several ways is written once. Without recursion.
//
// Fails with kInvalidArgument for capsules, with kUnsupported for what contains itself, and with
// what `name_of` fails with.
Status WriteValue(const Value& value, const StorageNameOf& name_of, PickleWriter& writer);

}  // namespace handrail::values
