// Normalization and softmax.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/elements.h"
#include "kernels/families.h"

namespace handrail::kernels {

namespace {

// Elements of `tensor` as doubles; all `fallback` if there is none.
std::vector<double> Numbers(const Tensor* tensor, size_t count, double fallback) {
  if (tensor == nullptr) return std::vector<double>(count, fallback);
  const TensorRef values = As(*tensor, ElementType::kFloat64);
  if (static_cast<size_t>(values->element_count()) != count) {
    Raise("weight, bias, mean and variance should contain " + std::to_string(count) +
          " elements, not " + std::to_string(values->element_count()));
  }
  return {values->data<double>(), values->data<double>() + count};
}

TensorRef BatchNorm(const Tensor& input, const Tensor* weight, const Tensor* bias,
                    const Tensor* mean, const Tensor* variance, bool is_training,
                    double /*momentum*/, double epsilon, bool /*cudnn*/) {
  if (is_training || mean == nullptr || variance == nullptr) {
    Raise("batch_norm: there is no kernel for training");
  }
  if (input.dimension_count() < 2) Raise("batch_norm: expected at least two dimensions");
  const auto channels = static_cast<size_t>(input.size(1));
  std::vector<double> scale = Numbers(weight, channels, 1);
  std::vector<double> shift = Numbers(bias, channels, 0);
  const std::vector<double> means = Numbers(mean, channels, 0);
  const std::vector<double> variances = Numbers(variance, channels, 1);
  for (size_t c = 0; c < channels; ++c) {
    scale[c] /= std::sqrt(variances[c] + epsilon);
    shift[c] -= means[c] * scale[c];
  }
  const ElementType compute = ComputeType(FloatingType(input.element_type()));
  const TensorRef in = As(input, compute);
  TensorRef out = New(compute, input.sizes());
  const int64_t planes = input.size(0) * input.size(1);
  const int64_t area = planes == 0 ? 0 : input.element_count() / planes;
  OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t plane = 0; plane < planes; ++plane) {
      const auto channel = static_cast<size_t>(plane) % channels;
      const T factor = static_cast<T>(scale[channel]);
      const T term = static_cast<T>(shift[channel]);
      const T* x = in->data<T>() + plane * area;
      T* y = out->mutable_data<T>() + plane * area;
      for (int64_t i = 0; i < area; ++i) y[i] = x[i] * factor + term;
    }
  });
  return As(*out, FloatingType(input.element_type()));
}

TensorRef LayerNorm(const Tensor& input, const Ints& shape, const Tensor* weight,
                    const Tensor* bias, double epsilon, bool /*cudnn*/) {
  const auto own = input.sizes();
  if (shape.empty() || shape.size() > own.size() ||
      !std::equal(shape.begin(), shape.end(),
                  own.end() - static_cast<std::ptrdiff_t>(shape.size()))) {
    Raise("Given normalized_shape=" + Text(shape) +
          ", expected input with shape [*, ...], but got input of size" + Text(own));
  }
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  const std::vector<double> scale = Numbers(weight, static_cast<size_t>(count), 1);
  const std::vector<double> shift = Numbers(bias, static_cast<size_t>(count), 0);
  const TensorRef in = As(input, ElementType::kFloat64);
  TensorRef out = New(ElementType::kFloat64, own);
  for (int64_t at = 0; at < input.element_count(); at += count) {
    const double* x = in->data<double>() + at;
    double* y = out->mutable_data<double>() + at;
    double mean = 0;
    for (int64_t i = 0; i < count; ++i) mean += x[i];
    mean /= static_cast<double>(count);
    double variance = 0;
    for (int64_t i = 0; i < count; ++i) variance += (x[i] - mean) * (x[i] - mean);
    const double factor = 1 / std::sqrt(variance / static_cast<double>(count) + epsilon);
    for (int64_t i = 0; i < count; ++i) {
      const auto place = static_cast<size_t>(i);
      y[i] = (x[i] - mean) * factor * scale[place] + shift[place];
    }
  }
  return As(*out, FloatingType(input.element_type()));
}

template <bool kIsLogarithm>
TensorRef Softmax(const Tensor& input, int64_t dimension, std::optional<int64_t> type) {
  const size_t at = WrapDimension(dimension, input.dimension_count());
  const ElementType result = type ? CheckedType(*type) : input.element_type();
  if (!IsFloating(result)) Raise("softmax is not implemented for integers");
  const TensorRef in = As(input, ElementType::kFloat64);
  TensorRef out = New(ElementType::kFloat64, input.sizes());
  if (input.dimension_count() == 0)
    return Filled(result, {}, {Kind::kInt, kIsLogarithm ? 0 : 1, 0});
  const int64_t count = input.sizes()[at];
  int64_t step = 1;
  for (size_t i = at + 1; i < input.dimension_count(); ++i) step *= input.sizes()[i];
  const int64_t rows = count == 0 ? 0 : input.element_count() / count;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t first = row / step * step * count + row % step;
    const double* x = in->data<double>() + first;
    double* y = out->mutable_data<double>() + first;
    double largest = -std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < count; ++i) largest = std::max(largest, x[i * step]);
    double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += std::exp(x[i * step] - largest);
    for (int64_t i = 0; i < count; ++i) {
      y[i * step] = kIsLogarithm ? x[i * step] - largest - std::log(sum)
                                 : std::exp(x[i * step] - largest) / sum;
    }
  }
  return As(*out, result);
}

constexpr KernelRow kRows[] = {
    Row<&BatchNorm>("aten::batch_norm"),
    Row<&LayerNorm>("aten::layer_norm"),
    Row<&Softmax<false>>("aten::softmax.int"),
    Row<&Softmax<true>>("aten::log_softmax.int"),
};

}  // namespace

std::span<const KernelRow> NormalizationKernels() {
  return kRows;
}

}  // namespace handrail::kernels
