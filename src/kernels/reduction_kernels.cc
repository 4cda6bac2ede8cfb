// Sums, means, extremes and norms over dimensions.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kernels/families.h"
#include "kernels/operations.h"
#include "kernels/reduction.h"
#include "kernels/views.h"

namespace handrail::kernels {

namespace {

using OptionalInts = std::optional<Ints>;

Ints OrAll(const OptionalInts& dimensions) {
  return dimensions ? *dimensions : Ints();
}

// fold(row, length) of each row, in `compute`; the result has type `result`.
template <typename Fold>
TensorRef Folded(const Tensor& self, const Ints& dimensions, bool keeps, ElementType compute,
                 ElementType result, Fold fold) {
  const Rows rows = RowsOver(self, dimensions, keeps, compute);
  TensorRef out = New(compute, rows.sizes);
  OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    const T* row = rows.elements->data<T>();
    T* sums = out->mutable_data<T>();
    for (int64_t i = 0; i < rows.count; ++i, row += rows.length) {
      sums[i] = static_cast<T>(fold(row, rows.length));
    }
  });
  return As(*out, result);
}

struct AddAll {
  template <typename T>
  auto operator()(const T* row, int64_t length) const {
    std::conditional_t<std::is_integral_v<T>, T, double> sum{};
    for (int64_t i = 0; i < length; ++i) sum = Add()(sum, static_cast<decltype(sum)>(row[i]));
    return sum;
  }
};
struct MultiplyAll {
  template <typename T>
  auto operator()(const T* row, int64_t length) const {
    std::conditional_t<std::is_integral_v<T>, T, double> product{1};
    for (int64_t i = 0; i < length; ++i) {
      product = Multiply()(product, static_cast<decltype(product)>(row[i]));
    }
    return product;
  }
};
// NaN is larger and smaller than all.
template <typename Better>
struct ExtremeOf {
  template <typename T>
  T operator()(const T* row, int64_t length) const {
    return row[PlaceOf(row, length)];
  }
  template <typename T>
  static int64_t PlaceOf(const T* row, int64_t length) {
    int64_t best = 0;
    for (int64_t i = 1; i < length && !IsNan(row[best]); ++i) {
      if (IsNan(row[i]) || Better()(row[i], row[best])) best = i;
    }
    return best;
  }
};
using LargestOf = ExtremeOf<std::greater<>>;
using SmallestOf = ExtremeOf<std::less<>>;

ElementType SumType(const Tensor& self, std::optional<int64_t> type) {
  if (type) return CheckedType(*type);
  return IsFloating(self.element_type()) ? self.element_type() : ElementType::kInt64;
}
template <typename Fold>
TensorRef SumOver(const Tensor& self, const OptionalInts& dimensions, bool keeps,
                  std::optional<int64_t> type) {
  const ElementType result = SumType(self, type);
  return Folded(*As(self, result), OrAll(dimensions), keeps, ComputeType(result), result, Fold());
}
template <typename Fold>
TensorRef SumAll(const Tensor& self, std::optional<int64_t> type) {
  return SumOver<Fold>(self, std::nullopt, false, type);
}
TensorRef ProductOver(const Tensor& self, int64_t dimension, bool keeps,
                      std::optional<int64_t> type) {
  return SumOver<MultiplyAll>(self, Ints{dimension}, keeps, type);
}

TensorRef MeanOver(const Tensor& self, const OptionalInts& dimensions, bool keeps,
                   std::optional<int64_t> type) {
  const ElementType result = type ? CheckedType(*type) : self.element_type();
  if (!IsFloating(result)) {
    Raise(
        "mean(): could not infer output dtype. Input dtype must be either a floating point or "
        "complex dtype. Got: " +
        std::string(TypeName(result)));
  }
  return Folded(self, OrAll(dimensions), keeps, ComputeType(result), result,
                [](const auto* row, int64_t length) {
                  const auto sum = static_cast<double>(AddAll()(row, length));
                  return length == 0 ? std::numeric_limits<double>::quiet_NaN()
                                     : sum / static_cast<double>(length);
                });
}
TensorRef MeanAll(const Tensor& self, std::optional<int64_t> type) {
  return MeanOver(self, std::nullopt, false, type);
}

