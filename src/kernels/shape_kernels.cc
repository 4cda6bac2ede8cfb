// Operators that change a tensor's sizes and strides: views share its elements.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/views.h"

namespace handrail::kernels {

namespace {

TensorRef View(const Tensor& self, const Ints& asked) {
  const Ints sizes = InferSizes(self.element_count(), asked);
  const std::optional<Ints> strides = StridesFor(self, sizes);
  if (!strides) {
    Raise(
        "view size is not compatible with input tensor's size and stride (at least one dimension "
        "spans across two contiguous subspaces). Use .reshape(...) instead.");
  }
  return ViewOf(self, sizes, *strides, self.first_element());
}
TensorRef Reshape(const Tensor& self, const Ints& asked) {
  return ReshapedTo(self, InferSizes(self.element_count(), asked));
}
TensorRef ViewAs(const Tensor& self, const Tensor& other) {
  return View(self, Sizes(other));
}
TensorRef ReshapeAs(const Tensor& self, const Tensor& other) {
  return Reshape(self, Sizes(other));
}
TensorRef Flatten(const Tensor& self, int64_t start, int64_t end) {
  const size_t first = WrapDimension(start, self.dimension_count());
  const size_t last = WrapDimension(end, self.dimension_count());
  if (first > last) Raise("flatten() has invalid args: start_dim cannot come after end_dim");
  if (self.dimension_count() == 0) return Reshape(self, {1});
  Ints sizes = Sizes(self);
  int64_t product = 1;
  for (size_t i = first; i <= last; ++i) product *= sizes[i];
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(first),
              sizes.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(first), product);
  return Reshape(self, sizes);
}
TensorRef Permute(const Tensor& self, const Ints& dimensions) {
  if (dimensions.size() != self.dimension_count()) {
    Raise(fmt::format(
        "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
        "of the desired ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = "
        "{}",
        self.dimension_count(), dimensions.size()));
  }
  std::vector<size_t> order;
  for (int64_t dimension : dimensions) {
    order.push_back(WrapDimension(dimension, dimensions.size()));
    if (std::count(order.begin(), order.end(), order.back()) > 1) {
      Raise("permute(): duplicate dims are not allowed.");
    }
  }
  return PermutedBy(self, order);
}
TensorRef Transpose(const Tensor& self, int64_t a, int64_t b) {
  const size_t x = WrapDimension(a, self.dimension_count());
  const size_t y = WrapDimension(b, self.dimension_count());
  return self.dimension_count() == 0 ? Share(self) : Transposed(self, x, y);
}
TensorRef TransposeInPlace(Tensor& self, int64_t a, int64_t b) {
  const TensorRef view = Transpose(self, a, b);
  self.Become(*view);
  return Share(self);
}
TensorRef Turn(const Tensor& self) {
  if (self.dimension_count() > 2) {
    Raise("t() expects a tensor with <= 2 dimensions, but self is " +
          std::to_string(self.dimension_count()) + "D");
  }
  return self.dimension_count() < 2 ? Share(self) : Transpose(self, 0, 1);
}
TensorRef TurnInPlace(Tensor& self) {
  if (self.dimension_count() > 2) {
    Raise("t_() expects a tensor with <= 2 dimensions, but self is " +
          std::to_string(self.dimension_count()) + "D");
  }
  const TensorRef view = Turn(self);
  self.Become(*view);
  return Share(self);
}
TensorRef TurnAll(const Tensor& self) {
  std::vector<size_t> order(self.dimension_count());
  std::iota(order.rbegin(), order.rend(), size_t{0});
  return PermutedBy(self, order);
}
TensorRef Slice(const Tensor& self, int64_t dimension, std::optional<int64_t> start,
                std::optional<int64_t> end, int64_t step) {
  if (self.dimension_count() == 0) Raise("slice() cannot be applied to a 0-dim tensor.");
  if (step <= 0) Raise("slice step must be positive");
  const size_t at = WrapDimension(dimension, self.dimension_count());
  const int64_t size = self.sizes()[at];
  const auto clamp = [size](int64_t place) {
    return std::clamp<int64_t>(place < 0 ? place + size : place, 0, size);
  };
  const int64_t first = start ? clamp(*start) : 0;
  const int64_t last = std::max(first, end ? clamp(*end) : size);
  return Narrowed(self, at, first, last == first ? 0 : (last - first - 1) / step + 1, step);
}
TensorRef NarrowChecked(const Tensor& self, int64_t dimension, int64_t start, int64_t length) {
  if (self.dimension_count() == 0) Raise("narrow() cannot be applied to a 0-dim tensor.");
  if (length < 0) Raise("narrow(): length must be non-negative.");
  const size_t at = WrapDimension(dimension, self.dimension_count());
  const int64_t size = self.sizes()[at];
  if (start < -size || start > size) {
    Raise(fmt::format("Dimension out of range (expected to be in range of [{}, {}], but got {})",
                      -size, size - 1, start));
  }
  const int64_t first = start < 0 ? start + size : start;
  if (length > size - first) {
    Raise(
        fmt::format("start ({}) + length ({}) exceeds dimension size ({}).", first, length, size));
  }
  return Narrowed(self, at, first, length);
}
TensorRef Select(const Tensor& self, int64_t dimension, int64_t index) {
  if (self.dimension_count() == 0) Raise("select() cannot be applied to a 0-dim tensor.");
  const size_t at = WrapDimension(dimension, self.dimension_count());
  const int64_t size = self.sizes()[at];
  if (index < -size || index >= size) {
    Raise("select(): index " + std::to_string(index) + " out of range for tensor of size " +
          Text(self.sizes()) + " at dimension " + std::to_string(at));
  }
  return Selected(self, at, index < 0 ? index + size : index);
}
TensorRef Expand(const Tensor& self, const Ints& sizes, bool /*implicit*/) {
  return ExpandedTo(self, sizes);
}
TensorRef BroadcastTo(const Tensor& self, const Ints& sizes) {
  return ExpandedTo(self, sizes);
}
TensorRef ExpandAs(const Tensor& self, const Tensor& other) {
  return Expand(self, Sizes(other), false);
}
TensorRef Unsqueeze(const Tensor& self, int64_t dimension) {
  return Unsqueezed(self, WrapDimension(dimension, self.dimension_count() + 1));
}
TensorRef UnsqueezeInPlace(Tensor& self, int64_t dimension) {
  const TensorRef view = Unsqueeze(self, dimension);
  self.Become(*view);
  return Share(self);
}
TensorRef Squeeze(const Tensor& self) {
  Ints sizes;
  Ints strides;
  for (uint32_t i = 0; i < self.dimension_count(); ++i) {
    if (self.size(i) == 1) continue;
    sizes.push_back(self.size(i));
    strides.push_back(self.stride(i));
  }
  return ViewOf(self, sizes, strides, self.first_element());
}
TensorRef SqueezeOne(const Tensor& self, int64_t dimension) {
  const size_t at = WrapDimension(dimension, self.dimension_count());
  if (self.dimension_count() == 0 || self.sizes()[at] != 1) return Share(self);
  return Selected(self, at, 0);
}
TensorRef SqueezeInPlace(Tensor& self) {
  const TensorRef view = Squeeze(self);
  self.Become(*view);
  return Share(self);
}
TensorRef SqueezeOneInPlace(Tensor& self, int64_t dimension) {
  const TensorRef view = SqueezeOne(self, dimension);
  self.Become(*view);
  return Share(self);
}
Ints SizeList(const Tensor& self) {
  return Sizes(self);
}
int64_t SizeAt(const Tensor& self, int64_t dimension) {
  if (self.dimension_count() == 0) {
    Raise("Dimension specified as " + std::to_string(dimension) + " but tensor has no dimensions");
  }
  return self.sizes()[WrapDimension(dimension, self.dimension_count())];
}
int64_t DimensionCount(const Tensor& self) {
  return self.dimension_count();
}
int64_t ElementCount(const Tensor& self) {
  return self.element_count();
}
int64_t Length(const Tensor& self) {
  if (self.dimension_count() == 0) Raise("len() of a 0-d tensor");
  return self.size(0);
}
TensorRef MakeContiguous(const Tensor& self, int64_t /*memory_format*/) {
  return Contiguous(self);
}

constexpr KernelRow kRows[] = {
    Row<&View>("aten::view"),
    Row<&Reshape>("aten::reshape"),
    Row<&Flatten>("aten::flatten.using_ints"),
    Row<&Permute>("aten::permute"),
    Row<&Transpose>("aten::transpose.int"),
    Row<&Turn>("aten::t"),
    Row<&Slice>("aten::slice.Tensor"),
    Row<&NarrowChecked>("aten::narrow"),
    Row<&Select>("aten::select.int"),
    Row<&Expand>("aten::expand"),
    Row<&ExpandAs>("aten::expand_as"),
    Row<&Unsqueeze>("aten::unsqueeze"),
    Row<&Squeeze>("aten::squeeze"),
    Row<&SqueezeOne>("aten::squeeze.dim"),
    Row<&ViewAs>("aten::view_as"),
    Row<&ReshapeAs>("aten::reshape_as"),
    Row<&BroadcastTo>("aten::broadcast_to"),
    Row<&TransposeInPlace>("aten::transpose_"),
    Row<&Transpose>("aten::swapaxes"),
    Row<&TurnInPlace>("aten::t_"),
    Row<&TurnAll>("aten::numpy_T"),
    Row<&UnsqueezeInPlace>("aten::unsqueeze_"),
    Row<&SqueezeInPlace>("aten::squeeze_"),
    Row<&SqueezeOneInPlace>("aten::squeeze_.dim"),
    Row<&SizeList>("aten::size"),
    Row<&SizeAt>("aten::size.int"),
    Row<&DimensionCount>("aten::dim"),
    Row<&ElementCount>("aten::numel"),
    Row<&Length>("aten::len.Tensor"),
    Row<&MakeContiguous>("aten::contiguous"),
};

}  // namespace

std::span<const KernelRow> ShapeKernels() {
  return kRows;
}

}  // namespace handrail::kernels
