#include "kernels/convolution.h"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/elements.h"
#include "kernels/matrix.h"
#include "kernels/windows.h"

namespace handrail::kernels {

InsideRange Inside(const Windows& windows, size_t d, int64_t element) {
  const int64_t shift = windows.padding[d] - element * windows.dilation[d];
  const int64_t stride = windows.stride[d];
  // 0 <= window * stride - shift < input
  const int64_t first = shift <= 0 ? 0 : (shift + stride - 1) / stride;
  const int64_t end = windows.input[d] + shift;
  const int64_t last = end <= 0 ? 0 : (end + stride - 1) / stride;
  const int64_t count = windows.output[d];
  return {std::min(first, count), std::max(std::min(last, count), std::min(first, count))};
}

namespace {

std::string Joined(const Ints& sizes) {
  return fmt::format("{}", fmt::join(sizes, " x "));
}

void CheckNumbers(const ConvolutionOptions& options) {
  const auto any_below = [](const Ints& numbers, int64_t least) {
    return std::any_of(numbers.begin(), numbers.end(), [least](int64_t n) { return n < least; });
  };
  if (any_below(options.padding, 0)) Raise("negative padding is not supported");
  if (any_below(options.output_padding, 0)) Raise("negative output_padding is not supported");
  if (any_below(options.stride, 1)) Raise("non-positive stride is not supported");
  if (any_below(options.dilation, 1)) {
    Raise("dilation should be greater than zero, but got " + Text(options.dilation));
  }
  if (options.groups <= 0) Raise("non-positive groups is not supported");
  for (const Ints* numbers :
       {&options.padding, &options.output_padding, &options.stride, &options.dilation}) {
    for (int64_t number : *numbers) {
      if (number > INT32_MAX) Raise("a convolution's numbers must fit in 32 bits");
    }
  }
}

void CheckWeight(const Tensor& input, const Tensor& weight, int64_t groups) {
  const uint32_t dimensions = weight.dimension_count();
  if (input.dimension_count() != dimensions) {
    Raise(fmt::format(
        "Expected {}-dimensional input for {}-dimensional weight {}, but got {}-dimensional input "
        "of size {} instead",
        dimensions, dimensions, Text(weight.sizes()), input.dimension_count(),
        Text(input.sizes())));
  }
  if (weight.size(0) < groups) {
    Raise(fmt::format(
        "Given groups={}, expected weight to be at least {} at dimension 0, but got weight of size "
        "{} instead",
        groups, groups, Text(weight.sizes())));
  }
  if (weight.size(0) % groups != 0) {
    Raise(fmt::format(
        "Given groups={}, expected weight to be divisible by {} at dimension 0, but got weight of "
        "size [{}] instead",
        groups, groups, Text(weight.sizes())));
  }
}

void CheckChannels(const Tensor& input, const Tensor& weight, const Tensor* bias,
                   const ConvolutionOptions& options) {
  const std::string given =
      options.is_turned ? "transposed=1" : fmt::format("groups={}", options.groups);
  const int64_t channels = options.is_turned ? weight.size(0) : weight.size(1) * options.groups;
  if (input.size(1) != channels) {
    Raise(fmt::format(
        "Given {}, weight of size {}, expected input{} to have {} channels, but got {} channels "
        "instead",
        given, Text(weight.sizes()), Text(input.sizes()), channels, input.size(1)));
  }
  const int64_t outs = options.is_turned ? weight.size(1) * options.groups : weight.size(0);
  if (bias != nullptr && (bias->dimension_count() != 1 || bias->size(0) != outs)) {
    Raise(fmt::format(
        "Given {}weight of size {}, expected bias to be 1-dimensional with {} elements, but got "
        "bias of size {} instead",
        options.is_turned ? "transposed=1, " : "", Text(weight.sizes()), outs,
        Text(bias->sizes())));
  }
}

void CheckOutputPadding(const ConvolutionOptions& options) {
  for (size_t d = 0; options.is_turned && d < options.output_padding.size(); ++d) {
    const int64_t padding = options.output_padding[d];
    if (padding >= options.stride[d] && padding >= options.dilation[d]) {
      Raise(fmt::format(
          "output padding must be smaller than either stride or dilation, but got output_padding: "
          "{} stride: {} dilation: {}",
          Text(options.output_padding), Text(options.stride), Text(options.dilation)));
    }
  }
}

// The sizes of the result behind batch and channels.
Ints OutputSizes(const Tensor& input, const Tensor& weight, const ConvolutionOptions& options) {
  Ints padded;
  Ints kernels;
  Ints sizes;
  bool fits = true;
  for (uint32_t i = 2; i < input.dimension_count(); ++i) {
    const size_t d = i - 2;
    const int64_t reach = options.dilation[d] * (weight.size(i) - 1) + 1;
    if (options.is_turned) {
      sizes.push_back((input.size(i) - 1) * options.stride[d] - 2 * options.padding[d] + reach +
                      options.output_padding[d]);
      continue;
    }
    padded.push_back(input.size(i) + 2 * options.padding[d]);
    kernels.push_back(reach);
    fits = fits && padded.back() >= reach;
    sizes.push_back((padded.back() - reach) / options.stride[d] + 1);
  }
  if (!fits) {
    Raise("Calculated padded input size per channel: (" + Joined(padded) + "). Kernel size: (" +
          Joined(kernels) + "). Kernel size can't be greater than actual input size");
  }
  return sizes;
}

void CheckTypes(const Tensor& input, const Tensor& weight, const Tensor* bias) {
  if (input.element_type() != weight.element_type()) {
    Raise(fmt::format("Input type ({}) and weight type ({}) should be the same",
                      CppName(input.element_type()), CppName(weight.element_type())));
  }
  if (bias != nullptr && input.element_type() != bias->element_type()) {
    Raise(fmt::format("Input type ({}) and bias type ({}) should be the same",
                      CppName(input.element_type()), CppName(bias->element_type())));
  }
}

// patches[(channel, kernel element)][(row of windows, x)] of the rows of windows [from, to).
template <typename T>
void GatherPatches(const T* input, int64_t channels, const Windows& w, int64_t from, int64_t to,
                   T* patches) {
  const int64_t width = w.output[2];
  for (int64_t c = 0; c < channels; ++c) {
    const T* plane = input + c * w.input_count();
    for (int64_t k = 0; k < w.kernel_count(); ++k) {
      const int64_t kz = k / (w.kernel[1] * w.kernel[2]);
      const int64_t ky = k / w.kernel[2] % w.kernel[1];
      const int64_t kx = k % w.kernel[2];
      const InsideRange inside = Inside(w, 2, kx);
      for (int64_t row = from; row < to; ++row, patches += width) {
        const int64_t z = w.Place(0, row / w.output[1], kz);
        const int64_t y = w.Place(1, row % w.output[1], ky);
        if (z < 0 || z >= w.input[0] || y < 0 || y >= w.input[1] || inside.first >= inside.last) {
          std::fill_n(patches, width, T{});
          continue;
        }
        const T* line = plane + (z * w.input[1] + y) * w.input[2];
        std::fill_n(patches, inside.first, T{});
        const T* first = line + w.Place(2, inside.first, kx);
        const int64_t stride = w.stride[2];
        for (int64_t x = 0; x < inside.last - inside.first; ++x) {
          patches[inside.first + x] = first[x * stride];
        }
        std::fill_n(patches + inside.last, width - inside.last, T{});
      }
    }
  }
}

// Adds patches, laid out as GatherPatches does, to the input they come from.
template <typename T>
void ScatterPatches(const T* patches, int64_t channels, const Windows& w, T* input) {
  const int64_t width = w.output[2];
  for (int64_t c = 0; c < channels; ++c) {
    T* plane = input + c * w.input_count();
    for (int64_t k = 0; k < w.kernel_count(); ++k) {
      const int64_t kz = k / (w.kernel[1] * w.kernel[2]);
      const int64_t ky = k / w.kernel[2] % w.kernel[1];
      const int64_t kx = k % w.kernel[2];
      const InsideRange inside = Inside(w, 2, kx);
      for (int64_t row = 0; row < w.output[0] * w.output[1]; ++row, patches += width) {
        const int64_t z = w.Place(0, row / w.output[1], kz);
        const int64_t y = w.Place(1, row % w.output[1], ky);
        if (z < 0 || z >= w.input[0] || y < 0 || y >= w.input[1]) continue;
        T* line = plane + (z * w.input[1] + y) * w.input[2];
        for (int64_t x = inside.first; x < inside.last; ++x) {
          line[w.Place(2, x, kx)] += patches[x];
        }
      }
    }
  }
}

struct Channels {
  int64_t groups;
  int64_t ins;   // of one group
  int64_t outs;  // of one group
};

// One image and group: result (outs x windows) += weight (outs x depth) * patches.
template <typename T>
void ConvolveOne(const T* input, const T* weight, T* result, const Channels& channels,
                 const Windows& w, std::vector<T>& patches) {
  const int64_t depth = channels.ins * w.kernel_count();
  const int64_t area = w.output_count();
  const bool is_pointwise =
      w.kernel_count() == 1 && w.stride == Triple{1, 1, 1} && w.padding == Triple{0, 0, 0};
  if (is_pointwise) {
    AddProduct(MatrixView<T>{weight, depth}, MatrixView<T>{input, area}, result, area,
               channels.outs, depth, area);
    return;
  }
  constexpr int64_t kPatchElements = 1 << 17;  // gathered at once, so that they stay in the cache
  const int64_t width = w.output[2];
  const int64_t rows = w.output[0] * w.output[1];
  const int64_t step = std::max<int64_t>(1, kPatchElements / std::max<int64_t>(1, depth * width));
  for (int64_t from = 0; from < rows; from += step) {
    const int64_t to = std::min(rows, from + step);
    const int64_t columns = (to - from) * width;
    patches.resize(static_cast<size_t>(depth * columns));
    GatherPatches(input, channels.ins, w, from, to, patches.data());
    AddProduct(MatrixView<T>{weight, depth}, MatrixView<T>{patches.data(), columns},
               result + from * width, area, channels.outs, depth, columns);
  }
}

// One image and group of a turned convolution, whose windows lie in the result.
template <typename T>
void ConvolveTurned(const T* input, const T* weight, T* result, const Channels& channels,
                    const Windows& w, std::vector<T>& patches) {
  const int64_t depth = channels.outs * w.kernel_count();
  const int64_t area = w.output_count();
  patches.assign(static_cast<size_t>(depth * area), T{});
  AddProduct(MatrixView<T>{weight, depth}.Turned(), MatrixView<T>{input, area}, patches.data(),
             area, depth, channels.ins, area);
  ScatterPatches(patches.data(), channels.outs, w, result);
}

}  // namespace

TensorRef Convolve(const Tensor& input, const Tensor& weight, const Tensor* bias,
                   const ConvolutionOptions& options) {
  CheckNumbers(options);
  CheckWeight(input, weight, options.groups);
  CheckChannels(input, weight, bias, options);
  const Ints out_sizes = OutputSizes(input, weight, options);
  CheckTypes(input, weight, bias);
  CheckOutputPadding(options);
  Ints sizes = {input.size(0),
                options.is_turned ? weight.size(1) * options.groups : weight.size(0)};
  sizes.insert(sizes.end(), out_sizes.begin(), out_sizes.end());
  const ElementType compute = ComputeType(input.element_type());
  const TensorRef in = As(input, compute);
  const TensorRef kernel = As(weight, compute);
  TensorRef out = Filled(compute, sizes, {});
  if (out->element_count() == 0) return As(*out, input.element_type());
  Windows w;
  w.input = Widened(input.sizes().subspan(2), 1);
  w.kernel = Widened(weight.sizes().subspan(2), 1);
  w.stride = Widened(options.stride, 1);
  w.padding = Widened(options.padding, 0);
  w.dilation = Widened(options.dilation, 1);
  w.output = Widened(out_sizes, 1);
  Channels channels = {options.groups, input.size(1) / options.groups, sizes[1] / options.groups};
  if (options.is_turned) std::swap(w.input, w.output);
  const int64_t in_area = options.is_turned ? w.output_count() : w.input_count();
  const int64_t out_area = options.is_turned ? w.input_count() : w.output_count();
  const int64_t weight_count = channels.ins * channels.outs * w.kernel_count();
  OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> patches;
    const TensorRef shift = bias ? As(*bias, compute) : TensorRef();
    T* result = out->mutable_data<T>();
    for (int64_t n = 0; n < input.size(0) * options.groups; ++n) {
      const int64_t group = n % options.groups;
      for (int64_t c = 0; shift && c < channels.outs; ++c) {
        std::fill_n(result + c * out_area, out_area, shift->data<T>()[group * channels.outs + c]);
      }
      const T* image = in->data<T>() + n * channels.ins * in_area;
      const T* weights = kernel->data<T>() + group * weight_count;
      if (options.is_turned) {
        ConvolveTurned(image, weights, result, channels, w, patches);
      } else {
        ConvolveOne(image, weights, result, channels, w, patches);
      }
      result += channels.outs * out_area;
    }
  });
  return As(*out, input.element_type());
}

}  // namespace handrail::kernels
