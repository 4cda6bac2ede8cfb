// Values of a program -> a pickle, as PyTorch's Pickler writes constants and defaults.
//
// In:  constants that an archive holds already, or that code spells.
// Out: calls of a PickleWriter. Tensors name records that the archive has: no bytes are written.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "handrail/base/result.h"
#include "handrail/values/instantiate.h"

#include "archive/pickle_writer.h"

namespace handrail::mobile_archive {

// Where the elements of tensors lie in the archive, by buffer.
class StorageNames {
 public:
  struct Name {
    std::string key;     // "0": of the record "constants/0"
    std::string device;  // "cpu"
    uint64_t element_count = 0;
  };

  // Names the storages of all tensors that `instantiator` has made, or now makes, of `graph`.
  // Tensors that cannot be made are left out: they are refused where a program needs them. Both
  // must outlive this.
  StorageNames(const values::ObjectGraph& graph, values::Instantiator& instantiator);

  // Null: the buffer lies in no record.
  const Name* Find(const values::Buffer& buffer) const;

 private:
  std::unordered_map<const values::Buffer*, Name> names_;
};

class ValueWriter {
 public:
  // Both must outlive it.
  ValueWriter(PickleWriter& writer, const StorageNames& storages)
      : writer_(writer), storages_(storages) {}

  // Fails with kUnsupported for objects, capsules, and tensors that lie in no record.
  Status Write(const values::Value& value) { return WriteAt(value, 0); }

 private:
  Status WriteAt(const values::Value& value, uint32_t depth);
  Status WriteTensor(const values::Tensor& tensor);
  void WriteStorage(const values::Tensor& tensor, const StorageNames::Name& name);
  Status WriteList(const values::List& list, uint32_t depth);
  Status WriteTuple(const values::Tuple& tuple, uint32_t depth);
  Status WriteDict(const values::Dict& dict, uint32_t depth);
  Status WriteEnum(const values::EnumMember& member, uint32_t depth);
  // What PyTorch puts around lists and dicts whose type their elements do not tell.
  void BeginTypeTag(std::string_view type);
  void EndTypeTag(std::string_view type);
  // Writes a reference to `value` if it was written before.
  bool WroteAgain(const values::Counted* value);

  PickleWriter& writer_;
  const StorageNames& storages_;
  std::unordered_map<const void*, uint32_t> memo_;  // lists, dicts, tensors, buffers
};

}  // namespace handrail::mobile_archive
