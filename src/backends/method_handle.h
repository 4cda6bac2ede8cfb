// Handles of methods that tell whose they are.
//
// A program decides which handle it passes to which backend, and programs come from files: a
// backend must not take another one's handle for its own.
#pragma once

#include <cstring>

#include "handrail/values/value.h"

namespace handrail {

// What a handle of type `T` begins with: `const void* tag = MethodHandleTag<T>()`.
template <typename T>
const void* MethodHandleTag() {
  static const char tag = 0;
  return &tag;
}

// The T that a handle refers to; null if it is none.
template <typename T>
const T* MethodHandle(const values::Value& handle) {
  if (handle.kind() != values::Value::Kind::kCapsule) return nullptr;
  const void* const object = handle.capsule().object.get();
  if (object == nullptr) return nullptr;
  const void* tag = nullptr;
  std::memcpy(&tag, object, sizeof tag);
  return tag == MethodHandleTag<T>() ? static_cast<const T*>(object) : nullptr;
}

}  // namespace handrail
