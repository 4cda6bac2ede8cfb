// Operators of vision models: patches as columns, sampling at places, suppression of boxes.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/indexing.h"
#include "kernels/views.h"
#include "kernels/windows.h"

namespace handrail::kernels {

namespace {

TensorRef PatchesAsColumns(const Tensor& input, const Ints& kernel, const Ints& dilation,
                           const Ints& padding, const Ints& stride) {
  if (input.dimension_count() == 3) {
    return Selected(*PatchesAsColumns(*Unsqueezed(input, 0), kernel, dilation, padding, stride), 0,
                    0);
  }
  if (input.dimension_count() != 4 || kernel.size() != 2 || dilation.size() != 2 ||
      padding.size() != 2 || stride.size() != 2) {
    Raise(
        "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and non-zero "
        "dimensions for input, but got: " +
        Text(input.sizes()));
  }
  Windows w;
  w.input = Widened(input.sizes().last(2), 1);
  w.kernel = Widened(kernel, 1);
  w.dilation = Widened(dilation, 1);
  w.padding = Widened(padding, 0);
  w.stride = Widened(stride, 1);
  for (size_t d = 0; d < 3; ++d) {
    for (int64_t number : {w.kernel[d], w.dilation[d], w.stride[d]}) {
      if (number <= 0 || number > INT32_MAX) Raise("im2col: numbers should be greater than zero");
    }
    if (w.padding[d] < 0 || w.padding[d] > INT32_MAX) Raise("padding should be non-negative");
    const int64_t reach = w.input[d] + 2 * w.padding[d] - w.dilation[d] * (w.kernel[d] - 1) - 1;
    if (reach < 0) Raise("im2col: the kernel is larger than the padded input");
    w.output[d] = reach / w.stride[d] + 1;
  }
  const Ints sizes = {input.size(0), input.size(1) * w.kernel_count(), w.output_count()};
  TensorRef result = Filled(input.element_type(), sizes, {});
  const TensorRef source = Contiguous(input);
  const int64_t bytes = input.element_bytes();
  std::byte* out = result->mutable_bytes();
  for (int64_t plane = 0; plane < input.size(0) * input.size(1); ++plane) {
    for (int64_t k = 0; k < w.kernel_count(); ++k) {
      for (int64_t i = 0; i < w.output_count(); ++i, out += bytes) {
        const int64_t y = w.Place(1, i / w.output[2], k / w.kernel[2]);
        const int64_t x = w.Place(2, i % w.output[2], k % w.kernel[2]);
        if (y < 0 || y >= w.input[1] || x < 0 || x >= w.input[2]) continue;
        std::copy_n(source->bytes() + (plane * w.input_count() + y * w.input[2] + x) * bytes, bytes,
                    out);
      }
    }
  }
  return result;
}

// A place in [-1, 1] counted in elements.
double PlaceOf(double coordinate, int64_t size, bool aligns) {
  const auto count = static_cast<double>(size);
  return aligns ? (coordinate + 1) / 2 * (count - 1) : ((coordinate + 1) * count - 1) / 2;
}

TensorRef SampleAtPlaces(const Tensor& input, const Tensor& grid, int64_t interpolation,
                         int64_t padding, bool aligns) {
  if (input.element_type() != grid.element_type()) {
    Raise(fmt::format("expected scalar type {} but found {}", TypeName(input.element_type()),
                      TypeName(grid.element_type())));
  }
  if (input.dimension_count() != 4 || grid.dimension_count() != 4 || grid.size(3) != 2 ||
      grid.size(0) != input.size(0) || interpolation < 0 || interpolation > 1 || padding < 0 ||
      padding > 1) {
    Raise(
        "grid_sampler: there is a kernel for two dimensions, bilinear or nearest, and padding by "
        "zeros or by the border alone");
  }
  const TensorRef in = As(input, ElementType::kFloat64);
  const TensorRef places = As(grid, ElementType::kFloat64);
  const int64_t height = input.size(2);
  const int64_t width = input.size(3);
  const Ints sizes = {input.size(0), input.size(1), grid.size(1), grid.size(2)};
  TensorRef result = New(ElementType::kFloat64, sizes);
  const int64_t area = sizes[2] * sizes[3];
  const auto read = [&](const double* plane, int64_t y, int64_t x) {
    return y < 0 || y >= height || x < 0 || x >= width ? 0.0 : plane[y * width + x];
  };
  for (int64_t n = 0; n < sizes[0]; ++n) {
    for (int64_t i = 0; i < area; ++i) {
      const double* pair = places->data<double>() + (n * area + i) * 2;
      double x = PlaceOf(pair[0], width, aligns);
      double y = PlaceOf(pair[1], height, aligns);
      if (padding == 1) {
        x = std::clamp(x, 0.0, static_cast<double>(std::max<int64_t>(width - 1, 0)));
        y = std::clamp(y, 0.0, static_cast<double>(std::max<int64_t>(height - 1, 0)));
      }
      // Far outside, or no number: as good as any place outside.
      if (!(std::fabs(x) < 1e9)) x = -2;
      if (!(std::fabs(y) < 1e9)) y = -2;
      if (interpolation == 1) {
        x = std::nearbyint(x);
        y = std::nearbyint(y);
      }
      const auto left = static_cast<int64_t>(std::floor(x));
      const auto top = static_cast<int64_t>(std::floor(y));
      const double dx = x - std::floor(x);
      const double dy = y - std::floor(y);
      for (int64_t c = 0; c < sizes[1]; ++c) {
        const double* plane = in->data<double>() + (n * sizes[1] + c) * height * width;
        result->mutable_data<double>()[(n * sizes[1] + c) * area + i] =
            (read(plane, top, left) * (1 - dx) + read(plane, top, left + 1) * dx) * (1 - dy) +
            (read(plane, top + 1, left) * (1 - dx) + read(plane, top + 1, left + 1) * dx) * dy;
      }
    }
  }
  return As(*result, input.element_type());
}

// The boxes that no better box covers by more than the threshold, the best first.
TensorRef Suppressed(const Tensor& boxes, const Tensor& scores, double threshold) {
  if (boxes.dimension_count() != 2) {
    Raise(fmt::format("boxes should be a 2d tensor, got {}D", boxes.dimension_count()));
  }
  if (boxes.size(1) != 4) {
    Raise(fmt::format("boxes should have 4 elements in dimension 1, got {}", boxes.size(1)));
  }
  if (scores.dimension_count() != 1) {
    Raise(fmt::format("scores should be a 1d tensor, got {}D", scores.dimension_count()));
  }
  if (scores.size(0) != boxes.size(0)) {
    Raise(
        fmt::format("boxes and scores should have same number of elements in dimension 0, got {} "
                    "and {}",
                    boxes.size(0), scores.size(0)));
  }
  const TensorRef corners = As(boxes, ElementType::kFloat64);
  const TensorRef values = As(scores, ElementType::kFloat64);
  const double* score = values->data<double>();
  std::vector<int64_t> order(static_cast<size_t>(boxes.size(0)));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return score[a] > score[b]; });
  const auto area = [](const double* box) { return (box[2] - box[0]) * (box[3] - box[1]); };
  Ints kept;
  for (int64_t row : order) {
    const double* box = corners->data<double>() + row * 4;
    const bool is_covered = std::any_of(kept.begin(), kept.end(), [&](int64_t better) {
      const double* other = corners->data<double>() + better * 4;
      const double width = std::min(box[2], other[2]) - std::max(box[0], other[0]);
      const double height = std::min(box[3], other[3]) - std::max(box[1], other[1]);
      const double common = std::max(width, 0.0) * std::max(height, 0.0);
      return common > threshold * (area(box) + area(other) - common);
    });
    if (!is_covered) kept.push_back(row);
  }
  const Ints sizes = {static_cast<int64_t>(kept.size())};
  TensorRef result = New(ElementType::kInt64, sizes);
  std::copy(kept.begin(), kept.end(), result->mutable_data<int64_t>());
  return result;
}

// One vector of places for each dimension.
std::vector<TensorRef> PlacesOfTrue(const Tensor& condition) {
  const TensorRef places =
      NonzeroPlaces(condition.dimension_count() == 0 ? *Unsqueezed(condition, 0) : condition);
  std::vector<TensorRef> result;
  for (int64_t d = 0; d < places->size(1); ++d) result.push_back(Selected(*places, 1, d));
  return result;
}

constexpr KernelRow kRows[] = {
    Row<&PatchesAsColumns>("aten::im2col"),
    Row<&SampleAtPlaces>("aten::grid_sampler"),
    Row<&Suppressed>("torchvision::nms"),
    Row<&PlacesOfTrue>("aten::where"),
};

}  // namespace

std::span<const KernelRow> VisionKernels() {
  return kRows;
}

}  // namespace handrail::kernels
