#include "kernels/indexing.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "kernels/elements.h"
#include "kernels/views.h"

namespace handrail::kernels {

namespace {

// The indices that the elements of a list stand for: None is a null reference, and a tensor of
// bools becomes one index for each of its dimensions.
std::vector<TensorRef> Expanded(const Tensor& tensor, const List& indices) {
  std::vector<TensorRef> result;
  for (const Value& value : indices.elements) {
    if (value.is_none()) {
      result.emplace_back();
      continue;
    }
    const Tensor& index = Unbox<Tensor&>::From(value);
    const ElementType type = index.element_type();
    if (type != ElementType::kBool && type != ElementType::kUint8) {
      if (type != ElementType::kInt64) {
        Raise("tensors used as indices must be long, byte or bool tensors");
      }
      result.push_back(Share(index));
      continue;
    }
    for (uint32_t d = 0; d < index.dimension_count(); ++d) {
      const size_t at = result.size();
      if (at >= tensor.dimension_count() || index.size(d) != tensor.sizes()[at]) {
        Raise(fmt::format(
            "The shape of the mask {} at index {} does not match the shape of the indexed tensor "
            "{} at index {}",
            Text(index.sizes()), d, Text(tensor.sizes()), result.size()));
      }
      result.emplace_back();
    }
    const TensorRef places = NonzeroPlaces(index);
    for (uint32_t d = 0; d < index.dimension_count(); ++d) {
      result[result.size() - index.dimension_count() + d] = Selected(*places, 1, d);
    }
  }
  return result;
}

}  // namespace

TensorRef NonzeroPlaces(const Tensor& tensor) {
  const TensorRef truth = As(tensor, ElementType::kBool);
  const auto* elements = truth->data<uint8_t>();
  int64_t count = 0;
  for (int64_t i = 0; i < tensor.element_count(); ++i) count += elements[i] != 0 ? 1 : 0;
  const Ints sizes = {count, tensor.dimension_count()};
  TensorRef result = New(ElementType::kInt64, sizes);
  auto* out = result->mutable_data<int64_t>();
  for (int64_t i = 0; i < tensor.element_count(); ++i) {
    if (elements[i] == 0) continue;
    int64_t rest = i;
    for (uint32_t d = tensor.dimension_count(); d-- > 0;) {
      out[d] = rest % tensor.size(d);
      rest /= tensor.size(d);
    }
    out += tensor.dimension_count();
  }
  return result;
}

IndexPlan PlanIndex(const Tensor& tensor, const List& indices) {
  std::vector<TensorRef> given = Expanded(tensor, indices);
  if (given.size() > tensor.dimension_count()) {
    Raise(fmt::format("too many indices for tensor of dimension {} (got {})",
                      tensor.dimension_count(), given.size()));
  }
  given.resize(tensor.dimension_count());
  IndexPlan plan;
  std::vector<size_t> order;
  for (size_t d = 0; d < given.size(); ++d) {
    if (given[d]) order.push_back(d);
  }
  if (order.empty()) Raise("index: no index is given");
  plan.indexed = order.size();
  const bool is_adjacent = order.back() - order.front() + 1 == order.size();
  plan.before = is_adjacent ? order.front() : 0;
  Ints& wide = plan.index_sizes;
  for (size_t d : order) {
    const auto own = given[d]->sizes();
    const Ints old = wide;
    wide.assign(std::max(old.size(), own.size()), 1);
    for (size_t i = 0; i < wide.size(); ++i) {
      const int64_t x = i < old.size() ? old[old.size() - 1 - i] : 1;
      const int64_t y = i < own.size() ? own[own.size() - 1 - i] : 1;
      if (x != y && x != 1 && y != 1) {
        std::string shapes;
        for (size_t k : order) shapes += (shapes.empty() ? "" : ", ") + Text(given[k]->sizes());
        Raise("shape mismatch: indexing tensors could not be broadcast together with shapes " +
              shapes);
      }
      wide[wide.size() - 1 - i] = x == 1 ? y : x;
    }
  }
  const size_t indexed = order.size();
  for (size_t d = 0; d < given.size(); ++d) {
    if (!given[d]) order.push_back(d);
  }
  plan.source = PermutedBy(tensor, order);
  const int64_t count = std::accumulate(wide.begin(), wide.end(), int64_t{1}, std::multiplies<>());
  plan.offsets.assign(static_cast<size_t>(count), 0);
  for (size_t i = 0; i < indexed; ++i) {
    const TensorRef places = As(*given[order[i]], ElementType::kInt64, wide);
    const int64_t size = tensor.sizes()[order[i]];
    const int64_t stride = tensor.strides()[order[i]];
    for (int64_t k = 0; k < count; ++k) {
      const int64_t place = places->data<int64_t>()[k];
      if (place < -size || place >= size) {
        Raise(fmt::format("index {} is out of bounds for dimension {} with size {}", place,
                          order[i], size));
      }
      plan.offsets[static_cast<size_t>(k)] += (place < 0 ? place + size : place) * stride;
    }
  }
  return plan;
}

TensorRef Taken(const Tensor& tensor, size_t dimension, const Tensor& index) {
  Ints sizes = Sizes(tensor);
  const int64_t size = sizes[dimension];
  sizes[dimension] = index.element_count();
  const TensorRef source = Contiguous(tensor);
  const TensorRef places = As(index, ElementType::kInt64);
  TensorRef result = New(tensor.element_type(), sizes);
  int64_t outer = 1;
  int64_t inner = tensor.element_bytes();
  for (size_t d = 0; d < sizes.size(); ++d)
    (d < dimension ? outer : inner) *= d == dimension ? 1 : sizes[d];
  std::byte* out = result->mutable_bytes();
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t k = 0; k < index.element_count(); ++k, out += inner) {
      const int64_t place = places->data<int64_t>()[k];
      if (place < 0 || place >= size) Raise("index out of range in self");
      std::copy_n(source->bytes() + (i * size + place) * inner, inner, out);
    }
  }
  return result;
}

}  // namespace handrail::kernels
