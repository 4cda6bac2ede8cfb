// Resizing by the nearest element or by weighing neighbours, one dimension after the other.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/indexing.h"
#include "kernels/views.h"

namespace handrail::kernels {

template <>
struct Unbox<const std::optional<std::vector<double>>&>
    : Unbox<std::optional<std::vector<double>>> {};

namespace {

using OptionalInts = std::optional<Ints>;
using OptionalFloats = std::optional<std::vector<double>>;

struct Target {
  Ints sizes;
  std::vector<double> factors;  // output / input, 0: not given
};
Target TargetOf(const Tensor& input, const OptionalInts& sizes, const OptionalFloats& factors,
                size_t count) {
  if (input.dimension_count() != count + 2) {
    Raise(fmt::format("It is expected input_size equals to {}, but got size {}", count + 2,
                      input.dimension_count()));
  }
  if (sizes.has_value() == factors.has_value()) {
    Raise("Must specify exactly one of output_size and scale_factors");
  }
  Target target;
  target.factors.assign(count, 0);
  if ((sizes ? sizes->size() : factors->size()) != count) {
    Raise(fmt::format("It is expected output_size equals to {}, but got size {}", count,
                      sizes ? sizes->size() : factors->size()));
  }
  for (size_t d = 0; d < count; ++d) {
    const int64_t size = input.sizes()[d + 2];
    if (factors) target.factors[d] = (*factors)[d];
    target.sizes.push_back(sizes ? (*sizes)[d]
                                 : static_cast<int64_t>(static_cast<double>(size) * (*factors)[d]));
    if (size <= 0 || target.sizes[d] <= 0 || target.sizes[d] > INT32_MAX) {
      Raise(
          fmt::format("Input and output sizes should be greater than 0, but got input {} and "
                      "output {}",
                      Text(input.sizes()), Text(target.sizes)));
    }
  }
  return target;
}
// Input elements for one of the output.
double StepOf(int64_t in, int64_t out, double factor) {
  return factor > 0 ? 1 / factor : static_cast<double>(in) / static_cast<double>(out);
}

template <size_t kCount, bool kIsExact>
TensorRef Nearest(const Tensor& input, const OptionalInts& sizes, const OptionalFloats& factors) {
  const Target target = TargetOf(input, sizes, factors, kCount);
  TensorRef result = Contiguous(input);
  for (size_t d = 0; d < kCount; ++d) {
    const int64_t in = input.sizes()[d + 2];
    const int64_t out = target.sizes[d];
    const auto step = static_cast<float>(StepOf(in, out, target.factors[d]));
    const Ints count = {out};
    TensorRef places = New(ElementType::kInt64, count);
    for (int64_t i = 0; i < out; ++i) {
      const float shifted = kIsExact ? static_cast<float>(i) + 0.5F : static_cast<float>(i);
      places->mutable_data<int64_t>()[i] =
          std::min(static_cast<int64_t>(std::floor(shifted * step)), in - 1);
    }
    result = Taken(*result, d + 2, *places);
  }
  return result;
}

// The neighbours of one element of the output and their weights.
struct Taps {
  std::vector<int64_t> places;
  std::vector<double> weights;
};
struct Linear {
  static Taps At(double place, int64_t size) {
    const double clipped = std::max(place, 0.0);
    const int64_t low = std::min(static_cast<int64_t>(clipped), size - 1);
    const double rest = std::clamp(clipped - static_cast<double>(low), 0.0, 1.0);
    return {{low, std::min(low + 1, size - 1)}, {1 - rest, rest}};
  }
};
struct Cubic {
  static Taps At(double place, int64_t size) {
    constexpr double kA = -0.75;
    const double base = std::floor(place);
    const double t = place - base;
    const auto near = [](double x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; };
    const auto far = [](double x) { return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA; };
    Taps taps;
    taps.weights = {far(t + 1), near(t), near(1 - t), far(2 - t)};
    for (int64_t i = -1; i <= 2; ++i) {
      taps.places.push_back(std::clamp<int64_t>(static_cast<int64_t>(base) + i, 0, size - 1));
    }
    return taps;
  }
};

template <typename Kind>
TensorRef WeighedAlong(const Tensor& input, size_t dimension, int64_t out, double factor,
                       bool aligns) {
  const int64_t in = input.sizes()[dimension];
  const double step =
      aligns ? (out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0)
             : StepOf(in, out, factor);
  Ints sizes = Sizes(input);
  sizes[dimension] = out;
  TensorRef result = New(ElementType::kFloat64, sizes);
  int64_t inner = 1;
  for (size_t d = dimension + 1; d < sizes.size(); ++d) inner *= sizes[d];
  const int64_t outer = input.element_count() / (in * inner);
  for (int64_t i = 0; i < out; ++i) {
    const auto at = static_cast<double>(i);
    const Taps taps = Kind::At(aligns ? at * step : (at + 0.5) * step - 0.5, in);
    for (int64_t o = 0; o < outer; ++o) {
      double* y = result->mutable_data<double>() + (o * out + i) * inner;
      std::fill_n(y, inner, 0.0);
      for (size_t k = 0; k < taps.places.size(); ++k) {
        const double* x = input.data<double>() + (o * in + taps.places[k]) * inner;
        for (int64_t j = 0; j < inner; ++j) y[j] += x[j] * taps.weights[k];
      }
    }
  }
  return result;
}
template <size_t kCount, typename Kind>
TensorRef Weighed(const Tensor& input, const OptionalInts& sizes, bool aligns,
                  const OptionalFloats& factors) {
  const Target target = TargetOf(input, sizes, factors, kCount);
  if (!IsFloating(input.element_type())) {
    Raise(fmt::format("\"compute_indices_weights_linear\" not implemented for '{}'",
                      TypeName(input.element_type())));
  }
  if (input.element_count() == 0) {
    Ints empty = {input.size(0), input.size(1)};
    empty.insert(empty.end(), target.sizes.begin(), target.sizes.end());
    return New(input.element_type(), empty);
  }
  TensorRef result = As(input, ElementType::kFloat64);
  for (size_t d = 0; d < kCount; ++d) {
    result = WeighedAlong<Kind>(*result, d + 2, target.sizes[d], target.factors[d], aligns);
  }
  return As(*result, input.element_type());
}

constexpr KernelRow kRows[] = {
    Row<&Nearest<1, false>>("aten::upsample_nearest1d.vec"),
    Row<&Nearest<2, false>>("aten::upsample_nearest2d.vec"),
    Row<&Nearest<3, false>>("aten::upsample_nearest3d.vec"),
    Row<&Nearest<1, true>>("aten::_upsample_nearest_exact1d.vec"),
    Row<&Nearest<2, true>>("aten::_upsample_nearest_exact2d.vec"),
    Row<&Nearest<3, true>>("aten::_upsample_nearest_exact3d.vec"),
    Row<&Weighed<1, Linear>>("aten::upsample_linear1d.vec"),
    Row<&Weighed<2, Linear>>("aten::upsample_bilinear2d.vec"),
    Row<&Weighed<3, Linear>>("aten::upsample_trilinear3d.vec"),
    Row<&Weighed<2, Cubic>>("aten::upsample_bicubic2d.vec"),
};

}  // namespace

std::span<const KernelRow> UpsamplingKernels() {
  return kRows;
}

}  // namespace handrail::kernels
