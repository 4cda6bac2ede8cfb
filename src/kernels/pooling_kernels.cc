// Pooling over two dimensions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/elements.h"
#include "kernels/families.h"

namespace handrail::kernels {

namespace {

Ints Pair(const Ints& given, const Ints& fallback) {
  const Ints& pair = given.empty() ? fallback : given;
  if (pair.size() == 1) return {pair[0], pair[0]};
  if (pair.size() != 2) Raise("expected two numbers, one for each dimension");
  return pair;
}

int64_t PooledSize(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
                   bool is_ceiling) {
  if (kernel <= 0 || stride <= 0 || dilation <= 0 || padding < 0 || padding > kernel / 2 ||
      kernel > INT32_MAX || stride > INT32_MAX || dilation > INT32_MAX) {
    Raise("pad should be at most half of kernel size, and kernel and stride not be zero");
  }
  const int64_t reach = size + 2 * padding - dilation * (kernel - 1) - 1;
  if (reach < 0) Raise("pooling: Output size is too small");
  int64_t result = (reach + (is_ceiling ? stride - 1 : 0)) / stride + 1;
  // The last window must begin inside of the input or its left padding.
  if (is_ceiling && (result - 1) * stride >= size + padding) --result;
  return result;
}

// Calls `pool(plane, y, x)` for every element of the result.
template <typename Pool>
TensorRef ForEachPlane(const Tensor& input, int64_t height, int64_t width, Pool&& pool) {
  if (input.dimension_count() != 3 && input.dimension_count() != 4) {
    Raise("Expected 3D or 4D (batch mode) tensor for input, but got: " + Text(input.sizes()));
  }
  if (!IsFloating(input.element_type())) Raise("pooling is not implemented for 'Long'");
  Ints sizes = Sizes(input);
  const int64_t area = sizes[sizes.size() - 1] * sizes[sizes.size() - 2];
  sizes[sizes.size() - 2] = height;
  sizes[sizes.size() - 1] = width;
  const ElementType compute = ComputeType(input.element_type());
  const TensorRef in = As(input, compute);
  TensorRef out = New(compute, sizes);
  OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    T* result = out->mutable_data<T>();
    const int64_t planes = area == 0 ? 0 : input.element_count() / area;
    for (int64_t plane = 0; plane < planes; ++plane) {
      for (int64_t y = 0; y < height; ++y) {
        for (int64_t x = 0; x < width; ++x) {
          *result++ = pool(in->data<T>() + plane * area, y, x);
        }
      }
    }
  });
  return As(*out, input.element_type());
}

TensorRef MaxPool2d(const Tensor& input, const Ints& kernel_size, const Ints& strides,
                    const Ints& paddings, const Ints& dilations, bool is_ceiling) {
  if (input.dimension_count() < 3) Raise("max_pool2d: expected a 3D or 4D tensor");
  const Ints kernel = Pair(kernel_size, {});
  const Ints stride = Pair(strides, kernel);
  const Ints padding = Pair(paddings, {});
  const Ints dilation = Pair(dilations, {});
  const int64_t height = input.size(input.dimension_count() - 2);
  const int64_t width = input.size(input.dimension_count() - 1);
  return ForEachPlane(input,
                      PooledSize(height, kernel[0], stride[0], padding[0], dilation[0], is_ceiling),
                      PooledSize(width, kernel[1], stride[1], padding[1], dilation[1], is_ceiling),
                      [&](const auto* plane, int64_t y, int64_t x) {
                        using T = std::remove_cvref_t<decltype(*plane)>;
                        T best = std::is_integral_v<T> ? std::numeric_limits<T>::lowest()
                                                       : -std::numeric_limits<T>::infinity();
                        for (int64_t ky = 0; ky < kernel[0]; ++ky) {
                          const int64_t in_y = y * stride[0] - padding[0] + ky * dilation[0];
                          for (int64_t kx = 0; kx < kernel[1] && in_y >= 0 && in_y < height; ++kx) {
                            const int64_t in_x = x * stride[1] - padding[1] + kx * dilation[1];
                            if (in_x < 0 || in_x >= width) continue;
                            const T value = plane[in_y * width + in_x];
                            if (value > best || value != value) best = value;
                          }
                        }
                        return best;
                      });
}

