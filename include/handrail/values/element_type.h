// What tensors hold, stored (values/object_graph.h) or at run time (values/tensor.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace handrail::values {

// The numbers are PyTorch's c10::ScalarType.
enum class ElementType : uint8_t {
#define HANDRAIL_ELEMENT_TYPE(name, code, bytes, text, storage) name = code,
#include "handrail/values/element_types.def"
};
std::string_view ToString(ElementType type);  // "float32"
uint32_t SizeBytes(ElementType type);         // of one element

}  // namespace handrail::values
