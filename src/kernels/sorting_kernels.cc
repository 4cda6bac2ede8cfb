// Operators that put elements in order.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "kernels/families.h"
#include "kernels/operations.h"
#include "kernels/reduction.h"
#include "kernels/views.h"

namespace handrail::kernels {

namespace {

using Pair = std::tuple<TensorRef, TensorRef>;

// The first `kept` of each line, sorted; equal elements keep their order. NaN is the largest.
Pair SortedLines(const Tensor& self, int64_t dimension, bool is_descending, int64_t kept) {
  const ElementType compute = ComputeType(self.element_type());
  const Lines lines = LinesAlong(self, dimension, compute);
  Ints sizes = Sizes(*lines.elements);
  sizes.back() = kept;
  TensorRef values = New(compute, sizes);
  TensorRef places = New(ElementType::kInt64, sizes);
  OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    std::vector<int64_t> order(static_cast<size_t>(lines.length));
    for (int64_t i = 0; i < lines.count; ++i) {
      const T* line = lines.elements->data<T>() + i * lines.length;
      const auto is_less = [line](int64_t a, int64_t b) {
        return line[a] < line[b] || (!IsNan(line[a]) && IsNan(line[b]));
      };
      std::iota(order.begin(), order.end(), int64_t{0});
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return is_descending ? is_less(b, a) : is_less(a, b);
      });
      for (int64_t k = 0; k < kept; ++k) {
        const int64_t place = order[static_cast<size_t>(k)];
        values->mutable_data<T>()[i * kept + k] = line[place];
        places->mutable_data<int64_t>()[i * kept + k] = place;
      }
    }
  });
  TensorRef sorted = PutBack(*As(*values, self.element_type()), lines.dimension);
  TensorRef order = PutBack(*places, lines.dimension);
  if (self.dimension_count() == 0) return {Reshaped(*sorted, {}), Reshaped(*order, {})};
  return {std::move(sorted), std::move(order)};
}
int64_t LengthAlong(const Tensor& self, int64_t dimension) {
  const size_t at = WrapDimension(dimension, self.dimension_count());
  return self.dimension_count() == 0 ? 1 : self.sizes()[at];
}

Pair Sort(const Tensor& self, int64_t dimension, bool is_descending) {
  return SortedLines(self, dimension, is_descending, LengthAlong(self, dimension));
}
Pair SortStably(const Tensor& self, std::optional<bool> /*stable*/, int64_t dimension,
                bool is_descending) {
  return Sort(self, dimension, is_descending);
}
TensorRef Order(const Tensor& self, int64_t dimension, bool is_descending) {
  return std::get<1>(Sort(self, dimension, is_descending));
}
Pair Top(const Tensor& self, int64_t count, int64_t dimension, bool is_largest,
         bool /*is_sorted*/) {
  if (count < 0 || count > LengthAlong(self, dimension)) {
    Raise("selected index k out of range");
  }
  return SortedLines(self, dimension, is_largest, self.dimension_count() == 0 ? 1 : count);
}

// The different elements, sorted; for each element which of them it is; and how many of each.
std::tuple<TensorRef, TensorRef, TensorRef> Unique(const Tensor& self, bool /*is_sorted*/,
                                                   bool gives_places, bool gives_counts) {
  const TensorRef flat = ReshapedTo(self, {self.element_count()});
  const auto values_and_order = Sort(*flat, 0, false);
  const TensorRef& order = std::get<1>(values_and_order);
  const ElementType compute = ComputeType(self.element_type());
  const TensorRef sorted = As(*std::get<0>(values_and_order), compute);
  Ints firsts;
  TensorRef places = New(ElementType::kInt64, self.sizes());
  OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    const T* x = sorted->data<T>();
    for (int64_t i = 0; i < self.element_count(); ++i) {
      if (i == 0 || x[i] != x[i - 1]) firsts.push_back(i);
      places->mutable_data<int64_t>()[order->data<int64_t>()[i]] =
          static_cast<int64_t>(firsts.size()) - 1;
    }
  });
  const Ints count = {static_cast<int64_t>(firsts.size())};
  TensorRef unique = New(compute, count);
  TensorRef counts = New(ElementType::kInt64, count);
  for (size_t i = 0; i < firsts.size(); ++i) {
    const int64_t end = i + 1 < firsts.size() ? firsts[i + 1] : self.element_count();
    counts->mutable_data<int64_t>()[i] = end - firsts[i];
    CopyInto(*Selected(*unique, 0, static_cast<int64_t>(i)), *Selected(*sorted, 0, firsts[i]));
  }
  const TensorRef none = New(ElementType::kInt64, Ints{0});
  return {As(*unique, self.element_type()), gives_places ? places : none,
          gives_counts ? counts : none};
}

constexpr KernelRow kRows[] = {
    Row<&Sort>("aten::sort"), Row<&SortStably>("aten::sort.stable"), Row<&Order>("aten::argsort"),
    Row<&Top>("aten::topk"),  Row<&Unique>("aten::_unique2"),
};

}  // namespace

std::span<const KernelRow> SortingKernels() {
  return kRows;
}

}  // namespace handrail::kernels
