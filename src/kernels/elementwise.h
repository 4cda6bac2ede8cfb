// Loops over the elements of one or two tensors that broadcast; what they read and give is laid out
// in memory as PyTorch lays it out, since a later `view` may depend on it.
#pragma once

#include <algorithm>
#include <span>

#include "kernels/elements.h"

namespace handrail::kernels {

// The C++ type in which an operator's results are kept until they have the tensor's type.
template <typename R>
inline constexpr ElementType kStoredType =
    std::is_same_v<R, bool>
        ? ElementType::kBool
        : (std::is_same_v<R, int64_t>
               ? ElementType::kInt64
               : (std::is_same_v<R, float> ? ElementType::kFloat32 : ElementType::kFloat64));

// Which dimension is walked fastest, from the last of `order` on; empty: as they stand.
std::vector<size_t> LoopOrder(std::span<const int64_t> sizes,
                              std::span<const Tensor* const> tensors);
// `tensor` seen with `sizes`, its dimensions put in `order`.
TensorRef InOrder(const Tensor& tensor, std::span<const int64_t> sizes,
                  std::span<const size_t> order);
TensorRef OutOfOrder(const Tensor& tensor, std::span<const size_t> order);

inline bool HaveSameSizes(const Tensor& a, const Tensor& b) {
  return std::equal(a.sizes().begin(), a.sizes().end(), b.sizes().begin(), b.sizes().end());
}

// op(a, b) of elements in memory's order; both are contiguous and have the same sizes.
template <typename T, typename Op>
TensorRef LoopOverPairs(const Tensor& a, const Tensor& b, Op op) {
  using R = decltype(op(T{}, T{}));
  TensorRef out = New(kStoredType<R>, a.sizes());
  const T* x = a.data<T>();
  const T* y = b.data<T>();
  R* z = out->mutable_data<R>();
  const int64_t count = out->element_count();
  for (int64_t i = 0; i < count; ++i) z[i] = op(x[i], y[i]);
  return out;
}

// The result has type `result`; both inputs are computed in `compute`, a compute type.
template <typename Op>
TensorRef ApplyToPair(const Tensor& a, const Tensor& b, ElementType result, ElementType compute,
                      Op op) {
  return OnComputeType(compute, [&](auto zero) -> TensorRef {
    using T = decltype(zero);
    const bool is_simple = a.element_type() == compute && b.element_type() == compute &&
                           a.is_contiguous() && b.is_contiguous() && HaveSameSizes(a, b);
    if (is_simple) {
      TensorRef out = LoopOverPairs<T>(a, b, op);
      return out->element_type() == result ? out : As(*out, result);
    }
    const Ints sizes = Broadcast(a.sizes(), b.sizes());
    const Tensor* const both[] = {&a, &b};
    const std::vector<size_t> order = LoopOrder(sizes, both);
    const TensorRef left = As(*InOrder(a, sizes, order), compute);
    const TensorRef right = As(*InOrder(b, sizes, order), compute);
    return OutOfOrder(*As(*LoopOverPairs<T>(*left, *right, op), result), order);
  });
}

// op(x) of each element.
template <typename Op>
TensorRef ApplyToEach(const Tensor& a, ElementType result, ElementType compute, Op op) {
  return OnComputeType(compute, [&](auto zero) -> TensorRef {
    using T = decltype(zero);
    using R = decltype(op(zero));
    const Tensor* const one[] = {&a};
    std::vector<size_t> order;
    TensorRef in;
    if (a.is_contiguous()) {
      in = As(a, compute);
    } else {
      order = LoopOrder(a.sizes(), one);
      in = As(*InOrder(a, a.sizes(), order), compute);
    }
    TensorRef out = New(kStoredType<R>, in->sizes());
    const T* x = in->template data<T>();
    R* z = out->template mutable_data<R>();
    const int64_t count = out->element_count();
    for (int64_t i = 0; i < count; ++i) z[i] = op(x[i]);
    if (out->element_type() != result) out = As(*out, result);
    return order.empty() ? out : OutOfOrder(*out, order);
  });
}

// Writes an operator's result into the tensor it works on. Fails as PyTorch does where the result's
// type or sizes are others, or an element is there twice.
TensorRef StoreInPlace(Tensor& self, const Tensor& result);
// Fails where a result of type `from` may not be stored in a tensor of type `to`.
void CheckCast(ElementType from, ElementType to);

}  // namespace handrail::kernels
