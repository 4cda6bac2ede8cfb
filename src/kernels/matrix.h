// Products of matrices: what linear layers and convolutions are made of.
#pragma once

#include <cstdint>

namespace handrail::kernels {

// c (m x n) += a (m x k) * b (k x n), all contiguous.
template <typename T>
void AddProduct(const T* a, const T* b, T* c, int64_t m, int64_t k, int64_t n) {
  constexpr int64_t kBlock = 128;  // rows of `b` that stay in the cache
  for (int64_t from = 0; from < k; from += kBlock) {
    const int64_t to = from + kBlock < k ? from + kBlock : k;
    for (int64_t i = 0; i < m; ++i) {
      T* row = c + i * n;
      for (int64_t j = from; j < to; ++j) {
        const T factor = a[i * k + j];
        const T* other = b + j * n;
        for (int64_t x = 0; x < n; ++x) row[x] += factor * other[x];
      }
    }
  }
}

}  // namespace handrail::kernels