template <typename Fold>
TensorRef ExtremeOver(std::string_view name, const Tensor& self, const Ints& dimensions,
                      bool keeps) {
  const std::vector<bool> mask = DimensionMask(self, dimensions);
  for (size_t d = 0; d < mask.size(); ++d) {
    if (!mask[d] || self.sizes()[d] != 0) continue;
    if (dimensions.empty()) {
      Raise(
          fmt::format("{}(): Expected reduction dim to be specified for input.numel() == 0. "
                      "Specify the reduction dim with the 'dim' argument.",
                      name));
    }
    Raise(fmt::format("{}(): Expected reduction dim {} to have non-zero size.", name, d));
  }
  const ElementType type = self.element_type();
  return Folded(self, dimensions, keeps, ComputeType(type), type, Fold());
}
template <typename Fold>
TensorRef ExtremeOfAll(const Tensor& self) {
  constexpr std::string_view kName = std::is_same_v<Fold, LargestOf> ? "max" : "min";
  return ExtremeOver<Fold>(kName, self, {}, false);
}
template <typename Fold>
TensorRef ExtremeOverAny(const Tensor& self, const Ints& dimensions, bool keeps) {
  constexpr std::string_view kName = std::is_same_v<Fold, LargestOf> ? "amax" : "amin";
  return ExtremeOver<Fold>(kName, self, dimensions, keeps);
}
template <typename Fold>
TensorRef PlaceOfExtreme(const Tensor& self, int64_t dimension, bool keeps, std::string_view name) {
  const size_t at = WrapDimension(dimension, self.dimension_count());
  if (self.dimension_count() != 0 && self.sizes()[at] == 0) {
    Raise(fmt::format("{}(): Expected reduction dim {} to have non-zero size.", name, at));
  }
  const ElementType compute = ComputeType(self.element_type());
  const Rows rows = RowsOver(self, Ints{dimension}, keeps, compute);
  TensorRef out = New(ElementType::kInt64, rows.sizes);
  OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < rows.count; ++i) {
      out->mutable_data<int64_t>()[i] =
          Fold::PlaceOf(rows.elements->data<T>() + i * rows.length, rows.length);
    }
  });
  return out;
}
template <typename Fold>
std::tuple<TensorRef, TensorRef> ExtremeAndPlace(const Tensor& self, int64_t dimension,
                                                 bool keeps) {
  constexpr std::string_view kName = std::is_same_v<Fold, LargestOf> ? "max" : "min";
  TensorRef places = PlaceOfExtreme<Fold>(self, dimension, keeps, kName);
  return {ExtremeOver<Fold>(kName, self, {dimension}, keeps), std::move(places)};
}
template <typename Fold>
TensorRef PlaceOver(const Tensor& self, std::optional<int64_t> dimension, bool keeps) {
  constexpr std::string_view kName = std::is_same_v<Fold, LargestOf> ? "argmax" : "argmin";
  if (dimension) return PlaceOfExtreme<Fold>(self, *dimension, keeps, kName);
  if (self.element_count() == 0) {
    Raise(
        fmt::format("{}(): Expected reduction dim to be specified for input.numel() == 0. "
                    "Specify the reduction dim with the 'dim' argument.",
                    kName));
  }
  const TensorRef flat = ReshapedTo(self, {self.element_count()});
  TensorRef place = PlaceOfExtreme<Fold>(*flat, 0, false, kName);
  return keeps ? Reshaped(*place, Ints(self.dimension_count(), 1)) : place;
}

