// Pooling over one, two and three dimensions.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/operations.h"
#include "kernels/windows.h"

namespace handrail::kernels {

namespace {

// Of `count` dimensions, as three.
Triple Numbers(const Ints& given, size_t count, int64_t fill, std::string_view pool,
               std::string_view what) {
  if (given.size() == 1) return Widened(Ints(count, given[0]), fill);
  if (given.size() != count) {
    Raise(fmt::format("{}: {} must either be a single int, or a tuple of {} ints", pool, what,
                      count));
  }
  return Widened(given, fill);
}

int64_t OutputSize(int64_t size, const Windows& w, size_t d, bool is_ceiling) {
  const int64_t reach = size + 2 * w.padding[d] - w.dilation[d] * (w.kernel[d] - 1) - 1 +
                        (is_ceiling ? w.stride[d] - 1 : 0);
  int64_t result =
      (reach < 0 ? -((-reach + w.stride[d] - 1) / w.stride[d]) : reach / w.stride[d]) + 1;
  // The last window must begin inside of the input or its left padding.
  if (is_ceiling && (result - 1) * w.stride[d] >= size + w.padding[d]) --result;
  return result;
}

std::string By(std::span<const int64_t> sizes) {
  return fmt::format("{}", fmt::join(sizes, "x"));
}

struct Options {
  std::string_view name;
  size_t count;
  bool is_ceiling = false;
};

void CheckInput(const Tensor& input, const Options& o) {
  const uint32_t dimensions = input.dimension_count();
  if (dimensions != o.count + 1 && dimensions != o.count + 2) {
    if (o.count == 1) {
      Raise(fmt::format("{}() Expected 2D or 3D input tensor, but got {}", o.name,
                        Text(input.sizes())));
    }
    Raise(
        fmt::format("Expected {}D or {}D (batch mode) tensor with optional 0 dim batch size for "
                    "input, but got:{}",
                    o.count + 1, o.count + 2, Text(input.sizes())));
  }
  if (!IsFloating(input.element_type()) && input.element_type() != ElementType::kInt64) {
    Raise(fmt::format("\"{}\" not implemented for '{}'", o.name, TypeName(input.element_type())));
  }
}

Windows Planned(const Tensor& input, const Options& o, const Ints& kernel, const Ints& stride,
                const Ints& padding, const Ints& dilation) {
  CheckInput(input, o);
  Windows w;
  w.kernel = Numbers(kernel, o.count, 1, o.name, "kernel_size");
  w.stride = stride.empty() ? w.kernel : Numbers(stride, o.count, 1, o.name, "stride");
  w.padding = Numbers(padding, o.count, 0, o.name, "padding");
  w.dilation = Numbers(dilation, o.count, 1, o.name, "dilation");
  w.input = Widened(input.sizes().last(o.count), 1);
  for (size_t d = 3 - o.count; d < 3; ++d) {
    if (w.kernel[d] <= 0 || w.stride[d] <= 0 || w.dilation[d] <= 0 || w.kernel[d] > INT32_MAX ||
        w.stride[d] > INT32_MAX || w.dilation[d] > INT32_MAX) {
      Raise(w.stride[d] == 0 ? "stride should not be zero"
                             : "kernel size, stride and dilation should be greater than zero");
    }
  }
  for (size_t d = 3 - o.count; d < 3; ++d) {
    if (w.padding[d] < 0)
      Raise(fmt::format("pad must be non-negative, but got pad: {}", w.padding[d]));
    if (w.padding[d] > w.kernel[d] / 2) {
      Raise(
          fmt::format("pad should be at most half of kernel size, but got pad={} and "
                      "kernel_size={}",
                      w.padding[d], w.kernel[d]));
    }
  }
  bool is_empty = false;
  for (size_t d = 0; d < 3; ++d) {
    w.output[d] = OutputSize(w.input[d], w, d, o.is_ceiling);
    is_empty = is_empty || w.output[d] < 1;
  }
  if (is_empty) {
    const int64_t channels = input.sizes()[input.dimension_count() - o.count - 1];
    const size_t first = o.count == 3 ? 0 : 1;
    Raise(
        fmt::format("Given input size: ({}x{}). Calculated output size: ({}x{}). Output size is "
                    "too small",
                    channels, By(std::span(w.input).subspan(first)), channels,
                    By(std::span(w.output).subspan(first))));
  }
  return w;
}

struct Box {
  Triple from;
  Triple to;
};

// Calls `pool(plane, window's place)` for each element of the result.
template <typename Pool>
TensorRef ForEachWindow(const Tensor& input, const Windows& w, size_t count, ElementType result,
                        Pool&& pool) {
  Ints sizes = Sizes(input);
  for (size_t d = 0; d < count; ++d) sizes[sizes.size() - count + d] = w.output[3 - count + d];
  const ElementType compute = ComputeType(input.element_type());
  const TensorRef in = As(input, compute);
  return OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    using R = decltype(pool(static_cast<const T*>(nullptr), Triple{}));
    TensorRef out = New(std::is_same_v<R, int64_t> ? ElementType::kInt64 : compute, sizes);
    R* element = out->mutable_data<R>();
    const int64_t area = w.input_count();
    const int64_t planes = w.output_count() == 0 ? 0 : out->element_count() / w.output_count();
    for (int64_t plane = 0; plane < planes; ++plane) {
      const T* elements = in->data<T>() + plane * area;
      for (int64_t z = 0; z < w.output[0]; ++z) {
        for (int64_t y = 0; y < w.output[1]; ++y) {
          for (int64_t x = 0; x < w.output[2]; ++x) *element++ = pool(elements, Triple{z, y, x});
        }
      }
    }
    return As(*out, result);
  });
}

