// Products of matrices and of batches of them.
#include <algorithm>

#include <fmt/format.h>

#include "kernels/compose.h"
#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/matrix.h"
#include "kernels/views.h"

namespace handrail::kernels {

namespace {

TensorRef Turned(const Tensor& self) {
  const Ints sizes = {self.size(1), self.size(0)};
  const Ints strides = {self.stride(1), self.stride(0)};
  return ViewOf(self, sizes, strides, self.first_element());
}

// `batch` products of m x k and k x n.
TensorRef Products(const Tensor& a, const Tensor& b, const Ints& sizes, int64_t batch, int64_t m,
                   int64_t k, int64_t n) {
  const ElementType type = a.element_type();
  if (type != b.element_type()) {
    Raise(fmt::format("expected scalar type {} but found {}", TypeName(type),
                      TypeName(b.element_type())));
  }
  const ElementType compute = ComputeType(type);
  const TensorRef left = As(a, compute);
  const TensorRef right = As(b, compute);
  TensorRef out = Filled(compute, sizes, {});
  OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < batch; ++i) {
      AddProduct(MatrixView<T>{left->data<T>() + i * m * k, k},
                 MatrixView<T>{right->data<T>() + i * k * n, n}, out->mutable_data<T>() + i * m * n,
                 n, m, k, n);
    }
  });
  return As(*out, type);
}

void CheckMatrices(const Tensor& a, const Tensor& b) {
  if (a.dimension_count() != 2 || b.dimension_count() != 2) {
    Raise("self must be a matrix");
  }
  if (a.size(1) != b.size(0)) {
    Raise(fmt::format("mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})", a.size(0),
                      a.size(1), b.size(0), b.size(1)));
  }
}
TensorRef Mm(const Tensor& a, const Tensor& b) {
  CheckMatrices(a, b);
  return Products(a, b, {a.size(0), b.size(1)}, 1, a.size(0), a.size(1), b.size(1));
}
TensorRef Bmm(const Tensor& a, const Tensor& b) {
  if (a.dimension_count() != 3 || b.dimension_count() != 3) {
    Raise("batch1 must be a 3D tensor");
  }
  if (a.size(0) != b.size(0) || a.size(2) != b.size(1)) {
    Raise(
        fmt::format("Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but "
                    "got: [{}, {}].",
                    a.size(0), a.size(2), b.size(0), b.size(1)));
  }
  return Products(a, b, {a.size(0), a.size(1), b.size(2)}, a.size(0), a.size(1), a.size(2),
                  b.size(2));
}
TensorRef Matmul(const Tensor& a, const Tensor& b) {
  if (a.dimension_count() == 0 || b.dimension_count() == 0) {
    Raise(fmt::format("both arguments to matmul need to be at least 1D, but they are {}D and {}D",
                      a.dimension_count(), b.dimension_count()));
  }
  Ints left = Sizes(a);
  Ints right = Sizes(b);
  const bool is_row = left.size() == 1;
  const bool is_column = right.size() == 1;
  if (is_row) left.insert(left.begin(), 1);
  if (is_column) right.push_back(1);
  const int64_t m = left[left.size() - 2];
  const int64_t k = left.back();
  const int64_t n = right.back();
  if (k != right[right.size() - 2]) {
    Raise(fmt::format("mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})",
                      a.element_count() / std::max<int64_t>(k, 1), k, right[right.size() - 2], n));
  }
  Ints batch =
      Broadcast(std::span(left).first(left.size() - 2), std::span(right).first(right.size() - 2));
  int64_t count = 1;
  for (int64_t size : batch) count *= size;
  Ints left_sizes = batch;
  left_sizes.insert(left_sizes.end(), {m, k});
  Ints right_sizes = batch;
  right_sizes.insert(right_sizes.end(), {k, n});
  const TensorRef wide_left = As(*Reshaped(a, left), a.element_type(), left_sizes);
  const TensorRef wide_right = As(*Reshaped(b, right), b.element_type(), right_sizes);
  Ints sizes = batch;
  sizes.insert(sizes.end(), {m, n});
  const TensorRef result = Products(*wide_left, *wide_right, sizes, count, m, k, n);
  if (is_column) sizes.pop_back();
  if (is_row) sizes.erase(sizes.end() - (is_column ? 1 : 2));
  return Reshaped(*result, sizes);
}
// beta * bias + alpha * product; what bias holds does not matter where beta is 0.
TensorRef AddTo(const TensorRef& product, const Tensor& bias, Scalar beta, Scalar alpha) {
  TensorRef scaled = alpha.number == 1 ? product : ProductWith(*product, alpha);
  const TensorRef wide = ExpandedTo(bias, Sizes(*product));
  if (beta.number == 0) return scaled;
  return Sum(beta.number == 1 ? *wide : *ProductWith(*wide, beta), *scaled);
}
TensorRef Addmm(const Tensor& bias, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  return AddTo(Mm(a, b), bias, beta, alpha);
}
TensorRef Baddbmm(const Tensor& bias, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  return AddTo(Bmm(a, b), bias, beta, alpha);
}
TensorRef Linear(const Tensor& input, const Tensor& weight, const Tensor* bias) {
  if (weight.dimension_count() != 2) Raise("linear: the weight must be a matrix");
  const TensorRef result = Matmul(input, *Turned(weight));
  return bias ? Sum(*result, *bias) : result;
}

constexpr KernelRow kRows[] = {
    Row<&Mm>("aten::mm"),       Row<&Bmm>("aten::bmm"),         Row<&Matmul>("aten::matmul"),
    Row<&Addmm>("aten::addmm"), Row<&Baddbmm>("aten::baddbmm"), Row<&Linear>("aten::linear"),
};

}  // namespace

TensorRef MatrixProduct(const Tensor& a, const Tensor& b) {
  return Matmul(a, b);
}
TensorRef LinearLayer(const Tensor& input, const Tensor& weight, const Tensor* bias) {
  return Linear(input, weight, bias);
}

std::span<const KernelRow> MatrixKernels() {
  return kRows;
}

}  // namespace handrail::kernels
