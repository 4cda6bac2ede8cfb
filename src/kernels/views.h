// Tensors that see another's elements, and tensors put together of others: what kernels on shapes
// share with each other and with those that are composed of them.
#pragma once

#include <optional>
#include <span>

#include "kernels/boxing.h"

namespace handrail::kernels {

// Sizes with the one -1 replaced by what is left over; fails as PyTorch's `view` does.
Ints InferSizes(int64_t element_count, Ints sizes);
// A view where the strides allow one, else a copy.
TensorRef ReshapedTo(const Tensor& tensor, const Ints& sizes);
// The strides of `tensor` seen with `sizes`, if no copy is needed.
std::optional<Ints> StridesFor(const Tensor& tensor, std::span<const int64_t> sizes);

// Dimensions are already counted from the front and in range.
TensorRef Narrowed(const Tensor& tensor, size_t dimension, int64_t start, int64_t length,
                   int64_t step = 1);
TensorRef Selected(const Tensor& tensor, size_t dimension, int64_t index);
TensorRef Unsqueezed(const Tensor& tensor, size_t dimension);
TensorRef Transposed(const Tensor& tensor, size_t a, size_t b);
TensorRef PermutedBy(const Tensor& tensor, std::span<const size_t> order);
// Fails as PyTorch's `expand` does. -1 keeps a size.
TensorRef ExpandedTo(const Tensor& tensor, const Ints& sizes);

TensorRef Joined(const std::vector<TensorRef>& parts, int64_t dimension);
// `sides`: how many elements to add before and behind, of the last dimension first; negative
// numbers cut off.
TensorRef PaddedBy(const Tensor& tensor, const Ints& sides, Scalar value);

}  // namespace handrail::kernels