// The place in the plane of the window's largest element.
template <typename T>
int64_t PlaceOfLargest(const T* plane, const Windows& w, const Triple& at) {
  Triple from{};
  Triple to{};
  for (size_t d = 0; d < 3; ++d) {
    const int64_t start = at[d] * w.stride[d] - w.padding[d];
    to[d] = std::min(start + (w.kernel[d] - 1) * w.dilation[d] + 1, w.input[d]);
    from[d] =
        start < 0 ? start + (-start + w.dilation[d] - 1) / w.dilation[d] * w.dilation[d] : start;
  }
  int64_t best = (from[0] * w.input[1] + from[1]) * w.input[2] + from[2];
  for (int64_t z = from[0]; z < to[0]; z += w.dilation[0]) {
    for (int64_t y = from[1]; y < to[1]; y += w.dilation[1]) {
      const int64_t line = (z * w.input[1] + y) * w.input[2];
      for (int64_t x = from[2]; x < to[2]; x += w.dilation[2]) {
        const T value = plane[line + x];
        if (value > plane[best] || IsNan(value)) best = line + x;
      }
    }
  }
  return best;
}

constexpr std::string_view kMaxNames[] = {"", "max_pool1d", "max_pool2d", "max_pool3d"};
constexpr std::string_view kAverageNames[] = {"", "avg_pool1d", "avg_pool2d", "avg_pool3d"};

template <size_t kCount>
TensorRef MaxPool(const Tensor& input, const Ints& kernel, const Ints& stride, const Ints& padding,
                  const Ints& dilation, bool is_ceiling) {
  const Windows w =
      Planned(input, {kMaxNames[kCount], kCount, is_ceiling}, kernel, stride, padding, dilation);
  return ForEachWindow(
      input, w, kCount, input.element_type(),
      [&](const auto* plane, const Triple& at) { return plane[PlaceOfLargest(plane, w, at)]; });
}
template <size_t kCount>
std::tuple<TensorRef, TensorRef> MaxPoolWithPlaces(const Tensor& input, const Ints& kernel,
                                                   const Ints& stride, const Ints& padding,
                                                   const Ints& dilation, bool is_ceiling) {
  const Windows w =
      Planned(input, {kMaxNames[kCount], kCount, is_ceiling}, kernel, stride, padding, dilation);
  return {MaxPool<kCount>(input, kernel, stride, padding, dilation, is_ceiling),
          ForEachWindow(
              input, w, kCount, ElementType::kInt64,
              [&](const auto* plane, const Triple& at) { return PlaceOfLargest(plane, w, at); })};
}

template <typename T>
T SumOf(const T* plane, const Triple& input, const Box& box) {
  T sum{};
  for (int64_t z = box.from[0]; z < box.to[0]; ++z) {
    for (int64_t y = box.from[1]; y < box.to[1]; ++y) {
      const T* line = plane + (z * input[1] + y) * input[2];
      for (int64_t x = box.from[2]; x < box.to[2]; ++x) sum += line[x];
    }
  }
  return sum;
}
int64_t CountOf(const Box& box) {
  return (box.to[0] - box.from[0]) * (box.to[1] - box.from[1]) * (box.to[2] - box.from[2]);
}
template <typename T>
T Divided(T sum, int64_t divisor) {
  if constexpr (std::is_integral_v<T>) {
    return divisor == 0 ? 0 : sum / divisor;
  } else {
    return divisor == 0 ? std::numeric_limits<T>::quiet_NaN() : sum / static_cast<T>(divisor);
  }
}

template <size_t kCount>
TensorRef AveragePool(const Tensor& input, const Ints& kernel, const Ints& stride,
                      const Ints& padding, bool is_ceiling, bool counts_padding,
                      std::optional<int64_t> divisor) {
  const Windows w =
      Planned(input, {kAverageNames[kCount], kCount, is_ceiling}, kernel, stride, padding, {1});
  if (divisor && *divisor == 0) Raise("divisor must be not zero");
  return ForEachWindow(
      input, w, kCount, input.element_type(), [&](const auto* plane, const Triple& at) {
        Box box{};
        int64_t padded = 1;
        for (size_t d = 0; d < 3; ++d) {
          const int64_t start = at[d] * w.stride[d] - w.padding[d];
          const int64_t end = std::min(start + w.kernel[d], w.input[d] + w.padding[d]);
          padded *= end - start;
          box.from[d] = std::max<int64_t>(start, 0);
          box.to[d] = std::min(end, w.input[d]);
        }
        const auto sum = SumOf(plane, w.input, box);
        return Divided(sum, divisor ? *divisor : (counts_padding ? padded : CountOf(box)));
      });
}
TensorRef AveragePool1d(const Tensor& input, const Ints& kernel, const Ints& stride,
                        const Ints& padding, bool is_ceiling, bool counts_padding) {
  return AveragePool<1>(input, kernel, stride, padding, is_ceiling, counts_padding, std::nullopt);
}

