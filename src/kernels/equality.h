// Whether Python says `a == b`, and how it writes a value.
#pragma once

#include <string>

#include "handrail/values/value.h"

namespace handrail::kernels {

// Tensors, objects and dicts are equal if they are the same.
bool IsEqual(const values::Value& a, const values::Value& b);

// As Python's str() writes a number, a text or a list of them; others by their kind.
std::string Describe(const values::Value& value);

}  // namespace handrail::kernels
