// What kernels on tensors are made of: new tensors, copies with another element type, broadcasting,
// and PyTorch's type promotion.
//
// Kernels compute in int64, float or double (float16 and bfloat16 in float, small integers and
// bools in int64) and store in the result's type.
#pragma once

#include <span>
#include <string>

#include "kernels/boxing.h"

namespace handrail::kernels {

bool IsFloating(ElementType type);
bool IsIntegral(ElementType type);  // bools are not
// int64, float32 or float64: what to compute in.
ElementType ComputeType(ElementType type);
// `x` and `y` in one operator: tensors that have dimensions count more than those that have none,
// which count more than numbers.
ElementType Promote(ElementType x, ElementType y);
ElementType ResultType(const Tensor& a, const Tensor& b);
ElementType ResultType(const Tensor& a, Scalar b);
ElementType TypeOf(Scalar scalar);
// A number as a tensor of that type holds it: 300 is 44 among bytes.
Scalar Rounded(Scalar value, ElementType type);
// Of an integral tensor the default type, float32.
ElementType FloatingType(ElementType type);
ElementType CheckedType(int64_t code);
std::string_view TypeName(ElementType type);  // "Float", as PyTorch's messages say it
std::string_view CppName(ElementType type);   // "float", as those of convolutions do

// Contiguous, not filled.
TensorRef New(ElementType type, std::span<const int64_t> sizes);
TensorRef Filled(ElementType type, std::span<const int64_t> sizes, Scalar value);
// 0 <= result < count, for dimensions that may be counted from the end.
size_t WrapDimension(int64_t dimension, size_t count);
Ints Sizes(const Tensor& tensor);
Ints Broadcast(std::span<const int64_t> a, std::span<const int64_t> b);
TensorRef Share(const Tensor& tensor);
// Contiguous, of `type`, broadcast to `sizes`. The tensor itself if it is all that.
TensorRef As(const Tensor& tensor, ElementType type, std::span<const int64_t> sizes);
TensorRef As(const Tensor& tensor, ElementType type);
TensorRef Contiguous(const Tensor& tensor);
// Writes `source`, broadcast and converted, into `target`, whatever its strides.
void CopyInto(Tensor& target, const Tensor& source);
Scalar Item(const Tensor& tensor);
TensorRef ViewOf(const Tensor& tensor, std::span<const int64_t> sizes,
                 std::span<const int64_t> strides, int64_t first_element);
TensorRef Reshaped(const Tensor& tensor, std::span<const int64_t> sizes);
std::string Text(std::span<const int64_t> sizes);  // "[2, 3]"

// Calls `body` with a value of the C++ type that `type`, a compute type, is.
template <typename Body>
auto OnComputeType(ElementType type, Body&& body) {
  switch (type) {
    case ElementType::kInt64:
      return body(int64_t{});
    case ElementType::kFloat32:
      return body(float{});
    default:
      return body(double{});
  }
}

}  // namespace handrail::kernels
