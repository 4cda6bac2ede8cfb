// Kernels on the singular values of matrices.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "kernels/elements.h"
#include "kernels/families.h"

namespace handrail::kernels {

namespace {

// A matrix by columns.
struct Columns {
  size_t row_count;
  std::vector<std::vector<double>> columns;
};

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void Rotate(std::vector<double>& a, std::vector<double>& b, double cosine, double sine) {
  for (size_t i = 0; i < a.size(); ++i) {
    const double left = a[i];
    a[i] = cosine * left - sine * b[i];
    b[i] = sine * left + cosine * b[i];
  }
}

// Turns the columns of `matrix` until they are orthogonal (one-sided Jacobi); `turned` takes part
// in every turn. Then matrix = U S, and the singular values are the columns' lengths.
void MakeOrthogonal(Columns& matrix, Columns& turned) {
  constexpr int kSweepsMax = 60;
  constexpr double kSmall = std::numeric_limits<double>::epsilon();
  const size_t count = matrix.columns.size();
  bool is_done = false;
  for (int sweep = 0; sweep < kSweepsMax && !is_done; ++sweep) {
    is_done = true;
    for (size_t p = 0; p < count; ++p) {
      for (size_t q = p + 1; q < count; ++q) {
        const double pp = Dot(matrix.columns[p], matrix.columns[p]);
        const double qq = Dot(matrix.columns[q], matrix.columns[q]);
        const double pq = Dot(matrix.columns[p], matrix.columns[q]);
        if (!(std::abs(pq) > kSmall * std::sqrt(pp * qq))) continue;
        is_done = false;
        const double zeta = (qq - pp) / (2 * pq);
        const double tangent =
            std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const double cosine = 1 / std::sqrt(1 + tangent * tangent);
        Rotate(matrix.columns[p], matrix.columns[q], cosine, cosine * tangent);
        Rotate(turned.columns[p], turned.columns[q], cosine, cosine * tangent);
      }
    }
  }
}

Columns Identity(size_t count) {
  Columns matrix{count, std::vector<std::vector<double>>(count, std::vector<double>(count))};
  for (size_t i = 0; i < count; ++i) matrix.columns[i][i] = 1;
  return matrix;
}

// Of the m x n matrix at `from`, m rows; the n x m result goes to `to`.
void Invert(const double* from, double* to, size_t m, size_t n, double smallest_share) {
  // A has at least as many rows as columns; else its transpose takes its place.
  const bool is_turned = m < n;
  const size_t rows = std::max(m, n);
  const size_t count = std::min(m, n);
  Columns matrix{rows, std::vector<std::vector<double>>(count, std::vector<double>(rows))};
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      (is_turned ? matrix.columns[i][j] : matrix.columns[j][i]) = from[i * n + j];
    }
  }
  Columns right = Identity(count);
  MakeOrthogonal(matrix, right);
  double largest = 0;
  for (const auto& column : matrix.columns) largest = std::max(largest, Dot(column, column));
  const double cut = smallest_share * std::sqrt(largest);
  // A = U S V', so that its inverse is V S^-2 (U S)'.
  std::fill(to, to + m * n, 0.0);
  for (size_t k = 0; k < count; ++k) {
    const double square = Dot(matrix.columns[k], matrix.columns[k]);
    if (!(std::sqrt(square) > cut)) continue;
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < rows; ++j) {
        double& element = is_turned ? to[j * m + i] : to[i * m + j];
        element += right.columns[k][i] * matrix.columns[k][j] / square;
      }
    }
  }
}

TensorRef PseudoInverse(const Tensor& self, double smallest_share) {
  if (self.dimension_count() < 2) {
    Raise(
        fmt::format("linalg.pinv: The input tensor must have at least 2 dimensions, but got {}D "
                    "tensor.",
                    self.dimension_count()));
  }
  if (!IsFloating(self.element_type())) {
    Raise(fmt::format("linalg.pinv: Expected a floating point or complex tensor as input. Got {}",
                      TypeName(self.element_type())));
  }
  Ints sizes = Sizes(self);
  const auto m = static_cast<size_t>(sizes[sizes.size() - 2]);
  const auto n = static_cast<size_t>(sizes.back());
  std::swap(sizes[sizes.size() - 2], sizes.back());
  const TensorRef input = As(self, ElementType::kFloat64);
  TensorRef out = New(ElementType::kFloat64, sizes);
  const auto matrix_size = static_cast<int64_t>(m * n);
  for (int64_t at = 0; at < out->element_count(); at += matrix_size) {
    Invert(input->data<double>() + at, out->mutable_data<double>() + at, m, n, smallest_share);
  }
  return As(*out, self.element_type());
}

constexpr KernelRow kRows[] = {Row<&PseudoInverse>("aten::pinverse")};

}  // namespace

std::span<const KernelRow> DecompositionKernels() {
  return kRows;
}

}  // namespace handrail::kernels
