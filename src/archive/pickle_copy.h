// Copies values of one pickle into another: what a record that is changed in a few places keeps.
//
// In:  values of a Pickle, and what to write instead of some of its objects.
// Out: calls of a PickleWriter.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "handrail/base/result.h"

#include "archive/pickle.h"
#include "archive/pickle_writer.h"

namespace handrail {

struct PickleCopyChanges {
  // Asked for each NEWOBJ object. True: it wrote one value, which takes the object's place.
  std::function<Result<bool>(PickleValue object, PickleWriter& writer)> replace;
  // The class of a NEWOBJ object, whose name may be another in the copy: "__torch__.M". Empty: it
  // stays.
  std::function<std::string(PickleValue object)> rename;
  // Told of each persistent id that is copied.
  std::function<void(PickleValue id)> persistent_id;
};

// What is reached in several ways is written once and referred to, as PyTorch does it. Linear in
// the size of the pickle, without recursion.
class PickleCopier {
 public:
  // Values must be of `pickle`; both must outlive the copier. `root`: from which value references
  // are counted; all values copied must lie below it.
  PickleCopier(const Pickle& pickle, PickleValue root, PickleWriter& writer,
               PickleCopyChanges changes = {});

  // Writes one value. Fails with kUnsupported for bytes, for values that contain themselves, and
  // for items of objects (PyTorch writes none); and with what `replace` fails with.
  Status Copy(PickleValue value);

 private:
  enum class Then : uint8_t {
    kCopy,
    kEndTuple,
    kEndList,
    kEndTypedList,
    kEndDict,
    kReduce,
    kNewObject,
    kBuild,
    kPersistentId,
    kMemoize,
  };
  struct Step {
    Then then;
    PickleValue value;  // kCopy: what; others: of which it is the end
  };

  void CountReferences(PickleValue root);
  Status Begin(PickleValue value);
  Status BeginObject(PickleValue value);
  void End(const Step& step);
  void PushAll(std::span<const PickleValue> values);

  const Pickle& pickle_;
  PickleWriter& writer_;
  PickleCopyChanges changes_;
  std::unordered_map<uint64_t, uint32_t> references_;  // by identity: how often it is reached
  std::unordered_map<uint64_t, uint32_t> memo_;        // by identity; kOpen: being written
  std::vector<Step> steps_;
};

}  // namespace handrail