// Bytes stay bytes, as in PyTorch.
ElementType TruthType(const Tensor& self) {
  return self.element_type() == ElementType::kUint8 ? ElementType::kUint8 : ElementType::kBool;
}
template <bool kAll>
TensorRef TruthOver(const Tensor& self, const Ints& dimensions, bool keeps) {
  const TensorRef truth = As(self, ElementType::kBool);
  return Folded(*truth, dimensions, keeps, ElementType::kInt64, TruthType(self),
                [](const auto* row, int64_t length) {
                  for (int64_t i = 0; i < length; ++i) {
                    if ((row[i] != 0) != kAll) return kAll ? 0 : 1;
                  }
                  return kAll ? 1 : 0;
                });
}
template <bool kAll>
TensorRef TruthOfAll(const Tensor& self) {
  return TruthOver<kAll>(self, {}, false);
}
template <bool kAll>
TensorRef TruthOverOne(const Tensor& self, int64_t dimension, bool keeps) {
  return TruthOver<kAll>(self, {dimension}, keeps);
}

double VarianceOf(const double* row, int64_t length, int64_t correction) {
  const double mean = AddAll()(row, length) / static_cast<double>(length);
  double sum = 0;
  for (int64_t i = 0; i < length; ++i) sum += (row[i] - mean) * (row[i] - mean);
  const auto divisor = static_cast<double>(std::max<int64_t>(length - correction, 0));
  return divisor == 0 ? (sum == 0 ? std::numeric_limits<double>::quiet_NaN()
                                  : std::numeric_limits<double>::infinity())
                      : sum / divisor;
}
template <bool kRoot>
TensorRef Variance(const Tensor& self, const OptionalInts& dimensions,
                   std::optional<int64_t> correction, bool keeps) {
  if (!IsFloating(self.element_type())) {
    Raise("std and var only support floating point and complex dtypes");
  }
  const Rows rows = RowsOver(self, OrAll(dimensions), keeps, ElementType::kFloat64);
  TensorRef out = New(ElementType::kFloat64, rows.sizes);
  for (int64_t i = 0; i < rows.count; ++i) {
    const double variance = VarianceOf(rows.elements->data<double>() + i * rows.length, rows.length,
                                       correction.value_or(1));
    out->mutable_data<double>()[i] = kRoot ? std::sqrt(variance) : variance;
  }
  return As(*out, self.element_type());
}
template <bool kRoot>
TensorRef VarianceOver(const Tensor& self, const OptionalInts& dimensions, bool is_unbiased,
                       bool keeps) {
  return Variance<kRoot>(self, dimensions, is_unbiased ? 1 : 0, keeps);
}
template <bool kRoot>
TensorRef VarianceOfAll(const Tensor& self, bool is_unbiased) {
  return Variance<kRoot>(self, std::nullopt, is_unbiased ? 1 : 0, false);
}

double NormOf(const double* row, int64_t length, double power) {
  double sum = 0;
  if (std::isinf(power)) {
    for (int64_t i = 0; i < length; ++i) sum = Larger()(sum, std::fabs(row[i]));
    return sum;
  }
  for (int64_t i = 0; i < length; ++i) {
    const double x = std::fabs(row[i]);
    sum += power == 0 ? (x != 0 ? 1 : 0) : (power == 2 ? x * x : std::pow(x, power));
  }
  return power == 0 ? sum : (power == 2 ? std::sqrt(sum) : std::pow(sum, 1 / power));
}
TensorRef NormOver(const Tensor& self, std::optional<Scalar> power, const Ints& dimensions,
                   bool keeps) {
  if (!IsFloating(self.element_type())) {
    Raise("norm(): input dtype should be either floating point or complex. Got " +
          std::string(TypeName(self.element_type())) + " instead.");
  }
  const double p = power ? power->number : 2;
  if (std::isinf(p) && p < 0) Raise("norm: there is no kernel for the smallest element");
  return As(*Folded(*As(self, ElementType::kFloat64), dimensions, keeps, ElementType::kFloat64,
                    ElementType::kFloat64,
                    [p](const auto* row, int64_t length) {
                      if constexpr (std::is_same_v<decltype(row), const double*>) {
                        return NormOf(row, length, p);
                      } else {
                        return 0.0;
                      }
                    }),
            self.element_type());
}
TensorRef NormOfAll(const Tensor& self, Scalar power) {
  return NormOver(self, power, {}, false);
}
TensorRef LogarithmOfSum(const Tensor& self, const Ints& dimensions, bool keeps) {
  const ElementType type = FloatingType(self.element_type());
  return As(*Folded(*As(self, ElementType::kFloat64), dimensions, keeps, ElementType::kFloat64,
                    ElementType::kFloat64,
                    [](const auto* row, int64_t length) {
                      if (length == 0) return -std::numeric_limits<double>::infinity();
                      const auto largest = static_cast<double>(LargestOf()(row, length));
                      if (std::isinf(largest)) return largest;
                      double sum = 0;
                      for (int64_t i = 0; i < length; ++i) {
                        sum += std::exp(static_cast<double>(row[i]) - largest);
                      }
                      return largest + std::log(sum);
                    }),
            type);
}

