// The operators that are convolutions.
#include <fmt/format.h>

#include "kernels/convolution.h"
#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/views.h"

namespace handrail::kernels {

namespace {

Ints Expanded(const Ints& given, std::string_view name, size_t count) {
  if (given.size() == 1) return Ints(count, given[0]);
  if (given.size() != count) {
    Raise(fmt::format(
        "expected {} to be a single integer value or a list of {} values to match the convolution "
        "dimensions, but got {}={}",
        name, count, name, Text(given)));
  }
  return given;
}

TensorRef Run(const Tensor& input, const Tensor& weight, const Tensor* bias,
              ConvolutionOptions options) {
  if (weight.dimension_count() < 3 || weight.dimension_count() > 5) {
    Raise("weight should have at least three dimensions");
  }
  const size_t count = weight.dimension_count() - 2;
  options.stride = Expanded(options.stride, "stride", count);
  options.padding = Expanded(options.padding, "padding", count);
  options.dilation = Expanded(options.dilation, "dilation", count);
  options.output_padding = Expanded(options.output_padding, "output_padding", count);
  return Convolve(input, weight, bias, options);
}
// The input may be one image without a batch.
TensorRef RunOnAny(const Tensor& input, const Tensor& weight, const Tensor* bias,
                   ConvolutionOptions options) {
  if (input.dimension_count() + 1 == weight.dimension_count()) {
    return Selected(*Run(*Unsqueezed(input, 0), weight, bias, std::move(options)), 0, 0);
  }
  return Run(input, weight, bias, std::move(options));
}

void CheckInput(const Tensor& input, std::string_view name, size_t count) {
  if (input.dimension_count() != count + 1 && input.dimension_count() != count + 2) {
    Raise(fmt::format(
        "Expected {}D (unbatched) or {}D (batched) input to {}, but got input of size: {}",
        count + 1, count + 2, name, Text(input.sizes())));
  }
}

constexpr std::string_view kNames[] = {"", "conv1d", "conv2d", "conv3d"};
constexpr std::string_view kTurnedNames[] = {"", "conv_transpose1d", "conv_transpose2d",
                                             "conv_transpose3d"};

template <size_t kCount>
TensorRef Plain(const Tensor& input, const Tensor& weight, const Tensor* bias, const Ints& stride,
                const Ints& padding, const Ints& dilation, int64_t groups) {
  CheckInput(input, kNames[kCount], kCount);
  return RunOnAny(input, weight, bias, {stride, padding, dilation, {0}, false, groups});
}
template <size_t kCount>
TensorRef Turned(const Tensor& input, const Tensor& weight, const Tensor* bias, const Ints& stride,
                 const Ints& padding, const Ints& output_padding, int64_t groups,
                 const Ints& dilation) {
  CheckInput(input, kTurnedNames[kCount], kCount);
  return RunOnAny(input, weight, bias, {stride, padding, dilation, output_padding, true, groups});
}

// "same": the result has the input's size; where the padding is odd, one more comes behind.
template <size_t kCount>
TensorRef Padded(const Tensor& input, const Tensor& weight, const Tensor* bias, const Ints& stride,
                 const std::string& padding, const Ints& dilation, int64_t groups) {
  CheckInput(input, kNames[kCount], kCount);
  if (padding == "valid") {
    return RunOnAny(input, weight, bias, {stride, {0}, dilation, {0}, false, groups});
  }
  if (padding != "same") Raise("Invalid padding string: '" + padding + "'");
  if (weight.dimension_count() != kCount + 2) Raise("conv: the weight has wrong dimensions");
  const Ints steps = Expanded(dilation, "dilation", kCount);
  for (int64_t step : Expanded(stride, "stride", kCount)) {
    if (step != 1) Raise("padding='same' is not supported for strided convolutions");
  }
  Ints sides;  // of the last dimension first: before and behind
  for (size_t d = kCount; d-- > 0;) {
    const int64_t total = steps[d] * (weight.sizes()[d + 2] - 1);
    sides.push_back(total / 2);
    sides.push_back(total - total / 2);
  }
  return RunOnAny(*PaddedBy(input, sides, {}), weight, bias,
                  {stride, {0}, dilation, {0}, false, groups});
}

TensorRef General(const Tensor& input, const Tensor& weight, const Tensor* bias, const Ints& stride,
                  const Ints& padding, const Ints& dilation, bool is_turned,
                  const Ints& output_padding, int64_t groups) {
  return Run(input, weight, bias, {stride, padding, dilation, output_padding, is_turned, groups});
}
TensorRef GeneralOfTracing(const Tensor& input, const Tensor& weight, const Tensor* bias,
                           const Ints& stride, const Ints& padding, const Ints& dilation,
                           bool is_turned, const Ints& output_padding, int64_t groups,
                           bool /*benchmark*/, bool /*deterministic*/, bool /*cudnn*/,
                           bool /*tf32*/) {
  return General(input, weight, bias, stride, padding, dilation, is_turned, output_padding, groups);
}
TensorRef GeneralOfOldTracing(const Tensor& input, const Tensor& weight, const Tensor* bias,
                              const Ints& stride, const Ints& padding, const Ints& dilation,
                              bool is_turned, const Ints& output_padding, int64_t groups,
                              bool /*benchmark*/, bool /*deterministic*/, bool /*cudnn*/) {
  return General(input, weight, bias, stride, padding, dilation, is_turned, output_padding, groups);
}

constexpr KernelRow kRows[] = {
    Row<&Plain<1>>("aten::conv1d"),
    Row<&Plain<2>>("aten::conv2d"),
    Row<&Plain<3>>("aten::conv3d"),
    Row<&Padded<1>>("aten::conv1d.padding"),
    Row<&Padded<2>>("aten::conv2d.padding"),
    Row<&Padded<3>>("aten::conv3d.padding"),
    Row<&Turned<1>>("aten::conv_transpose1d"),
    Row<&Turned<2>>("aten::conv_transpose2d.input"),
    Row<&Turned<3>>("aten::conv_transpose3d.input"),
    Row<&General>("aten::convolution"),
    Row<&GeneralOfTracing>("aten::_convolution"),
    Row<&GeneralOfOldTracing>("aten::_convolution.deprecated"),
};

}  // namespace

std::span<const KernelRow> ConvolutionKernels() {
  return kRows;
}

}  // namespace handrail::kernels
