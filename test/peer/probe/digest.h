// What a run gave, as a short text that differs wherever a bit differs.
#pragma once

#include <string>

#include <ATen/core/ivalue.h>

namespace handrail_peer {

// The value's kinds and sizes, readable, and a hash of every number, string and tensor element in
// it, in order. Objects by their attributes.
std::string DigestOf(const c10::IValue& value);

}  // namespace handrail_peer
