// Operators that take elements out of tensors, or put them in, at places that tensors name.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "kernels/compose.h"
#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/indexing.h"
#include "kernels/views.h"

namespace handrail::kernels {

namespace {

// The part of `plan.source` that one place of the index stands for.
TensorRef PartAt(const IndexPlan& plan, size_t place) {
  const auto sizes = plan.source->sizes().subspan(plan.indexed);
  const auto strides = plan.source->strides().subspan(plan.indexed);
  const bool is_empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  return ViewOf(*plan.source, sizes, strides,
                plan.source->first_element() + (is_empty ? 0 : plan.offsets[place]));
}
// The index's dimensions first, then the others.
Ints IndexedSizes(const IndexPlan& plan) {
  Ints sizes = plan.index_sizes;
  const auto rest = plan.source->sizes().subspan(plan.indexed);
  sizes.insert(sizes.end(), rest.begin(), rest.end());
  return sizes;
}
// `tensor` with its first `count` dimensions moved behind the next `before`.
TensorRef MovedBehind(const Tensor& tensor, size_t count, size_t before) {
  std::vector<size_t> order;
  for (size_t d = 0; d < before; ++d) order.push_back(count + d);
  for (size_t d = 0; d < count; ++d) order.push_back(d);
  for (size_t d = count + before; d < tensor.dimension_count(); ++d) order.push_back(d);
  return PermutedBy(tensor, order);
}

TensorRef Index(const Tensor& self, List& indices) {
  const IndexPlan plan = PlanIndex(self, indices);
  TensorRef result = New(self.element_type(), IndexedSizes(plan));
  const auto rest = plan.source->sizes().subspan(plan.indexed);
  if (rest.empty()) {
    // One element a place: no views are needed.
    const int64_t bytes = self.element_bytes();
    std::byte* out = result->mutable_bytes();
    for (const int64_t offset : plan.offsets) {
      std::memcpy(out, self.bytes() + offset * bytes, static_cast<size_t>(bytes));
      out += bytes;
    }
  } else {
    const Ints rows_sizes = [&] {
      Ints sizes = {static_cast<int64_t>(plan.offsets.size())};
      sizes.insert(sizes.end(), rest.begin(), rest.end());
      return sizes;
    }();
    const TensorRef rows = Reshaped(*result, rows_sizes);
    for (size_t i = 0; i < plan.offsets.size(); ++i) {
      CopyInto(*Selected(*rows, 0, static_cast<int64_t>(i)), *PartAt(plan, i));
    }
  }
  return MovedBehind(*result, plan.index_sizes.size(), plan.before);
}

TensorRef PutAt(Tensor& self, List& indices, const Tensor& values, bool accumulates) {
  if (self.element_type() != values.element_type()) {
    Raise(fmt::format(
        "Index put requires the source and destination dtypes match, got {} for the destination "
        "and {} for the source.",
        TypeName(self.element_type()), TypeName(values.element_type())));
  }
  const IndexPlan plan = PlanIndex(self, indices);
  // The values as the subscript's result is laid out, then with the index's dimensions first.
  const Ints sizes = Sizes(*MovedBehind(*New(ElementType::kBool, IndexedSizes(plan)),
                                        plan.index_sizes.size(), plan.before));
  const auto own = values.sizes();
  bool fits = own.size() <= sizes.size();
  for (size_t i = 0; fits && i < own.size(); ++i) {
    const int64_t size = own[own.size() - 1 - i];
    fits = size == 1 || size == sizes[sizes.size() - 1 - i];
  }
  if (!fits) {
    Raise("shape mismatch: value tensor of shape " + Text(own) +
          " cannot be broadcast to indexing result of shape " + Text(sizes));
  }
  const TensorRef wide = ExpandedTo(values, sizes);
  const TensorRef first = MovedBehind(*wide, plan.before, plan.index_sizes.size());
  Ints rows_sizes = {static_cast<int64_t>(plan.offsets.size())};
  const auto rest = plan.source->sizes().subspan(plan.indexed);
  rows_sizes.insert(rows_sizes.end(), rest.begin(), rest.end());
  const TensorRef rows = Reshaped(*Contiguous(*first), rows_sizes);
  for (size_t i = 0; i < plan.offsets.size(); ++i) {
    const TensorRef part = PartAt(plan, i);
    const TensorRef row = Selected(*rows, 0, static_cast<int64_t>(i));
    CopyInto(*part, accumulates ? *Sum(*part, *row) : *row);
  }
  return Share(self);
}
TensorRef Put(const Tensor& self, List& indices, const Tensor& values, bool accumulates) {
  TensorRef result = As(*Contiguous(self), self.element_type());
  if (result.get() == &self) {
    result = New(self.element_type(), self.sizes());
    CopyInto(*result, self);
  }
  return PutAt(*result, indices, values, accumulates);
}

void CheckIndexType(const Tensor& index) {
  if (index.element_type() != ElementType::kInt64 && index.element_type() != ElementType::kInt32) {
    Raise("index_select(): Expected dtype int32 or int64 for index");
  }
}
TensorRef IndexSelect(const Tensor& self, int64_t dimension, const Tensor& index) {
  const size_t at = WrapDimension(dimension, self.dimension_count());
  if (index.dimension_count() > 1) Raise("index_select(): Index is supposed to be a vector");
  CheckIndexType(index);
  if (self.dimension_count() == 0) {
    return ReshapedTo(*Taken(*Unsqueezed(self, 0), 0, index), {});
  }
  return Taken(self, at, index);
}

// Calls `each(place in index, place in self)`, both counted in contiguous elements.
template <typename Each>
void ForEachPlace(const Tensor& self, size_t at, const Tensor& index, Each&& each) {
  const TensorRef places = As(index, ElementType::kInt64);
  Ints steps(self.dimension_count());
  int64_t step = 1;
  for (size_t d = steps.size(); d-- > 0;) {
    steps[d] = step;
    step *= self.sizes()[d];
  }
  for (int64_t i = 0; i < index.element_count(); ++i) {
    const int64_t place = places->data<int64_t>()[i];
    if (place < 0 || place >= self.sizes()[at]) {
      Raise(fmt::format("index {} is out of bounds for dimension {} with size {}", place, at,
                        self.sizes()[at]));
    }
    int64_t rest = i;
    int64_t target = place * steps[at];
    for (size_t d = steps.size(); d-- > 0;) {
      if (d != at) target += rest % index.sizes()[d] * steps[d];
      rest /= index.sizes()[d];
    }
    each(i, target);
  }
}
size_t CheckedScatter(std::string_view name, const Tensor& self, int64_t dimension,
                      const Tensor& index, const Tensor* source) {
  const size_t at = WrapDimension(dimension, self.dimension_count());
  if (index.element_type() != ElementType::kInt64) {
    Raise(fmt::format("{}(): Expected dtype int64 for index", name));
  }
  const bool is_gather = source == nullptr && name == "gather";
  bool fits = index.dimension_count() == self.dimension_count();
  for (size_t d = 0; fits && d < self.dimension_count(); ++d) {
    fits = d == at || index.sizes()[d] <= self.sizes()[d];
    if (source != nullptr) {
      fits = fits && source->dimension_count() == self.dimension_count() &&
             index.sizes()[d] <= source->sizes()[d];
    }
  }
  if (!fits && index.element_count() != 0) {
    Raise(is_gather ? "Index tensor must have the same number of dimensions as input tensor"
                    : "Expected index " + Text(index.sizes()) + " to be smaller than self " +
                          Text(self.sizes()) + " apart from dimension " + std::to_string(at));
  }
  return at;
}
TensorRef Gather(const Tensor& self, int64_t dimension, const Tensor& index, bool /*sparse*/) {
  const size_t at = CheckedScatter("gather", self, dimension, index, nullptr);
  if (self.dimension_count() == 0) return Contiguous(self);
  const TensorRef source = Contiguous(self);
  TensorRef result = New(self.element_type(), index.sizes());
  const size_t bytes = self.element_bytes();
  std::byte* out = result->mutable_bytes();
  ForEachPlace(self, at, index, [&](int64_t i, int64_t target) {
    std::memcpy(out + static_cast<size_t>(i) * bytes,
                source->bytes() + static_cast<size_t>(target) * bytes, bytes);
  });
  return result;
}
TensorRef Copied(const Tensor& self) {
  TensorRef result = New(self.element_type(), self.sizes());
  CopyInto(*result, self);
  return result;
}
template <bool kAdds>
TensorRef Scatter(const Tensor& self, int64_t dimension, const Tensor& index,
                  const Tensor& source) {
  const size_t at = CheckedScatter("scatter", self, dimension, index, &source);
  if (self.element_type() != source.element_type()) {
    Raise("scatter(): Expected self.dtype to be equal to src.dtype");
  }
  const ElementType compute = kAdds ? ComputeType(self.element_type()) : self.element_type();
  TensorRef result = Copied(*As(self, compute));
  if (self.dimension_count() == 0) return As(source, self.element_type(), self.sizes());
  TensorRef values = As(source, compute);
  for (size_t d = 0; d < index.dimension_count(); ++d) {
    values = Narrowed(*values, d, 0, index.sizes()[d]);
  }
  values = Contiguous(*values);
  if constexpr (kAdds) {
    OnComputeType(compute, [&](auto zero) {
      using T = decltype(zero);
      ForEachPlace(self, at, index, [&](int64_t i, int64_t target) {
        result->mutable_data<T>()[target] += values->data<T>()[i];
      });
    });
  } else {
    const size_t bytes = self.element_bytes();
    ForEachPlace(self, at, index, [&](int64_t i, int64_t target) {
      std::memcpy(result->mutable_bytes() + static_cast<size_t>(target) * bytes,
                  values->bytes() + static_cast<size_t>(i) * bytes, bytes);
    });
  }
  return As(*result, self.element_type());
}
TensorRef ScatterNumber(const Tensor& self, int64_t dimension, const Tensor& index, Scalar value) {
  return Scatter<false>(self, dimension, index, *Filled(self.element_type(), index.sizes(), value));
}
template <auto F, typename... Rest>
TensorRef InPlace(Tensor& self, int64_t dimension, const Tensor& index, Rest... rest) {
  CopyInto(self, *F(self, dimension, index, rest...));
  return Share(self);
}

TensorRef MaskedSelect(const Tensor& self, const Tensor& mask) {
  if (mask.element_type() != ElementType::kBool && mask.element_type() != ElementType::kUint8) {
    Raise("masked_select: expected BoolTensor or ByteTensor for mask");
  }
  const Ints sizes = Broadcast(self.sizes(), mask.sizes());
  const TensorRef wide = As(self, self.element_type(), sizes);
  const TensorRef flat = Reshaped(*wide, Ints{wide->element_count()});
  const TensorRef chosen = As(mask, ElementType::kBool, sizes);
  const TensorRef places = NonzeroPlaces(*Reshaped(*chosen, flat->sizes()));
  return Taken(*flat, 0, *Selected(*places, 1, 0));
}
TensorRef Nonzero(const Tensor& self) {
  return NonzeroPlaces(self);
}

TensorRef Embedding(const Tensor& weight, const Tensor& index, int64_t /*padding*/, bool /*scale*/,
                    bool /*sparse*/) {
  if (weight.dimension_count() != 2) Raise("'weight' must be 2-D");
  if (index.element_type() != ElementType::kInt64 && index.element_type() != ElementType::kInt32) {
    Raise(
        fmt::format("Expected tensor for argument #1 'indices' to have one of the following "
                    "scalar types: Long, Int; but got torch.{}Tensor instead (while checking "
                    "arguments for embedding)",
                    TypeName(index.element_type())));
  }
  const Ints flat = {index.element_count()};
  Ints sizes = Sizes(index);
  sizes.push_back(weight.size(1));
  return Reshaped(*Taken(weight, 0, *Reshaped(index, flat)), sizes);
}

// Sums or means of rows of `weight`; a bag begins at each offset.
std::tuple<TensorRef, TensorRef, TensorRef, TensorRef> EmbeddingBag(
    const Tensor& weight, const Tensor& index, const Tensor& offsets, bool /*scale*/, int64_t mode,
    bool /*sparse*/, const Tensor* sample_weights, bool includes_last,
    std::optional<int64_t> padding) {
  if (sample_weights != nullptr || padding || mode < 0 || mode > 1) {
    Raise("embedding_bag: there is a kernel for plain sums and means alone");
  }
  const TensorRef starts = As(offsets, ElementType::kInt64);
  const int64_t bags = offsets.element_count() - (includes_last ? 1 : 0);
  const TensorRef rows = As(*Embedding(weight, index, -1, false, false), ElementType::kFloat64);
  const int64_t width = weight.size(1);
  const Ints sizes = {std::max<int64_t>(bags, 0), width};
  TensorRef sums = Filled(ElementType::kFloat64, sizes, {});
  const Ints bag_sizes = {std::max<int64_t>(bags, 0)};
  TensorRef counts = Filled(ElementType::kInt64, bag_sizes, {});
  const Ints index_sizes = {mode == 0 ? 0 : index.element_count()};
  TensorRef bag_of = Filled(ElementType::kInt64, index_sizes, {});
  for (int64_t bag = 0; bag < bags; ++bag) {
    const int64_t first = starts->data<int64_t>()[bag];
    const int64_t last = bag + 1 < offsets.element_count() ? starts->data<int64_t>()[bag + 1]
                                                           : index.element_count();
    if (first < 0 || last > index.element_count() || (bag == 0 && first != 0)) {
      Raise(
          "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
          "position 0.");
    }
    double* sum = sums->mutable_data<double>() + bag * width;
    for (int64_t i = first; i < last; ++i) {
      if (mode == 1) bag_of->mutable_data<int64_t>()[i] = bag;
      for (int64_t x = 0; x < width; ++x) sum[x] += rows->data<double>()[i * width + x];
    }
    counts->mutable_data<int64_t>()[bag] = std::max<int64_t>(last - first, 0);
    for (int64_t x = 0; mode == 1 && last > first && x < width; ++x) {
      sum[x] /= static_cast<double>(last - first);
    }
  }
  return {As(*sums, weight.element_type()), bag_of, counts, Contiguous(offsets)};
}

constexpr KernelRow kRows[] = {
    Row<&Index>("aten::index.Tensor"),
    Row<&PutAt>("aten::index_put_"),
    Row<&Put>("aten::index_put"),
    Row<&IndexSelect>("aten::index_select"),
    Row<&Gather>("aten::gather"),
    Row<&Scatter<false>>("aten::scatter.src"),
    Row<&ScatterNumber>("aten::scatter.value"),
    Row<&Scatter<true>>("aten::scatter_add"),
    Row<&InPlace<&Scatter<false>, const Tensor&>>("aten::scatter_.src"),
    Row<&InPlace<&ScatterNumber, Scalar>>("aten::scatter_.value"),
    Row<&InPlace<&Scatter<true>, const Tensor&>>("aten::scatter_add_"),
    Row<&MaskedSelect>("aten::masked_select"),
    Row<&Nonzero>("aten::nonzero"),
    Row<&Embedding>("aten::embedding"),
    Row<&EmbeddingBag>("aten::embedding_bag.padding_idx"),
};

}  // namespace

std::span<const KernelRow> IndexingKernels() {
  return kRows;
}

}  // namespace handrail::kernels
