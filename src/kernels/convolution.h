// Convolutions over one, two or three dimensions, turned ones included.
#pragma once

#include "kernels/boxing.h"

namespace handrail::kernels {

struct ConvolutionOptions {
  Ints stride, padding, dilation, output_padding;
  bool is_turned = false;  // PyTorch's "transposed"
  int64_t groups = 1;
};
// The input has a batch; `bias` may be null. Fails as PyTorch does.
TensorRef Convolve(const Tensor& input, const Tensor& weight, const Tensor* bias,
                   const ConvolutionOptions& options);

}  // namespace handrail::kernels
