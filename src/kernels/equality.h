// Whether Python says `a == b`, and how it writes a value.
#pragma once

#include <string>

#include "handrail/values/value.h"

namespace handrail::kernels {

// Tensors, objects and dicts are equal if they are the same.
bool IsEqual(const values::Value& a, const values::Value& b);

// As PyTorch writes a number, a text, or a list, tuple or dict of them: "[1., a]". Tensors by type
// and sizes, objects by their class, others by their kind. What is nested more than 64 deep, or
// beyond a megabyte of text, is "...".
std::string Describe(const values::Value& value);

}  // namespace handrail::kernels
