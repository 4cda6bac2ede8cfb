// Operators that put tensors together, take them apart, and repeat or move their elements.
#include <algorithm>

#include <fmt/format.h>

#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/views.h"

namespace handrail::kernels {

namespace {

std::vector<TensorRef> Parts(const List& list) {
  std::vector<TensorRef> parts;
  for (const Value& element : list.elements) parts.push_back(Share(Unbox<Tensor&>::From(element)));
  return parts;
}

TensorRef Concatenate(List& list, int64_t dimension) {
  return Joined(Parts(list), dimension);
}
TensorRef StackUp(List& list, int64_t dimension) {
  std::vector<TensorRef> parts = Parts(list);
  if (parts.empty()) Raise("stack expects a non-empty TensorList");
  const size_t at = WrapDimension(dimension, parts[0]->dimension_count() + 1);
  const TensorRef first = parts[0];
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!std::equal(first->sizes().begin(), first->sizes().end(), parts[i]->sizes().begin(),
                    parts[i]->sizes().end())) {
      Raise(
          fmt::format("stack expects each tensor to be equal size, but got {} at entry 0 and {} "
                      "at entry {}",
                      Text(first->sizes()), Text(parts[i]->sizes()), i));
    }
    parts[i] = Unsqueezed(*parts[i], at);
  }
  return Joined(parts, static_cast<int64_t>(at));
}

