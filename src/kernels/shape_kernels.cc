// Operators that change a tensor's sizes and strides: views share its elements.
#include <algorithm>

#include "kernels/elements.h"
#include "kernels/families.h"

namespace handrail::kernels {

namespace {

Ints Strides(const Tensor& tensor) {
  return {tensor.strides().begin(), tensor.strides().end()};
}

// Replaces the one -1 of `sizes` by what is left over.
Ints InferSizes(const Tensor& self, Ints sizes) {
  int64_t known = 1;
  auto unknown = sizes.end();
  for (auto size = sizes.begin(); size != sizes.end(); ++size) {
    if (*size == -1) {
      if (unknown != sizes.end()) Raise("only one dimension can be inferred");
      unknown = size;
    } else if (*size < 0 || __builtin_mul_overflow(known, *size, &known)) {
      Raise("invalid shape dimension " + std::to_string(*size));
    }
  }
  const Ints asked = sizes;
  const int64_t count = self.element_count();
  if (unknown != sizes.end() && known != 0 && count % known == 0) *unknown = count / known;
  if (unknown == sizes.end() ? known != count : *unknown < 0) {
    Raise("shape '" + Text(asked) + "' is invalid for input of size " + std::to_string(count));
  }
  return sizes;
}

// The strides of `self` seen with `sizes`, if no copy is needed.
std::optional<Ints> StridesFor(const Tensor& self, std::span<const int64_t> sizes) {
  Ints strides(sizes.size());
  if (self.element_count() == 0) return strides;
  size_t at = sizes.size();
  int64_t in_chunk = 1;
  int64_t step = self.dimension_count() == 0 ? 1 : self.stride(self.dimension_count() - 1);
  int64_t seen = 1;
  if (self.dimension_count() == 0) {
    std::fill(strides.begin(), strides.end(), 1);
    return strides;
  }
  for (uint32_t i = self.dimension_count(); i-- > 0;) {
    in_chunk *= self.size(i);
    const bool ends = i == 0 || (self.size(i - 1) != 1 && self.stride(i - 1) != in_chunk * step);
    if (!ends) continue;
    while (at > 0 && (seen < in_chunk || sizes[at - 1] == 1)) {
      strides[--at] = seen * step;
      seen *= sizes[at];
    }
    if (seen != in_chunk) return std::nullopt;
    if (i > 0) {
      step = self.stride(i - 1);
      in_chunk = 1;
      seen = 1;
    }
  }
  if (at != 0) return std::nullopt;
  return strides;
}

TensorRef View(const Tensor& self, const Ints& asked) {
  const Ints sizes = InferSizes(self, asked);
  const std::optional<Ints> strides = StridesFor(self, sizes);
  if (!strides) {
    Raise(
        "view size is not compatible with input tensor's size and stride (at least one dimension "
        "spans across two contiguous subspaces). Use .reshape(...) instead.");
  }
  return ViewOf(self, sizes, *strides, self.first_element());
}
TensorRef Reshape(const Tensor& self, const Ints& asked) {
  const Ints sizes = InferSizes(self, asked);
  const std::optional<Ints> strides = StridesFor(self, sizes);
  return strides ? ViewOf(self, sizes, *strides, self.first_element()) : Reshaped(self, sizes);
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
TensorRef Permute(const Tensor& self, const Ints& order) {
  if (order.size() != self.dimension_count()) {
    Raise(
        "permute: number of dimensions in the tensor input does not match the "
        "length of the desired ordering of dimensions");
  }
  Ints sizes;
  Ints strides;
  std::vector<bool> seen(order.size(), false);
  for (int64_t dimension : order) {
    const size_t from = WrapDimension(dimension, order.size());
    if (seen[from]) Raise("repeated dim in permute");
    seen[from] = true;
    sizes.push_back(self.sizes()[from]);
    strides.push_back(self.strides()[from]);
  }
  return ViewOf(self, sizes, strides, self.first_element());
}
TensorRef Transpose(const Tensor& self, int64_t a, int64_t b) {
  const size_t x = WrapDimension(a, self.dimension_count());
  const size_t y = WrapDimension(b, self.dimension_count());
  Ints sizes = Sizes(self);
  Ints strides = Strides(self);
  if (sizes.empty()) return Share(self);
  std::swap(sizes[x], sizes[y]);
  std::swap(strides[x], strides[y]);
  return ViewOf(self, sizes, strides, self.first_element());
}
TensorRef Turn(const Tensor& self) {
  if (self.dimension_count() > 2) {
    Raise("t() expects a tensor with <= 2 dimensions, but self is " +
          std::to_string(self.dimension_count()) + "D");
  }
  return self.dimension_count() < 2 ? Share(self) : Transpose(self, 0, 1);
}
TensorRef Narrow(const Tensor& self, size_t dimension, int64_t start, int64_t length,
                 int64_t step) {
  Ints sizes = Sizes(self);
  Ints strides = Strides(self);
  const int64_t first = self.first_element() + (length == 0 ? 0 : start * strides[dimension]);
  sizes[dimension] = length;
  if (length > 1) strides[dimension] *= step;
  return ViewOf(self, sizes, strides, first);
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
  return Narrow(self, at, first, last == first ? 0 : (last - first - 1) / step + 1, step);
}
TensorRef NarrowChecked(const Tensor& self, int64_t dimension, int64_t start, int64_t length) {
  const size_t at = WrapDimension(dimension, self.dimension_count());
  if (self.dimension_count() == 0) Raise("narrow() cannot be applied to a 0-dim tensor.");
  const int64_t size = self.sizes()[at];
  const int64_t first = start < 0 ? start + size : start;
  if (length < 0 || first < 0 || first > size || length > size - first) {
    Raise("start (" + std::to_string(start) + ") + length (" + std::to_string(length) +
          ") exceeds dimension size (" + std::to_string(size) + ").");
  }
  return Narrow(self, at, first, length, 1);
}
TensorRef Select(const Tensor& self, int64_t dimension, int64_t index) {
  if (self.dimension_count() == 0) Raise("select() cannot be applied to a 0-dim tensor.");
  const size_t at = WrapDimension(dimension, self.dimension_count());
  const int64_t size = self.sizes()[at];
  if (index < -size || index >= size) {
    Raise("select(): index " + std::to_string(index) + " out of range for tensor of size " +
          Text(self.sizes()) + " at dimension " + std::to_string(at));
  }
  Ints sizes = Sizes(self);
  Ints strides = Strides(self);
  const int64_t first = self.first_element() + (index < 0 ? index + size : index) * strides[at];
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(at));
  strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(at));
  return ViewOf(self, sizes, strides, first);
}
TensorRef Expand(const Tensor& self, const Ints& asked, bool /*implicit*/) {
  if (asked.size() < self.dimension_count()) {
    Raise("expand: the number of sizes provided (" + std::to_string(asked.size()) +
          ") must be greater or equal to the number of dimensions in the tensor (" +
          std::to_string(self.dimension_count()) + ")");
  }
  Ints sizes = asked;
  Ints strides(sizes.size(), 0);
  const size_t shift = sizes.size() - self.dimension_count();
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t own = i < shift ? 1 : self.sizes()[i - shift];
    if (sizes[i] == -1 && i >= shift) sizes[i] = own;
    if (own == sizes[i] && i >= shift) {
      strides[i] = self.strides()[i - shift];
    } else if (own != 1 || sizes[i] < 0) {
      Raise("The expanded size of the tensor (" + std::to_string(sizes[i]) +
            ") must match the existing size (" + std::to_string(own) +
            ") at non-singleton dimension " + std::to_string(i) +
            ".  Target sizes: " + Text(asked) + ".  Tensor sizes: " + Text(self.sizes()));
    }
  }
  return ViewOf(self, sizes, strides, self.first_element());
}
TensorRef ExpandAs(const Tensor& self, const Tensor& other) {
  return Expand(self, Sizes(other), false);
}
TensorRef Unsqueeze(const Tensor& self, int64_t dimension) {
  const size_t at = WrapDimension(dimension, self.dimension_count() + 1);
  Ints sizes = Sizes(self);
  Ints strides = Strides(self);
  const int64_t stride = at < sizes.size() ? sizes[at] * strides[at] : 1;
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(at), 1);
  strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(at), stride);
  return ViewOf(self, sizes, strides, self.first_element());
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
  return Select(self, dimension, 0);
}
std::vector<TensorRef> SplitBySizes(const Tensor& self, const Ints& lengths, int64_t dimension) {
  const size_t at = WrapDimension(dimension, self.dimension_count());
  std::vector<TensorRef> parts;
  int64_t start = 0;
  for (int64_t length : lengths) {
    parts.push_back(NarrowChecked(self, static_cast<int64_t>(at), start, length));
    start += length;
  }
  if (start != self.sizes()[at]) {
    Raise("split_with_sizes expects split_sizes to sum exactly to " +
          std::to_string(self.sizes()[at]) + " (input tensor's size at dimension " +
          std::to_string(dimension) + "), but got split_sizes=" + Text(lengths));
  }
  return parts;
}
std::vector<TensorRef> Split(const Tensor& self, int64_t length, int64_t dimension) {
  const size_t at = WrapDimension(dimension, self.dimension_count());
  if (self.dimension_count() == 0) Raise("split expects at least a 1-dimensional tensor");
  const int64_t size = self.sizes()[at];
  if (length <= 0) Raise("split expects split_size be non-negative");
  std::vector<TensorRef> parts;
  int64_t start = 0;
  do {
    parts.push_back(Narrow(self, at, start, std::min(length, size - start), 1));
    start += length;
  } while (start < size);
  return parts;
}
std::vector<TensorRef> Chunk(const Tensor& self, int64_t count, int64_t dimension) {
  const size_t at = WrapDimension(dimension, self.dimension_count());
  if (self.dimension_count() == 0) Raise("chunk expects at least a 1-dimensional tensor");
  if (count <= 0) Raise("chunk expects `chunks` to be greater than 0");
  return Split(self, std::max<int64_t>((self.sizes()[at] + count - 1) / count, 1), dimension);
}
std::vector<TensorRef> Unbind(const Tensor& self, int64_t dimension) {
  const size_t at = WrapDimension(dimension, self.dimension_count());
  std::vector<TensorRef> parts;
  if (self.dimension_count() == 0) Raise("unbind expects at least a 1-dimensional tensor");
  for (int64_t i = 0; i < self.sizes()[at]; ++i) {
    parts.push_back(Select(self, static_cast<int64_t>(at), i));
  }
  return parts;
}
TensorRef Concatenate(List& list, int64_t dimension) {
  std::vector<const Tensor*> parts;
  for (const Value& element : list.elements) {
    const Tensor& part = Unbox<Tensor&>::From(element);
    // PyTorch ignores empty vectors here.
    if (part.dimension_count() != 1 || part.size(0) != 0) parts.push_back(&part);
  }
  if (parts.empty()) {
    if (list.elements.empty()) Raise("torch.cat(): expected a non-empty list of Tensors");
    return Share(list.elements[0].tensor());
  }
  if (parts[0]->dimension_count() == 0) {
    Raise("zero-dimensional tensor (at position 0) cannot be concatenated");
  }
  const size_t at = WrapDimension(dimension, parts[0]->dimension_count());
  Ints sizes = Sizes(*parts[0]);
  ElementType type = parts[0]->element_type();
  sizes[at] = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i]->dimension_count() != sizes.size()) {
      Raise("Tensors must have same number of dimensions: got " + std::to_string(sizes.size()) +
            " and " + std::to_string(parts[i]->dimension_count()));
    }
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (d != at && parts[i]->sizes()[d] != sizes[d]) {
        Raise("Sizes of tensors must match except in dimension " + std::to_string(at) +
              ". Expected size " + std::to_string(sizes[d]) + " but got size " +
              std::to_string(parts[i]->sizes()[d]) + " for tensor number " + std::to_string(i) +
              " in the list.");
      }
    }
    sizes[at] += parts[i]->sizes()[at];
    type = Promote(type, parts[i]->element_type());
  }
  TensorRef result = New(type, sizes);
  int64_t start = 0;
  for (const Tensor* part : parts) {
    CopyInto(*Narrow(*result, at, start, part->sizes()[at], 1), *part);
    start += part->sizes()[at];
  }
  return result;
}
TensorRef StackUp(List& list, int64_t dimension) {
  List widened;
  for (const Value& element : list.elements) {
    widened.elements.emplace_back(Unsqueeze(Unbox<Tensor&>::From(element), dimension));
  }
  if (widened.elements.empty()) Raise("stack expects a non-empty TensorList");
  return Concatenate(widened, dimension);
}
TensorRef Repeat(const Tensor& self, const Ints& counts) {
  if (counts.size() < self.dimension_count()) {
    Raise(
        "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
        "tensor");
  }
  // One more dimension of the repetitions before each of the tensor's.
  const size_t shift = counts.size() - self.dimension_count();
  Ints sizes;
  Ints split;
  Ints strides;
  for (size_t i = 0; i < counts.size(); ++i) {
    const int64_t own = i < shift ? 1 : self.sizes()[i - shift];
    split.insert(split.end(), {counts[i], own});
    strides.insert(strides.end(), {0, i < shift ? 0 : self.strides()[i - shift]});
    int64_t size = 0;
    if (counts[i] < 0 || __builtin_mul_overflow(counts[i], own, &size)) {
      Raise("Trying to create tensor with negative dimension");
    }
    sizes.push_back(size);
  }
  return Reshape(*ViewOf(self, split, strides, self.first_element()), sizes);
}
TensorRef Roll(const Tensor& self, const Ints& shifts, const Ints& dimensions) {
  if (dimensions.empty() && shifts.size() == 1) {
    return Reshape(*Roll(*Reshape(self, {self.element_count()}), shifts, {0}), Sizes(self));
  }
  if (shifts.size() != dimensions.size()) Raise("shifts and dimensions must align");
  TensorRef result = Share(self);
  for (size_t i = 0; i < shifts.size(); ++i) {
    const size_t at = WrapDimension(dimensions[i], self.dimension_count());
    const int64_t size = self.sizes()[at];
    if (size == 0) continue;
    const int64_t shift = ((shifts[i] % size) + size) % size;
    List parts;
    parts.elements.emplace_back(Narrow(*result, at, size - shift, shift, 1));
    parts.elements.emplace_back(Narrow(*result, at, 0, size - shift, 1));
    result = Concatenate(parts, static_cast<int64_t>(at));
  }
  return result;
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
    Row<&Split>("aten::split.Tensor"),
    Row<&SplitBySizes>("aten::split_with_sizes"),
    Row<&SplitBySizes>("aten::split.sizes"),
    Row<&Chunk>("aten::chunk"),
    Row<&Unbind>("aten::unbind.int"),
    Row<&Concatenate>("aten::cat"),
    Row<&StackUp>("aten::stack"),
    Row<&Repeat>("aten::repeat"),
    Row<&Roll>("aten::roll"),
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
