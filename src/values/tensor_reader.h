// What `torch._utils._rebuild_tensor_v2` and its kin are called with -> rows of the object graph.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "handrail/values/object_graph.h"

#include "archive/archive.h"
#include "archive/pickle.h"

namespace handrail::values {

// Where the tensors of one pickle lie. Both must outlive their use.
struct TensorSource {
  const Archive& archive;
  std::string_view folder;  // "data/"
};

// A tensor with its sizes, before it becomes a row.
struct ReadTensor {
  StorageId storage;
  uint64_t first_element = 0;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  bool requires_grad = false;
};

class TensorReader {
 public:
  TensorReader(const Pickle& pickle, TensorSource source, StringPool& strings,
               std::vector<Storage>& storages)
      : pickle_(pickle), source_(source), strings_(strings), storages_(storages) {}

  // `args`: (storage, offset, sizes, strides, requires_grad, ...), as _rebuild_tensor_v2 takes
  // them; `grad_row` says where requires_grad stands.
  Result<ReadTensor> Read(std::span<const PickleValue> args, size_t grad_row);

 private:
  Result<StorageId> ReadStorage(PickleValue value);
  Result<Storage> OpenStorage(std::span<const PickleValue> parts);
  Result<std::vector<int64_t>> ReadInts(PickleValue value, std::string_view what);
  // Fails if an element of the tensor lies outside of the storage.
  Status Check(const ReadTensor& tensor) const;

  const Pickle& pickle_;
  TensorSource source_;
  StringPool& strings_;
  std::vector<Storage>& storages_;
  std::unordered_map<uint64_t, StorageId> by_identity_;
  std::unordered_map<StringId, StorageId> by_key_;
};

}  // namespace handrail::values
