// Kernels that others are composed of. Each does what PyTorch's operator of that name does.
#pragma once

#include "kernels/boxing.h"

namespace handrail::kernels {

TensorRef Sum(const Tensor& a, const Tensor& b);
TensorRef Difference(const Tensor& a, const Tensor& b);
TensorRef Product(const Tensor& a, const Tensor& b);
TensorRef Quotient(const Tensor& a, const Tensor& b);
TensorRef ProductWith(const Tensor& a, Scalar b);
TensorRef MatrixProduct(const Tensor& a, const Tensor& b);  // aten::matmul
TensorRef LinearLayer(const Tensor& input, const Tensor& weight, const Tensor* bias);
TensorRef SoftmaxOver(const Tensor& input, size_t dimension);
TensorRef NormalizedLayers(const Tensor& input, const Ints& shape, const Tensor* weight,
                           const Tensor* bias, double epsilon);
TensorRef SigmoidOf(const Tensor& x);
TensorRef TanhOf(const Tensor& x);
TensorRef ReluOf(const Tensor& x);
TensorRef GeluOf(const Tensor& x);
inline Scalar Number(double value) {
  return {Kind::kFloat, 0, value};
}

}  // namespace handrail::kernels