template <typename Op>
TensorRef Accumulated(const Tensor& self, int64_t dimension, std::optional<int64_t> type) {
  const ElementType result = SumType(self, type);
  const ElementType compute = ComputeType(result);
  const Lines lines = LinesAlong(*As(self, result), dimension, compute);
  TensorRef out = New(compute, lines.elements->sizes());
  OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    using Wide = std::conditional_t<std::is_integral_v<T>, T, double>;
    for (int64_t i = 0; i < lines.count; ++i) {
      const T* x = lines.elements->data<T>() + i * lines.length;
      T* y = out->mutable_data<T>() + i * lines.length;
      Wide total = std::is_same_v<Op, Add> ? Wide{0} : Wide{1};
      for (int64_t k = 0; k < lines.length; ++k) {
        total = Op()(total, static_cast<Wide>(x[k]));
        y[k] = static_cast<T>(total);
      }
    }
  });
  const TensorRef placed = PutBack(*As(*out, result), lines.dimension);
  return self.dimension_count() == 0 ? Reshaped(*placed, {}) : placed;
}

constexpr KernelRow kRows[] = {
    Row<&SumAll<AddAll>>("aten::sum"),
    Row<&SumOver<AddAll>>("aten::sum.dim_IntList"),
    Row<&SumAll<MultiplyAll>>("aten::prod"),
    Row<&ProductOver>("aten::prod.dim_int"),
    Row<&MeanAll>("aten::mean"),
    Row<&MeanOver>("aten::mean.dim"),
    Row<&ExtremeOfAll<LargestOf>>("aten::max"),
    Row<&ExtremeOfAll<SmallestOf>>("aten::min"),
    Row<&ExtremeAndPlace<LargestOf>>("aten::max.dim"),
    Row<&ExtremeAndPlace<SmallestOf>>("aten::min.dim"),
    Row<&ExtremeOverAny<LargestOf>>("aten::amax"),
    Row<&ExtremeOverAny<SmallestOf>>("aten::amin"),
    Row<&PlaceOver<LargestOf>>("aten::argmax"),
    Row<&PlaceOver<SmallestOf>>("aten::argmin"),
    Row<&TruthOfAll<false>>("aten::any"),
    Row<&TruthOfAll<true>>("aten::all"),
    Row<&TruthOverOne<false>>("aten::any.dim"),
    Row<&TruthOverOne<true>>("aten::all.dim"),
    Row<&VarianceOfAll<false>>("aten::var"),
    Row<&VarianceOfAll<true>>("aten::std"),
    Row<&VarianceOver<false>>("aten::var.dim"),
    Row<&VarianceOver<true>>("aten::std.dim"),
    Row<&Variance<false>>("aten::var.correction"),
    Row<&Variance<true>>("aten::std.correction"),
    Row<&NormOver>("aten::norm.ScalarOpt_dim"),
    Row<&NormOfAll>("aten::norm.Scalar"),
    Row<&LogarithmOfSum>("aten::logsumexp"),
    Row<&Accumulated<Add>>("aten::cumsum"),
    Row<&Accumulated<Multiply>>("aten::cumprod"),
};

}  // namespace

TensorRef SummedOver(const Tensor& self, const Ints& dimensions) {
  return dimensions.empty() ? Share(self) : SumOver<AddAll>(self, dimensions, false, std::nullopt);
}

std::span<const KernelRow> ReductionKernels() {
  return kRows;
}

}  // namespace handrail::kernels
