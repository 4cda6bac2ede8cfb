// Sums and means over dimensions.
#include <cmath>

#include "kernels/elements.h"
#include "kernels/families.h"

namespace handrail::kernels {

namespace {

// Sums over the given dimensions, all if none are named, and tells how many elements each sum has.
std::pair<TensorRef, int64_t> Sum(const Tensor& self, const Ints& dimensions, bool keeps,
                                  ElementType compute) {
  std::vector<bool> is_summed(self.dimension_count(), dimensions.empty());
  for (int64_t dimension : dimensions) {
    const size_t at = WrapDimension(dimension, self.dimension_count());
    if (self.dimension_count() != 0) is_summed[at] = true;
  }
  Ints kept;
  Ints sizes;
  int64_t count = 1;
  for (size_t i = 0; i < is_summed.size(); ++i) {
    kept.push_back(is_summed[i] ? 1 : self.sizes()[i]);
    if (is_summed[i]) count *= self.sizes()[i];
    if (!is_summed[i] || keeps) sizes.push_back(kept.back());
  }
  Ints strides(kept.size());
  int64_t step = 1;
  for (size_t i = kept.size(); i-- > 0;) {
    strides[i] = is_summed[i] ? 0 : step;
    step *= kept[i];
  }
  TensorRef out = Filled(compute, sizes, {});
  const TensorRef in = As(self, compute);
  OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    std::vector<double> sums(static_cast<size_t>(out->element_count()), 0);
    std::vector<uint64_t> integers(static_cast<size_t>(out->element_count()), 0);
    Ints index(kept.size(), 0);
    int64_t at = 0;
    for (int64_t i = 0; i < self.element_count(); ++i) {
      const T value = in->data<T>()[i];
      if constexpr (std::is_integral_v<T>) {
        integers[static_cast<size_t>(at)] += static_cast<uint64_t>(value);
      } else {
        sums[static_cast<size_t>(at)] += static_cast<double>(value);
      }
      for (size_t d = kept.size(); d-- > 0;) {
        at += strides[d];
        if (++index[d] < self.sizes()[d]) break;
        at -= strides[d] * self.sizes()[d];
        index[d] = 0;
      }
    }
    for (size_t i = 0; i < sums.size(); ++i) {
      out->mutable_data<T>()[i] =
          std::is_integral_v<T> ? static_cast<T>(integers[i]) : static_cast<T>(sums[i]);
    }
  });
  return {out, count};
}

TensorRef SumOver(const Tensor& self, const std::optional<Ints>& dimensions, bool keeps,
                  std::optional<int64_t> type) {
  const ElementType result =
      type ? CheckedType(*type)
           : (IsFloating(self.element_type()) ? self.element_type() : ElementType::kInt64);
  const TensorRef sum =
      Sum(self, dimensions ? *dimensions : Ints(), keeps, ComputeType(result)).first;
  return As(*sum, result);
}
TensorRef SumAll(const Tensor& self, std::optional<int64_t> type) {
  return SumOver(self, std::nullopt, false, type);
}
TensorRef MeanOver(const Tensor& self, const std::optional<Ints>& dimensions, bool keeps,
                   std::optional<int64_t> type) {
  const ElementType result = type ? CheckedType(*type) : self.element_type();
  if (!IsFloating(result)) {
    Raise(
        "mean(): could not infer output dtype. Input dtype must be either a floating point or "
        "complex dtype. Got: " +
        std::string(TypeName(result)));
  }
  const auto [sum, count] =
      Sum(self, dimensions ? *dimensions : Ints(), keeps, ElementType::kFloat64);
  for (int64_t i = 0; i < sum->element_count(); ++i) {
    double& value = sum->mutable_data<double>()[i];
    value = count == 0 ? std::nan("") : value / static_cast<double>(count);
  }
  return As(*sum, result);
}
TensorRef MeanAll(const Tensor& self, std::optional<int64_t> type) {
  return MeanOver(self, std::nullopt, false, type);
}

constexpr KernelRow kRows[] = {
    Row<&SumAll>("aten::sum"),
    Row<&SumOver>("aten::sum.dim_IntList"),
    Row<&MeanAll>("aten::mean"),
    Row<&MeanOver>("aten::mean.dim"),
};

}  // namespace

std::span<const KernelRow> ReductionKernels() {
  return kRows;
}

}  // namespace handrail::kernels