std::vector<TensorRef> SplitBySizes(const Tensor& self, const Ints& lengths, int64_t dimension) {
  if (self.dimension_count() == 0) Raise("split expects at least a 1-dimensional tensor");
  const size_t at = WrapDimension(dimension, self.dimension_count());
  const int64_t size = self.sizes()[at];
  int64_t sum = 0;
  for (int64_t length : lengths) {
    if (length < 0) {
      Raise(
          "split_with_sizes expects split_sizes have only non-negative entries, but got "
          "split_sizes=" +
          Text(lengths));
    }
    if (__builtin_add_overflow(sum, length, &sum)) sum = INT64_MAX;
  }
  if (sum != size) {
    Raise(
        fmt::format("split_with_sizes expects split_sizes to sum exactly to {} (input tensor's "
                    "size at dimension {}), but got split_sizes={}",
                    size, dimension, Text(lengths)));
  }
  std::vector<TensorRef> parts;
  int64_t start = 0;
  for (int64_t length : lengths) {
    parts.push_back(Narrowed(self, at, start, length));
    start += length;
  }
  return parts;
}
std::vector<TensorRef> Split(const Tensor& self, int64_t length, int64_t dimension) {
  if (self.dimension_count() == 0) Raise("split expects at least a 1-dimensional tensor");
  if (length < 0) {
    Raise(fmt::format("split expects split_size be non-negative, but got split_size={}", length));
  }
  const size_t at = WrapDimension(dimension, self.dimension_count());
  const int64_t size = self.sizes()[at];
  if (length == 0 && size != 0) {
    Raise(fmt::format(
        "split_size can only be 0 if dimension size is 0, but got dimension size of {}", size));
  }
  std::vector<TensorRef> parts;
  int64_t start = 0;
  do {
    parts.push_back(Narrowed(self, at, start, std::min(length, size - start)));
    if (length > size - start) break;
    start += length;
  } while (start < size);
  return parts;
}
std::vector<TensorRef> Chunk(const Tensor& self, int64_t count, int64_t dimension) {
  if (self.dimension_count() == 0) Raise("chunk expects at least a 1-dimensional tensor");
  if (count <= 0) {
    Raise(fmt::format("chunk expects `chunks` to be greater than 0, got: {}", count));
  }
  const size_t at = WrapDimension(dimension, self.dimension_count());
  const int64_t size = self.sizes()[at];
  if (size == 0) {
    std::vector<TensorRef> parts;
    for (int64_t i = 0; i < std::min<int64_t>(count, 1 << 20); ++i) {
      parts.push_back(Narrowed(self, at, 0, 0));
    }
    return parts;
  }
  return Split(self, (size - 1) / count + 1, dimension);
}
std::vector<TensorRef> SplitAt(const Tensor& self, const Ints& places, int64_t dimension) {
  if (self.dimension_count() == 0) {
    Raise("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  }
  const size_t at = WrapDimension(dimension, self.dimension_count());
  const int64_t size = self.sizes()[at];
  const auto clamp = [size](int64_t place) {
    return std::clamp<int64_t>(place < 0 ? place + size : place, 0, size);
  };
  std::vector<TensorRef> parts;
  int64_t start = 0;
  for (size_t i = 0; i <= places.size(); ++i) {
    const int64_t end = i < places.size() ? clamp(places[i]) : size;
    parts.push_back(Narrowed(self, at, std::min(start, size), std::max<int64_t>(end - start, 0)));
    start = end;
  }
  return parts;
}
std::vector<TensorRef> SplitInSections(const Tensor& self, int64_t count, int64_t dimension) {
  if (self.dimension_count() == 0) {
    Raise("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
  }
  const size_t at = WrapDimension(dimension, self.dimension_count());
  if (count <= 0) Raise(fmt::format("number of sections must be larger than 0, got {}", count));
  const int64_t size = self.sizes()[at];
  std::vector<TensorRef> parts;
  int64_t start = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t length = size / count + (i < size % count ? 1 : 0);
    parts.push_back(Narrowed(self, at, start, length));
    start += length;
  }
  return parts;
}
std::vector<TensorRef> Unbind(const Tensor& self, int64_t dimension) {
  if (self.dimension_count() == 0) Raise("Dimension specified as 0 but tensor has no dimensions");
  const size_t at = WrapDimension(dimension, self.dimension_count());
  std::vector<TensorRef> parts;
  for (int64_t i = 0; i < self.sizes()[at]; ++i) parts.push_back(Selected(self, at, i));
  return parts;
}

TensorRef Repeat(const Tensor& self, const Ints& counts) {
  if (counts.size() < self.dimension_count()) {
    Raise(
        "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
        "tensor");
  }
  // One more dimension, of the repetitions, before each of the tensor's.
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
      Raise(fmt::format("Trying to create tensor with negative dimension {}: {}", counts[i] * own,
                        Text(counts)));
    }
    sizes.push_back(size);
  }
  TensorRef result = New(self.element_type(), sizes);
  const TensorRef repeated = ViewOf(self, split, strides, self.first_element());
  CopyInto(*Reshaped(*result, split), *repeated);
  return result;
}
TensorRef RepeatEach(const Tensor& self, int64_t count, std::optional<int64_t> dimension,
                     std::optional<int64_t> /*output_size*/) {
  const TensorRef source = dimension ? Share(self) : ReshapedTo(self, {self.element_count()});
  if (count < 0) Raise("Repeats must be non-negative");
  if (source->dimension_count() == 0)
    Raise("Dimension specified as 0 but tensor has no dimensions");
  const size_t at = WrapDimension(dimension ? *dimension : 0, source->dimension_count());
  Ints sizes = Sizes(*source);
  sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(at) + 1, count);
  const TensorRef wide = ExpandedTo(*Unsqueezed(*source, at + 1), sizes);
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  if (__builtin_mul_overflow(sizes[at], count, &sizes[at])) Raise("Repeats are too large");
  return ReshapedTo(*Contiguous(*wide), sizes);
}

