// Convolutions over one or two dimensions, by gathering patches and multiplying matrices.
#include <fmt/format.h>

#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/matrix.h"

namespace handrail::kernels {

namespace {

struct Geometry {
  int64_t channels;  // of one group
  int64_t height, width;
  int64_t kernel_height, kernel_width;
  int64_t out_height, out_width;
  Ints stride, padding, dilation;
};

// patches[(channel, ky, kx)][(y, x)]
template <typename T>
void GatherPatches(const T* input, const Geometry& g, T* patches) {
  for (int64_t c = 0; c < g.channels; ++c) {
    for (int64_t ky = 0; ky < g.kernel_height; ++ky) {
      for (int64_t kx = 0; kx < g.kernel_width; ++kx) {
        for (int64_t y = 0; y < g.out_height; ++y) {
          const int64_t in_y = y * g.stride[0] - g.padding[0] + ky * g.dilation[0];
          for (int64_t x = 0; x < g.out_width; ++x) {
            const int64_t in_x = x * g.stride[1] - g.padding[1] + kx * g.dilation[1];
            const bool is_inside = in_y >= 0 && in_y < g.height && in_x >= 0 && in_x < g.width;
            *patches++ = is_inside ? input[(c * g.height + in_y) * g.width + in_x] : T{};
          }
        }
      }
    }
  }
}

Ints Pair(const Ints& given, int64_t fallback) {
  if (given.size() == 1) return {given[0], given[0]};
  if (given.size() != 2) Raise("expected two numbers, one for each dimension");
  for (int64_t value : given) {
    if (value < fallback || value > INT32_MAX) Raise("non-positive stride is not supported");
  }
  return given;
}

TensorRef Conv2d(const Tensor& input, const Tensor& weight, const Tensor* bias, const Ints& stride,
                 const Ints& padding, const Ints& dilation, int64_t groups) {
  if (input.dimension_count() == 3 && weight.dimension_count() == 4) {
    Ints sizes = Sizes(input);
    sizes.insert(sizes.begin(), 1);
    const TensorRef result =
        Conv2d(*Reshaped(input, sizes), weight, bias, stride, padding, dilation, groups);
    return Reshaped(*result, result->sizes().subspan(1));
  }
  if (input.dimension_count() != 4 || weight.dimension_count() != 4) {
    Raise("Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: " +
          Text(input.sizes()));
  }
  if (groups <= 0 || weight.size(0) % groups != 0) Raise("non-positive groups is not supported");
  const int64_t channels = weight.size(1);
  if (input.size(1) != channels * groups) {
    Raise(fmt::format(
        "Given groups={}, weight of size {}, expected input{} to have {} channels, "
        "but got {} channels instead",
        groups, Text(weight.sizes()), Text(input.sizes()), channels * groups, input.size(1)));
  }
  if (input.element_type() != weight.element_type()) {
    Raise("Input type and weight type should be the same");
  }
  Geometry g{channels, input.size(2),   input.size(3),    weight.size(2),   weight.size(3), 0,
             0,        Pair(stride, 1), Pair(padding, 0), Pair(dilation, 1)};
  const int64_t reach_y = g.height + 2 * g.padding[0] - g.dilation[0] * (g.kernel_height - 1) - 1;
  const int64_t reach_x = g.width + 2 * g.padding[1] - g.dilation[1] * (g.kernel_width - 1) - 1;
  if (reach_y < 0 || reach_x < 0) {
    Raise(fmt::format(
        "Calculated padded input size per channel: ({} x {}). Kernel size: ({} x "
        "{}). Kernel size can't be greater than actual input size",
        g.height + 2 * g.padding[0], g.width + 2 * g.padding[1],
        g.dilation[0] * (g.kernel_height - 1) + 1, g.dilation[1] * (g.kernel_width - 1) + 1));
  }
  g.out_height = reach_y / g.stride[0] + 1;
  g.out_width = reach_x / g.stride[1] + 1;
  const ElementType compute = ComputeType(input.element_type());
  const TensorRef in = As(input, compute);
  const TensorRef kernel = As(weight, compute);
  const TensorRef shift = bias ? As(*bias, compute) : TensorRef();
  if (shift && shift->element_count() != weight.size(0)) Raise("conv2d: the bias has a wrong size");
  const Ints sizes = {input.size(0), weight.size(0), g.out_height, g.out_width};
  TensorRef out = Filled(compute, sizes, {});
  const int64_t depth = channels * g.kernel_height * g.kernel_width;
  const int64_t area = g.out_height * g.out_width;
  const int64_t outs = weight.size(0) / groups;
  const Ints patch_sizes = {depth, area};
  TensorRef patches = New(compute, patch_sizes);
  OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t n = 0; n < input.size(0) * groups; ++n) {
      const int64_t group = n % groups;
      T* result = out->mutable_data<T>() + n * outs * area;
      for (int64_t i = 0; shift && i < outs * area; ++i) {
        result[i] = shift->data<T>()[group * outs + i / area];
      }
      GatherPatches(in->data<T>() + n * channels * g.height * g.width, g,
                    patches->mutable_data<T>());
      AddProduct(kernel->data<T>() + group * outs * depth, patches->data<T>(), result, outs, depth,
                 area);
    }
  });
  return As(*out, input.element_type());
}

TensorRef Conv1d(const Tensor& input, const Tensor& weight, const Tensor* bias, const Ints& stride,
                 const Ints& padding, const Ints& dilation, int64_t groups) {
  if (input.dimension_count() != 3 || weight.dimension_count() != 3) {
    Raise("Expected 3D (batched) input to conv1d, but got input of size: " + Text(input.sizes()));
  }
  if (stride.size() != 1 || padding.size() != 1 || dilation.size() != 1) {
    Raise("conv1d: expected one number");
  }
  const Ints in_sizes = {input.size(0), input.size(1), 1, input.size(2)};
  const Ints weight_sizes = {weight.size(0), weight.size(1), 1, weight.size(2)};
  const TensorRef result = Conv2d(*Reshaped(input, in_sizes), *Reshaped(weight, weight_sizes), bias,
                                  {1, stride[0]}, {0, padding[0]}, {1, dilation[0]}, groups);
  const Ints sizes = {result->size(0), result->size(1), result->size(3)};
  return Reshaped(*result, sizes);
}

constexpr KernelRow kRows[] = {
    Row<&Conv1d>("aten::conv1d"),
    Row<&Conv2d>("aten::conv2d"),
};

}  // namespace

std::span<const KernelRow> ConvolutionKernels() {
  return kRows;
}

}  // namespace handrail::kernels