template <typename T>
T MeanOf(const T* plane, int64_t width, int64_t top, int64_t bottom, int64_t left, int64_t right,
         int64_t divisor) {
  T sum{};
  for (int64_t y = top; y < bottom; ++y) {
    for (int64_t x = left; x < right; ++x) sum += plane[y * width + x];
  }
  return divisor == 0 ? std::numeric_limits<T>::quiet_NaN() : sum / static_cast<T>(divisor);
}
template <>
int64_t MeanOf(const int64_t* /*plane*/, int64_t /*width*/, int64_t /*top*/, int64_t /*bottom*/,
               int64_t /*left*/, int64_t /*right*/, int64_t /*divisor*/) {
  return 0;
}

TensorRef AvgPool2d(const Tensor& input, const Ints& kernel_size, const Ints& strides,
                    const Ints& paddings, bool is_ceiling, bool counts_padding,
                    std::optional<int64_t> divisor) {
  if (input.dimension_count() < 3) Raise("avg_pool2d: expected a 3D or 4D tensor");
  const Ints kernel = Pair(kernel_size, {});
  const Ints stride = Pair(strides, kernel);
  const Ints padding = Pair(paddings, {});
  const int64_t height = input.size(input.dimension_count() - 2);
  const int64_t width = input.size(input.dimension_count() - 1);
  return ForEachPlane(input, PooledSize(height, kernel[0], stride[0], padding[0], 1, is_ceiling),
                      PooledSize(width, kernel[1], stride[1], padding[1], 1, is_ceiling),
                      [&](const auto* plane, int64_t y, int64_t x) {
                        const int64_t top = y * stride[0] - padding[0];
                        const int64_t left = x * stride[1] - padding[1];
                        const int64_t bottom = std::min(top + kernel[0], height + padding[0]);
                        const int64_t right = std::min(left + kernel[1], width + padding[1]);
                        const int64_t padded = (bottom - top) * (right - left);
                        const int64_t y0 = std::max<int64_t>(top, 0);
                        const int64_t x0 = std::max<int64_t>(left, 0);
                        const int64_t y1 = std::min(bottom, height);
                        const int64_t x1 = std::min(right, width);
                        const int64_t inside = (y1 - y0) * (x1 - x0);
                        return MeanOf(plane, width, y0, y1, x0, x1,
                                      divisor ? *divisor : (counts_padding ? padded : inside));
                      });
}

TensorRef AdaptiveAvgPool2d(const Tensor& input, const Ints& output_size) {
  if (input.dimension_count() < 3) {
    Raise("adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got " + Text(input.sizes()));
  }
  const Ints target = Pair(output_size, {});
  if (target[0] < 0 || target[1] < 0) Raise("adaptive_avg_pool2d: sizes must not be negative");
  const int64_t height = input.size(input.dimension_count() - 2);
  const int64_t width = input.size(input.dimension_count() - 1);
  return ForEachPlane(input, target[0], target[1], [&](const auto* plane, int64_t y, int64_t x) {
    const int64_t top = y * height / target[0];
    const int64_t bottom = ((y + 1) * height + target[0] - 1) / target[0];
    const int64_t left = x * width / target[1];
    const int64_t right = ((x + 1) * width + target[1] - 1) / target[1];
    return MeanOf(plane, width, top, bottom, left, right, (bottom - top) * (right - left));
  });
}

constexpr KernelRow kRows[] = {
    Row<&MaxPool2d>("aten::max_pool2d"),
    Row<&AvgPool2d>("aten::avg_pool2d"),
    Row<&AdaptiveAvgPool2d>("aten::adaptive_avg_pool2d"),
};

}  // namespace

std::span<const KernelRow> PoolingKernels() {
  return kRows;
}

}  // namespace handrail::kernels
