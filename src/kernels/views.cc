#include "kernels/views.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "kernels/elements.h"

namespace handrail::kernels {

namespace {

Ints Strides(const Tensor& tensor) {
  return {tensor.strides().begin(), tensor.strides().end()};
}
std::ptrdiff_t At(size_t dimension) {
  return static_cast<std::ptrdiff_t>(dimension);
}

}  // namespace

Ints InferSizes(int64_t element_count, Ints sizes) {
  const Ints asked = sizes;
  int64_t known = 1;
  auto unknown = sizes.end();
  for (auto size = sizes.begin(); size != sizes.end(); ++size) {
    if (*size == -1) {
      if (unknown != sizes.end()) Raise("only one dimension can be inferred");
      unknown = size;
    } else if (*size < 0) {
      Raise("invalid shape dimension " + std::to_string(*size));
    } else if (__builtin_mul_overflow(known, *size, &known)) {
      Raise("a tensor of sizes " + Text(asked) + " is too large");
    }
  }
  const bool divides = known != 0 && element_count % known == 0;
  if (unknown == sizes.end() ? known != element_count : known != 0 && !divides) {
    Raise(fmt::format("shape '{}' is invalid for input of size {}", Text(asked), element_count));
  }
  if (unknown == sizes.end()) return sizes;
  if (known == 0) {
    if (element_count != 0) {
      Raise(fmt::format("shape '{}' is invalid for input of size {}", Text(asked), element_count));
    }
    Raise("cannot reshape tensor of 0 elements into shape " + Text(asked) +
          " because the unspecified dimension size -1 can be any value and is ambiguous");
  }
  *unknown = element_count / known;
  return sizes;
}

std::optional<Ints> StridesFor(const Tensor& tensor, std::span<const int64_t> sizes) {
  Ints strides(sizes.size(), 1);
  if (tensor.element_count() == 0 || tensor.dimension_count() == 0) {
    int64_t step = 1;
    for (size_t i = sizes.size(); i-- > 0;) {
      strides[i] = step;
      step *= std::max<int64_t>(sizes[i], 1);
    }
    return strides;
  }
  size_t at = sizes.size();
  int64_t in_chunk = 1;
  int64_t step = tensor.stride(tensor.dimension_count() - 1);
  int64_t seen = 1;
  for (uint32_t i = tensor.dimension_count(); i-- > 0;) {
    in_chunk *= tensor.size(i);
    const bool ends =
        i == 0 || (tensor.size(i - 1) != 1 && tensor.stride(i - 1) != in_chunk * step);
    if (!ends) continue;
    while (at > 0 && (seen < in_chunk || sizes[at - 1] == 1)) {
      strides[--at] = seen * step;
      seen *= sizes[at];
    }
    if (seen != in_chunk) return std::nullopt;
    if (i > 0) {
      step = tensor.stride(i - 1);
      in_chunk = 1;
      seen = 1;
    }
  }
  if (at != 0) return std::nullopt;
  return strides;
}

TensorRef ReshapedTo(const Tensor& tensor, const Ints& sizes) {
  const std::optional<Ints> strides = StridesFor(tensor, sizes);
  return strides ? ViewOf(tensor, sizes, *strides, tensor.first_element())
                 : Reshaped(tensor, sizes);
}

TensorRef Narrowed(const Tensor& tensor, size_t dimension, int64_t start, int64_t length,
                   int64_t step) {
  Ints sizes = Sizes(tensor);
  Ints strides = Strides(tensor);
  const bool is_empty = length == 0 || tensor.element_count() == 0;
  const int64_t first = tensor.first_element() + (is_empty ? 0 : start * strides[dimension]);
  sizes[dimension] = length;
  if (length > 1) strides[dimension] *= step;
  return ViewOf(tensor, sizes, strides, first);
}

TensorRef Selected(const Tensor& tensor, size_t dimension, int64_t index) {
  Ints sizes = Sizes(tensor);
  Ints strides = Strides(tensor);
  const int64_t first =
      tensor.first_element() + (tensor.element_count() == 0 ? 0 : index * strides[dimension]);
  sizes.erase(sizes.begin() + At(dimension));
  strides.erase(strides.begin() + At(dimension));
  return ViewOf(tensor, sizes, strides, first);
}

TensorRef Unsqueezed(const Tensor& tensor, size_t dimension) {
  Ints sizes = Sizes(tensor);
  Ints strides = Strides(tensor);
  const int64_t stride = dimension < sizes.size() ? sizes[dimension] * strides[dimension] : 1;
  sizes.insert(sizes.begin() + At(dimension), 1);
  strides.insert(strides.begin() + At(dimension), stride);
  return ViewOf(tensor, sizes, strides, tensor.first_element());
}

TensorRef PermutedBy(const Tensor& tensor, std::span<const size_t> order) {
  Ints sizes;
  Ints strides;
  for (size_t from : order) {
    sizes.push_back(tensor.sizes()[from]);
    strides.push_back(tensor.strides()[from]);
  }
  return ViewOf(tensor, sizes, strides, tensor.first_element());
}

TensorRef Transposed(const Tensor& tensor, size_t a, size_t b) {
  std::vector<size_t> order(tensor.dimension_count());
  std::iota(order.begin(), order.end(), size_t{0});
  std::swap(order[a], order[b]);
  return PermutedBy(tensor, order);
}

TensorRef ExpandedTo(const Tensor& tensor, const Ints& asked) {
  if (asked.size() < tensor.dimension_count()) {
    Raise(fmt::format(
        "expand(torch.{}Tensor{{{}}}, size={}): the number of sizes provided ({}) must be greater "
        "or equal to the number of dimensions in the tensor ({})",
        TypeName(tensor.element_type()), Text(tensor.sizes()), Text(asked), asked.size(),
        tensor.dimension_count()));
  }
  Ints sizes = asked;
  Ints strides(sizes.size(), 0);
  const size_t shift = sizes.size() - tensor.dimension_count();
  for (size_t i = sizes.size(); i-- > 0;) {
    if (i < shift) {
      if (sizes[i] < 0) {
        Raise(fmt::format(
            "The expanded size of the tensor ({}) isn't allowed in a leading, non-existing "
            "dimension {}",
            sizes[i], i));
      }
      continue;
    }
    const int64_t own = tensor.sizes()[i - shift];
    if (sizes[i] == -1) sizes[i] = own;
    if (own == sizes[i]) {
      strides[i] = tensor.strides()[i - shift];
    } else if (own != 1 || sizes[i] < 0) {
      Raise(
          fmt::format("The expanded size of the tensor ({}) must match the existing size ({}) at "
                      "non-singleton dimension {}.  Target sizes: {}.  Tensor sizes: {}",
                      sizes[i], own, i, Text(asked), Text(tensor.sizes())));
    }
  }
  return ViewOf(tensor, sizes, strides, tensor.first_element());
}

namespace {

// PyTorch leaves out tensors without elements that have one dimension.
bool IsSkipped(const Tensor& part) {
  return part.dimension_count() == 1 && part.size(0) == 0;
}

void CheckPart(const Tensor& part, const Ints& sizes, size_t at, size_t number) {
  if (part.dimension_count() != sizes.size()) {
    Raise(fmt::format("Tensors must have same number of dimensions: got {} and {}", sizes.size(),
                      part.dimension_count()));
  }
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (d == at || part.sizes()[d] == sizes[d]) continue;
    Raise(fmt::format(
        "Sizes of tensors must match except in dimension {}. Expected size {} but got size {} for "
        "tensor number {} in the list.",
        at, sizes[d], part.sizes()[d], number));
  }
}

}  // namespace

