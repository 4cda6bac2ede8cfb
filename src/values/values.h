// The entry of this stage: a pickle of an archive -> its object graph.
//
// In:  a record that PyTorch's Pickler wrote, and the records of its tensors.
// Out: ObjectGraph. Nothing is executed: objects keep the state that `__setstate__` would be given.
//
// Weights are not read: tensors are views of stored records, aligned or not. A storage is looked up
// once, however many tensors share it.
//
// Format: facts of torch/csrc/jit/serialization/{pickler,unpickler}.cpp of PyTorch 1.13.
#pragma once

#include <string_view>

#include "handrail/base/result.h"
#include "handrail/values/object_graph.h"

#include "archive/archive.h"

namespace handrail::values {

// `folder` holds the tensors: "data/" for "data.pkl", "constants/" for "constants.pkl".
//
// Errors name archive, record, place, need and found. kCorrupt: metadata that contradicts itself
// or its storage; kNotFound: a missing record; kUnsupported: deflated tensors, sparse tensors, and
// values that only a runtime can rebuild. Takes time and memory linear in the size of the pickle;
// what it keeps is at most four times what the pickle took of `budget`.
Result<ObjectGraph> ReadObjectGraph(const Archive& archive, std::string_view record_name,
                                    std::string_view folder, MemoryBudget& budget);

}  // namespace handrail::values
