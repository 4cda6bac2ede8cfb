// Products of matrices: what linear layers and convolutions are made of.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace handrail::kernels {

// A matrix that someone else holds; strides are counted in elements.
template <typename T>
struct MatrixView {
  const T* elements;
  int64_t row_stride;
  int64_t column_stride = 1;

  MatrixView Turned() const { return {elements, column_stride, row_stride}; }
};

// Products are taken in tiles of kTileRows rows and two vectors of columns, whose sums stay in
// registers.
template <typename T>
struct Tile {
  static constexpr int64_t kRows = 4;
  static constexpr int64_t kLanes = 16 / int64_t{sizeof(T)};
  static constexpr int64_t kColumns = 2 * kLanes;
  using Vector [[gnu::vector_size(16)]] = T;

  // c (kCount x kColumns, or the first `columns` of them) += a (kCount x depth) * panel.
  template <size_t kCount>
  static void Add(MatrixView<T> a, const T* panel, int64_t depth, T* c, int64_t c_stride,
                  int64_t columns) {
    Vector sums[kCount][2] = {};
    for (int64_t k = 0; k < depth; ++k) {
      Vector right[2];
      std::memcpy(right, panel + k * kColumns, sizeof(right));
      for (size_t i = 0; i < kCount; ++i) {
        const T left = a.elements[static_cast<int64_t>(i) * a.row_stride + k * a.column_stride];
        sums[i][0] += left * right[0];
        sums[i][1] += left * right[1];
      }
    }
    for (size_t i = 0; i < kCount; ++i) {
      std::array<T, size_t{kColumns}> sum;
      std::memcpy(sum.data(), sums[i], sizeof(sum));
      T* row = c + static_cast<int64_t>(i) * c_stride;
      for (int64_t j = 0; j < columns; ++j) row[j] += sum[static_cast<size_t>(j)];
    }
  }
};

// c (m x n, rows `c_stride` apart) += a (m x k) * b (k x n).
template <typename T>
void AddProduct(MatrixView<T> a, MatrixView<T> b, T* c, int64_t c_stride, int64_t m, int64_t k,
                int64_t n) {
  using Tiles = Tile<T>;
  constexpr int64_t kDepth = 256;  // a panel of so many rows stays in the first cache
  std::vector<T> panel(static_cast<size_t>(std::min(kDepth, k) * Tiles::kColumns));
  for (int64_t from = 0; from < k; from += kDepth) {
    const int64_t depth = std::min(kDepth, k - from);
    for (int64_t column = 0; column < n; column += Tiles::kColumns) {
      const int64_t columns = std::min(Tiles::kColumns, n - column);
      if (columns < Tiles::kColumns) std::fill(panel.begin(), panel.end(), T{});
      const T* right = b.elements + from * b.row_stride + column * b.column_stride;
      for (int64_t i = 0; i < depth; ++i) {
        T* row = panel.data() + i * Tiles::kColumns;
        for (int64_t j = 0; j < columns; ++j) {
          row[j] = right[i * b.row_stride + j * b.column_stride];
        }
      }
      for (int64_t i = 0; i < m; i += Tiles::kRows) {
        const MatrixView<T> left = {a.elements + i * a.row_stride + from * a.column_stride,
                                    a.row_stride, a.column_stride};
        T* out = c + i * c_stride + column;
        switch (m - i) {
          case 1:
            Tiles::template Add<1>(left, panel.data(), depth, out, c_stride, columns);
            break;
          case 2:
            Tiles::template Add<2>(left, panel.data(), depth, out, c_stride, columns);
            break;
          case 3:
            Tiles::template Add<3>(left, panel.data(), depth, out, c_stride, columns);
            break;
          default:
            Tiles::template Add<4>(left, panel.data(), depth, out, c_stride, columns);
        }
      }
    }
  }
}

// Integers wrap: they are multiplied as unsigned ones.
inline void AddProduct(MatrixView<int64_t> a, MatrixView<int64_t> b, int64_t* c, int64_t c_stride,
                       int64_t m, int64_t k, int64_t n) {
  const auto unsigned_view = [](MatrixView<int64_t> view) {
    return MatrixView<uint64_t>{reinterpret_cast<const uint64_t*>(view.elements), view.row_stride,
                                view.column_stride};
  };
  AddProduct<uint64_t>(unsigned_view(a), unsigned_view(b), reinterpret_cast<uint64_t*>(c), c_stride,
                       m, k, n);
}

}  // namespace handrail::kernels