TensorRef Roll(const Tensor& self, const Ints& shifts, const Ints& dimensions) {
  if (shifts.empty()) Raise("`shifts` required");
  if (dimensions.empty() && shifts.size() == 1) {
    return ReshapedTo(*Roll(*ReshapedTo(self, {self.element_count()}), shifts, {0}), Sizes(self));
  }
  if (shifts.size() != dimensions.size()) {
    Raise(fmt::format("shifts and dimensions must align. shifts: {}, dims:{}", shifts.size(),
                      dimensions.size()));
  }
  TensorRef result = Share(self);
  for (size_t i = 0; i < shifts.size(); ++i) {
    const size_t at = WrapDimension(dimensions[i], self.dimension_count());
    if (self.element_count() == 0) continue;
    const int64_t size = self.sizes()[at];
    const int64_t shift = ((shifts[i] % size) + size) % size;
    result =
        Joined({Narrowed(*result, at, size - shift, shift), Narrowed(*result, at, 0, size - shift)},
               static_cast<int64_t>(at));
  }
  return result.get() == &self ? Contiguous(self) : result;
}
TensorRef Flip(const Tensor& self, const Ints& dimensions) {
  std::vector<bool> is_flipped(self.dimension_count(), false);
  for (int64_t dimension : dimensions) {
    const size_t at = WrapDimension(dimension, self.dimension_count());
    if (self.dimension_count() == 0) continue;
    if (is_flipped[at]) {
      Raise(fmt::format("dim {} appears multiple times in the list of dims", at));
    }
    is_flipped[at] = true;
  }
  TensorRef result = New(self.element_type(), self.sizes());
  CopyInto(*result, self);
  for (size_t at = 0; at < is_flipped.size(); ++at) {
    if (!is_flipped[at]) continue;
    TensorRef turned = New(self.element_type(), self.sizes());
    const int64_t size = self.sizes()[at];
    for (int64_t i = 0; i < size; ++i) {
      CopyInto(*Selected(*turned, at, size - 1 - i), *Selected(*result, at, i));
    }
    result = std::move(turned);
  }
  return result;
}

std::vector<TensorRef> Meshgrid(List& list, const std::string& indexing) {
  std::vector<TensorRef> parts = Parts(list);
  if (parts.empty()) Raise("meshgrid expects a non-empty TensorList");
  if (indexing != "ij" && indexing != "xy") {
    Raise("torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: " + indexing);
  }
  const bool is_swapped = indexing == "xy" && parts.size() > 1;
  if (is_swapped) std::swap(parts[0], parts[1]);
  Ints sizes;
  for (const TensorRef& part : parts) {
    if (part->dimension_count() > 1) {
      Raise("torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: " +
            std::to_string(part->dimension_count()));
    }
    sizes.push_back(part->element_count());
  }
  std::vector<TensorRef> grids;
  for (size_t i = 0; i < parts.size(); ++i) {
    Ints lined(parts.size(), 1);
    lined[i] = sizes[i];
    grids.push_back(ExpandedTo(*ReshapedTo(*parts[i], lined), sizes));
  }
  if (is_swapped) std::swap(grids[0], grids[1]);
  return grids;
}
std::vector<TensorRef> MeshgridOfOld(List& list) {
  return Meshgrid(list, "ij");
}
std::vector<TensorRef> BroadcastAll(List& list) {
  const std::vector<TensorRef> parts = Parts(list);
  Ints sizes;
  for (const TensorRef& part : parts) sizes = Broadcast(sizes, part->sizes());
  std::vector<TensorRef> result;
  result.reserve(parts.size());
  for (const TensorRef& part : parts) result.push_back(ExpandedTo(*part, sizes));
  return result;
}

constexpr KernelRow kRows[] = {
    Row<&Split>("aten::split.Tensor"),
    Row<&SplitBySizes>("aten::split_with_sizes"),
    Row<&SplitBySizes>("aten::split.sizes"),
    Row<&SplitAt>("aten::tensor_split.indices"),
    Row<&SplitInSections>("aten::tensor_split.sections"),
    Row<&Chunk>("aten::chunk"),
    Row<&Unbind>("aten::unbind.int"),
    Row<&Concatenate>("aten::cat"),
    Row<&Concatenate>("aten::concat"),
    Row<&StackUp>("aten::stack"),
    Row<&Repeat>("aten::repeat"),
    Row<&RepeatEach>("aten::repeat_interleave.self_int"),
    Row<&Roll>("aten::roll"),
    Row<&Flip>("aten::flip"),
    Row<&Meshgrid>("aten::meshgrid.indexing"),
    Row<&MeshgridOfOld>("aten::meshgrid"),
    Row<&BroadcastAll>("aten::broadcast_tensors"),
};

}  // namespace

std::span<const KernelRow> JoiningKernels() {
  return kRows;
}

}  // namespace handrail::kernels
