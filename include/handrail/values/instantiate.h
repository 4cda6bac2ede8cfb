// Values of an archive as values of a running program.
//
// In:  rows of an ObjectGraph (values/object_graph.h).   Out: Values, which runtime/ works on and
// lowering/ looks at.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/values/object.h"
#include "handrail/values/object_graph.h"
#include "handrail/values/value.h"

namespace handrail::values {

struct InstantiateOptions {
  // Keeps the bytes of the archive alive, which tensors view; null: the caller does, for as long as
  // there is a value.
  std::shared_ptr<const void> owner = {};
  // The attributes of a class, in the order of its slots. Empty, or no function: those of the first
  // object's state that is met, in its order, as PyTorch's mobile runtime does it.
  std::function<std::vector<std::string>(std::string_view class_name)> attributes_of = {};
  // Whether a class has a method `__setstate__`, which is then to be called with the state
  // (TakeStates). No function: none has.
  std::function<bool(std::string_view class_name)> sets_state = {};
};

// An object whose attributes are still None, and what its `__setstate__` wants.
struct ObjectState {
  Ref<Object> object;
  Value state;
};

// Makes each row's value once: equal rows are the same list, tensor or object, and tensors of one
// storage share a buffer. Weights are not read; see Buffer for what happens when they are written.
// Not thread-safe.
class Instantiator {
 public:
  // `graph` must outlive it, but not the values.
  explicit Instantiator(const ObjectGraph& graph, InstantiateOptions options = {});

  // Fails with kUnsupported for quantized tensors and tuples that contain themselves, and with
  // kCorrupt if an object's state does not fit its class. After a failure, other rows can still be
  // asked for.
  Result<Value> ValueOf(ValueId row);

  // The objects among the values made since the last call that set their own state; whoever asked
  // calls `__setstate__` in this order: parts come before what they are part of.
  std::vector<ObjectState> TakeStates();

 private:
  enum class Progress : uint8_t { kNotBegun, kOpen, kUsable };
  struct Step {
    ValueId row;
    bool is_finish;
  };

  Status Begin(ValueId row, std::vector<Step>& steps);
  Status Finish(ValueId row);
  Status FinishObject(ValueId row, Object& object);
  Result<Value> Part(ValueId row, ValueId whole) const;
  Result<std::vector<Value>> PartsOf(ValueId row) const;
  Result<Value> MakeTensor(const StoredTensor& stored);
  std::shared_ptr<const ObjectClass> ClassOf(ValueId object);
  std::string Describe(ValueId row) const;

  const ObjectGraph& graph_;
  InstantiateOptions options_;
  std::vector<Value> values_;         // by row
  std::vector<Progress> progress_;    // by row
  std::vector<Ref<Buffer>> buffers_;  // by StorageId
  std::unordered_map<std::string_view, std::shared_ptr<const ObjectClass>> classes_;
  std::vector<ObjectState> states_;
};

}  // namespace handrail::values
