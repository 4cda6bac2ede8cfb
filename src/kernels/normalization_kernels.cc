// Normalization and softmax.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kernels/compose.h"
#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/reduction.h"
#include "kernels/views.h"

namespace handrail::kernels {

namespace {

// Elements of `tensor` as doubles; all `fallback` if there is none.
std::vector<double> Numbers(const Tensor* tensor, size_t count, double fallback,
                            std::string_view name) {
  if (tensor == nullptr) return std::vector<double>(count, fallback);
  if (static_cast<size_t>(tensor->element_count()) != count) {
    Raise(
        fmt::format("{} should contain {} elements not {}", name, count, tensor->element_count()));
  }
  const TensorRef values = As(*tensor, ElementType::kFloat64);
  return {values->data<double>(), values->data<double>() + count};
}
double MeanOf(const double* x, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += x[i];
  return sum / static_cast<double>(count);
}
double VarianceOf(const double* x, int64_t count, double mean) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += (x[i] - mean) * (x[i] - mean);
  return sum / static_cast<double>(count);
}

// input * scale + shift, one of each for a channel.
TensorRef ScaledChannels(const Tensor& input, const std::vector<double>& scale,
                         const std::vector<double>& shift) {
  const ElementType compute = ComputeType(FloatingType(input.element_type()));
  const TensorRef in = As(input, compute);
  TensorRef out = New(compute, input.sizes());
  const int64_t planes = input.size(0) * input.size(1);
  const int64_t area = planes == 0 ? 0 : input.element_count() / planes;
  OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t plane = 0; plane < planes; ++plane) {
      const auto channel = static_cast<size_t>(plane % input.size(1));
      const T factor = static_cast<T>(scale[channel]);
      const T term = static_cast<T>(shift[channel]);
      const T* x = in->data<T>() + plane * area;
      T* y = out->mutable_data<T>() + plane * area;
      for (int64_t i = 0; i < area; ++i) y[i] = x[i] * factor + term;
    }
  });
  return As(*out, FloatingType(input.element_type()));
}

// Means and variances of the input's own channels.
struct Statistics {
  std::vector<double> means;
  std::vector<double> variances;
};
Statistics OwnStatistics(const Tensor& input) {
  const TensorRef turned = As(*Transposed(input, 0, 1), ElementType::kFloat64);
  const int64_t length = input.size(1) == 0 ? 0 : input.element_count() / input.size(1);
  if (length <= 1) {
    Raise("Expected more than 1 value per channel when training, got input size " +
          Text(input.sizes()));
  }
  Statistics statistics;
  for (int64_t c = 0; c < input.size(1); ++c) {
    const double* x = turned->data<double>() + c * length;
    statistics.means.push_back(MeanOf(x, length));
    statistics.variances.push_back(VarianceOf(x, length, statistics.means.back()));
  }
  return statistics;
}
// running = running * (1 - momentum) + own * momentum
void Follow(const Tensor* running, const std::vector<double>& own, double momentum, double factor) {
  if (running == nullptr) return;
  Tensor& target = const_cast<Tensor&>(*running);
  const TensorRef values = As(target, ElementType::kFloat64);
  TensorRef next = New(ElementType::kFloat64, target.sizes());
  for (size_t i = 0; i < own.size(); ++i) {
    next->mutable_data<double>()[i] =
        values->data<double>()[i] * (1 - momentum) + own[i] * factor * momentum;
  }
  CopyInto(target, *next);
}

TensorRef BatchNorm(const Tensor& input, const Tensor* weight, const Tensor* bias,
                    const Tensor* mean, const Tensor* variance, bool is_training, double momentum,
                    double epsilon, bool /*cudnn*/) {
  if (input.dimension_count() < 2) Raise("batch_norm: expected at least two dimensions");
  const auto channels = static_cast<size_t>(input.size(1));
  if (!is_training && mean == nullptr) Raise("running_mean must be defined in evaluation mode");
  if (!is_training && variance == nullptr) Raise("running_var must be defined in evaluation mode");
  std::vector<double> means = Numbers(mean, channels, 0, "running_mean");
  std::vector<double> variances = Numbers(variance, channels, 1, "running_var");
  std::vector<double> scale = Numbers(weight, channels, 1, "weight");
  std::vector<double> shift = Numbers(bias, channels, 0, "bias");
  if (is_training) {
    Statistics own = OwnStatistics(input);
    const double length =
        static_cast<double>(input.element_count()) / static_cast<double>(channels);
    Follow(mean, own.means, momentum, 1);
    Follow(variance, own.variances, momentum, length / (length - 1));
    means = std::move(own.means);
    variances = std::move(own.variances);
  }
  for (size_t c = 0; c < channels; ++c) {
    scale[c] /= std::sqrt(variances[c] + epsilon);
    shift[c] -= means[c] * scale[c];
  }
  return ScaledChannels(input, scale, shift);
}

// Rows of `length` elements, each with mean 0 and variance 1.
TensorRef NormalizedRows(const Tensor& input, int64_t length, double epsilon) {
  const TensorRef in = As(input, ElementType::kFloat64);
  TensorRef out = New(ElementType::kFloat64, input.sizes());
  for (int64_t at = 0; length > 0 && at < input.element_count(); at += length) {
    const double* x = in->data<double>() + at;
    double* y = out->mutable_data<double>() + at;
    const double mean = MeanOf(x, length);
    const double factor = 1 / std::sqrt(VarianceOf(x, length, mean) + epsilon);
    for (int64_t i = 0; i < length; ++i) y[i] = (x[i] - mean) * factor;
  }
  return out;
}