// Windows that part the input into as many pieces as there are results.
template <size_t kCount>
Windows Adaptive(const Tensor& input, const Ints& sizes, std::string_view name) {
  if (sizes.size() != 1 && sizes.size() != kCount) {
    Raise(fmt::format("{}: internal error: output_size.size() must be {}", name, kCount));
  }
  CheckInput(input, {name, kCount});
  Windows w;
  w.input = Widened(input.sizes().last(kCount), 1);
  w.output = Numbers(sizes, kCount, 1, name, "output_size");
  for (int64_t size : w.output) {
    if (size < 0) Raise("elements of output_size must be greater than or equal to 0");
  }
  return w;
}
Box PieceOf(const Windows& w, const Triple& at) {
  Box box{};
  for (size_t d = 0; d < 3; ++d) {
    box.from[d] = at[d] * w.input[d] / w.output[d];
    box.to[d] = ((at[d] + 1) * w.input[d] + w.output[d] - 1) / w.output[d];
  }
  return box;
}
template <size_t kCount>
TensorRef AdaptiveAverage(const Tensor& input, const Ints& sizes) {
  constexpr std::string_view kNames[] = {"", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
                                         "adaptive_avg_pool3d"};
  const Windows w = Adaptive<kCount>(input, sizes, kNames[kCount]);
  return ForEachWindow(input, w, kCount, input.element_type(),
                       [&](const auto* plane, const Triple& at) {
                         const Box box = PieceOf(w, at);
                         return Divided(SumOf(plane, w.input, box), CountOf(box));
                       });
}
template <size_t kCount>
std::tuple<TensorRef, TensorRef> AdaptiveMax(const Tensor& input, const Ints& sizes) {
  constexpr std::string_view kNames[] = {"", "adaptive_max_pool1d", "adaptive_max_pool2d",
                                         "adaptive_max_pool3d"};
  const Windows w = Adaptive<kCount>(input, sizes, kNames[kCount]);
  const auto place = [&](const auto* plane, const Triple& at) {
    const Box box = PieceOf(w, at);
    int64_t best = (box.from[0] * w.input[1] + box.from[1]) * w.input[2] + box.from[2];
    for (int64_t z = box.from[0]; z < box.to[0]; ++z) {
      for (int64_t y = box.from[1]; y < box.to[1]; ++y) {
        const int64_t line = (z * w.input[1] + y) * w.input[2];
        for (int64_t x = box.from[2]; x < box.to[2]; ++x) {
          if (plane[line + x] > plane[best] || IsNan(plane[line + x])) best = line + x;
        }
      }
    }
    return best;
  };
  return {
      ForEachWindow(input, w, kCount, input.element_type(),
                    [&](const auto* plane, const Triple& at) { return plane[place(plane, at)]; }),
      ForEachWindow(input, w, kCount, ElementType::kInt64, place)};
}

constexpr KernelRow kRows[] = {
    Row<&MaxPool<1>>("aten::max_pool1d"),
    Row<&MaxPool<2>>("aten::max_pool2d"),
    Row<&MaxPool<3>>("aten::max_pool3d"),
    Row<&MaxPoolWithPlaces<1>>("aten::max_pool1d_with_indices"),
    Row<&MaxPoolWithPlaces<2>>("aten::max_pool2d_with_indices"),
    Row<&MaxPoolWithPlaces<3>>("aten::max_pool3d_with_indices"),
    Row<&AveragePool1d>("aten::avg_pool1d"),
    Row<&AveragePool<2>>("aten::avg_pool2d"),
    Row<&AveragePool<3>>("aten::avg_pool3d"),
    Row<&AdaptiveAverage<1>>("aten::adaptive_avg_pool1d"),
    Row<&AdaptiveAverage<2>>("aten::adaptive_avg_pool2d"),
    Row<&AdaptiveAverage<3>>("aten::adaptive_avg_pool3d"),
    Row<&AdaptiveMax<1>>("aten::adaptive_max_pool1d"),
    Row<&AdaptiveMax<2>>("aten::adaptive_max_pool2d"),
    Row<&AdaptiveMax<3>>("aten::adaptive_max_pool3d"),
};

}  // namespace

std::span<const KernelRow> PoolingKernels() {
  return kRows;
}

}  // namespace handrail::kernels
