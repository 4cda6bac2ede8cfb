// PyTorch's values as Handrail's, and back. Tensors share their bytes in both directions.
#pragma once

#include <ATen/core/ivalue.h>

#include "handrail/values/value.h"

namespace handrail::libtorch {

// Throws c10::Error for what Handrail has no value for (streams, objects of custom classes, ...),
// tensors that are not dense or not on the CPU, and values nested more than 100 deep.
values::Value ToHandrail(const c10::IValue& value);

// Throws c10::Error for objects and capsules, which have no type in PyTorch, and values nested more
// than 100 deep.
c10::IValue ToTorch(const values::Value& value);

}  // namespace handrail::libtorch
