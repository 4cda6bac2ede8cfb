// Turns the values of a pickle into rows of an object graph.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/values/object_graph.h"

#include "archive/pickle.h"
#include "values/tensor_reader.h"

namespace handrail::values {

class ObjectReader {
 public:
  // All must outlive the reader.
  ObjectReader(const Pickle& pickle, TensorSource source);

  // Everything that the pickle's root reaches.
  Result<ObjectGraph> Read() &&;

 private:
  // A container whose elements are still to be read into its row.
  struct Pending {
    PickleValue value;
    ValueId row;
  };

  // The row of a value, new if the value was not met before; containers are filled later.
  Result<ValueId> RowOf(PickleValue value);
  Status ReadScalar(PickleValue value, ValueRow& row);
  // An object that REDUCE or NEWOBJ made.
  Status ReadObject(PickleValue value, ValueId id);
  Status ReadCall(PickleValue value, std::span<const PickleValue> args, ValueId id);
  Status ReadPytorchCall(PickleValue value, std::string_view function,
                         std::span<const PickleValue> args, ValueId id);
  Status ReadQuantization(std::span<const PickleValue> args, StoredTensor& tensor);
  // The value inside of restore_type_tag, build_intlist and so on, and _rebuild_parameter.
  struct Unwrapped {
    PickleValue value;
    StringId type_text;
    bool is_parameter = false;
  };
  Result<Unwrapped> Unwrap(PickleValue value);
  void AddTensor(const ReadTensor& read, StoredTensor tensor, ValueRow& row);
  Status Fill(const Pending& pending);

  // Long texts that are mentioned many times are hashed once.
  StringId InternOnce(PickleValue text);
  Result<StringId> ClassName(PickleValue global);

  tl::unexpected<Error> Mismatch(PickleValue value, std::string_view what,
                                 std::string_view need) const;

  const Pickle& pickle_;
  ObjectGraph graph_;
  TensorReader tensors_;
  std::unordered_map<uint64_t, ValueId> rows_;    // by identity
  std::unordered_map<uint64_t, StringId> texts_;  // by identity
  std::vector<Pending> pending_;
};

}  // namespace handrail::values