TensorRef Joined(const std::vector<TensorRef>& parts, int64_t dimension) {
  if (parts.empty()) Raise("torch.cat(): expected a non-empty list of Tensors");
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i]->dimension_count() == 0) {
      Raise(fmt::format("zero-dimensional tensor (at position {}) cannot be concatenated", i));
    }
  }
  const auto lead = std::find_if(parts.begin(), parts.end(),
                                 [](const TensorRef& part) { return !IsSkipped(*part); });
  const Tensor& first = lead == parts.end() ? *parts[0] : **lead;
  const size_t at = WrapDimension(dimension, first.dimension_count());
  Ints sizes = Sizes(first);
  sizes[at] = 0;
  ElementType type = parts[0]->element_type();
  for (size_t i = 0; i < parts.size(); ++i) {
    type = Promote(type, parts[i]->element_type());
    if (IsSkipped(*parts[i])) continue;
    CheckPart(*parts[i], sizes, at, i);
    sizes[at] += parts[i]->sizes()[at];
  }
  TensorRef result = New(type, sizes);
  int64_t start = 0;
  for (const TensorRef& part : parts) {
    if (IsSkipped(*part)) continue;
    const int64_t length = part->sizes()[at];
    CopyInto(*Narrowed(*result, at, start, length), *part);
    start += length;
  }
  return result;
}

TensorRef PaddedBy(const Tensor& tensor, const Ints& sides, Scalar value) {
  const size_t count = tensor.dimension_count();
  if (sides.size() % 2 != 0) {
    Raise("Length of pad must be even but instead it equals " + std::to_string(sides.size()));
  }
  if (count < sides.size() / 2) {
    Raise(fmt::format(
        "Length of pad should be no more than twice the number of dimensions of the input. Pad "
        "length is {}while the input has {}dimensions.",
        sides.size(), count));
  }
  Ints sizes = Sizes(tensor);
  TensorRef source = Share(tensor);
  std::vector<int64_t> starts(count, 0);
  for (size_t i = 0; i < sides.size() / 2; ++i) {
    const size_t d = count - 1 - i;
    const int64_t before = sides[2 * i];
    const int64_t behind = sides[2 * i + 1];
    int64_t size = 0;
    if (__builtin_add_overflow(before, behind, &size) ||
        __builtin_add_overflow(size, sizes[d], &size)) {
      Raise("pad: numbers are too large");
    }
    if (size < 0) {
      Raise(fmt::format(
          "The input size {}, plus negative padding {} and {} resulted in a negative output size, "
          "which is invalid. Check dimension {} of your input.",
          sizes[d], before, behind, d));
    }
    const int64_t cut_before = std::min(std::max<int64_t>(-before, 0), sizes[d]);
    const int64_t cut_behind = std::min(std::max<int64_t>(-behind, 0), sizes[d] - cut_before);
    source = Narrowed(*source, d, cut_before, sizes[d] - cut_before - cut_behind);
    starts[d] = std::max<int64_t>(before, 0);
    sizes[d] = size;
  }
  TensorRef result = Filled(tensor.element_type(), sizes, value);
  TensorRef inside = result;
  for (size_t d = 0; d < count; ++d) {
    if (starts[d] + source->sizes()[d] > sizes[d]) return result;  // nothing is left of the input
    inside = Narrowed(*inside, d, starts[d], source->sizes()[d]);
  }
  CopyInto(*inside, *source);
  return result;
}

}  // namespace handrail::kernels
