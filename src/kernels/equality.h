// Whether Python says `a == b`, and how it writes a value.
#pragma once

#include <string>

#include "handrail/values/value.h"

namespace handrail::kernels {

// Tensors, objects and dicts are equal if they are the same.
bool IsEqual(const values::Value& a, const values::Value& b);

// As PyTorch writes a number, a text, or a list, tuple or dict of them: "[1., a]". Others by their
// kind.
std::string Describe(const values::Value& value);

}  // namespace handrail::kernels