TensorRef GroupNorm(const Tensor& input, int64_t groups, const Tensor* weight, const Tensor* bias,
                    double epsilon, bool /*cudnn*/) {
  if (input.dimension_count() < 2) Raise("Expected at least 2 dimensions for input tensor");
  if (groups <= 0 || input.size(1) % groups != 0) {
    Raise(
        fmt::format("Expected number of channels in input to be divisible by num_groups, but got "
                    "input of shape {} and num_groups={}",
                    Text(input.sizes()), groups));
  }
  const auto channels = static_cast<size_t>(input.size(1));
  const std::vector<double> scale = Numbers(weight, channels, 1, "weight");
  const std::vector<double> shift = Numbers(bias, channels, 0, "bias");
  const int64_t rows = input.size(0) * groups;
  const TensorRef normal =
      NormalizedRows(input, rows == 0 ? 0 : input.element_count() / rows, epsilon);
  return As(*ScaledChannels(*normal, scale, shift), FloatingType(input.element_type()));
}

TensorRef InstanceNorm(const Tensor& input, const Tensor* weight, const Tensor* bias,
                       const Tensor* mean, const Tensor* variance, bool uses_input, double momentum,
                       double epsilon, bool cudnn) {
  if (!uses_input) {
    return BatchNorm(input, weight, bias, mean, variance, false, momentum, epsilon, cudnn);
  }
  if (mean != nullptr || variance != nullptr) {
    Raise("instance_norm: there is no kernel that follows statistics");
  }
  return GroupNorm(input, input.size(1), weight, bias, epsilon, cudnn);
}

TensorRef LayerNorm(const Tensor& input, const Ints& shape, const Tensor* weight,
                    const Tensor* bias, double epsilon, bool /*cudnn*/) {
  const auto own = input.sizes();
  if (shape.empty() || shape.size() > own.size() ||
      !std::equal(shape.begin(), shape.end(),
                  own.end() - static_cast<std::ptrdiff_t>(shape.size()))) {
    Raise(
        fmt::format("Given normalized_shape={}, expected input with shape [*, {}], but got input "
                    "of size{}",
                    Text(shape), fmt::join(shape, ", "), Text(own)));
  }
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  const auto length = static_cast<size_t>(count);
  const std::vector<double> scale = Numbers(weight, length, 1, "weight");
  const std::vector<double> shift = Numbers(bias, length, 0, "bias");
  TensorRef out = NormalizedRows(input, count, epsilon);
  auto* y = out->mutable_data<double>();
  for (int64_t at = 0; count > 0 && at < input.element_count(); at += count) {
    for (size_t i = 0; i < length; ++i, ++y) *y = *y * scale[i] + shift[i];
  }
  return As(*out, FloatingType(input.element_type()));
}

template <bool kIsLogarithm>
TensorRef SoftmaxAlong(const Tensor& input, int64_t dimension, ElementType result) {
  if (!IsFloating(result)) {
    Raise(fmt::format("\"{}softmax_lastdim_kernel_impl\" not implemented for '{}'",
                      kIsLogarithm ? "log_" : "", TypeName(result)));
  }
  const ElementType compute = ComputeType(result);
  const Lines lines = LinesAlong(*As(input, result), dimension, compute);
  TensorRef out = New(compute, lines.elements->sizes());
  OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<T>) {
      for (int64_t i = 0; i < lines.count; ++i) {
        const T* x = lines.elements->data<T>() + i * lines.length;
        T* y = out->mutable_data<T>() + i * lines.length;
        const T largest = *std::max_element(x, x + lines.length);
        double sum = 0;
        for (int64_t k = 0; k < lines.length; ++k) {
          y[k] = std::exp(x[k] - largest);
          sum += static_cast<double>(y[k]);
        }
        const T logarithm = static_cast<T>(std::log(sum));
        const T factor = static_cast<T>(1 / sum);
        for (int64_t k = 0; k < lines.length; ++k) {
          y[k] = kIsLogarithm ? x[k] - largest - logarithm : y[k] * factor;
        }
      }
    }
  });
  const TensorRef placed = PutBack(*As(*out, result), lines.dimension);
  return input.dimension_count() == 0 ? Reshaped(*placed, {}) : placed;
}
template <bool kIsLogarithm>
TensorRef Softmax(const Tensor& input, int64_t dimension, std::optional<int64_t> type) {
  return SoftmaxAlong<kIsLogarithm>(input, dimension,
                                    type ? CheckedType(*type) : input.element_type());
}
template <bool kIsLogarithm>
TensorRef PlainSoftmax(const Tensor& input, int64_t dimension, bool /*half_to_float*/) {
  return SoftmaxAlong<kIsLogarithm>(input, dimension, input.element_type());
}

constexpr KernelRow kRows[] = {
    Row<&BatchNorm>("aten::batch_norm"),         Row<&GroupNorm>("aten::group_norm"),
    Row<&InstanceNorm>("aten::instance_norm"),   Row<&LayerNorm>("aten::layer_norm"),
    Row<&Softmax<false>>("aten::softmax.int"),   Row<&Softmax<true>>("aten::log_softmax.int"),
    Row<&PlainSoftmax<false>>("aten::_softmax"), Row<&PlainSoftmax<true>>("aten::_log_softmax"),
};

}  // namespace

TensorRef SoftmaxOver(const Tensor& input, size_t dimension) {
  return SoftmaxAlong<false>(input, static_cast<int64_t>(dimension), input.element_type());
}
TensorRef NormalizedLayers(const Tensor& input, const Ints& shape, const Tensor* weight,
                           const Tensor* bias, double epsilon) {
  return LayerNorm(input, shape, weight, bias, epsilon, false);
}

std::span<const KernelRow> NormalizationKernels() {
  return kRows;
}

}  // namespace handrail::kernels
