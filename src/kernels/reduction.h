// Tensors seen as rows, each of which becomes one element: what sums, maxima and sorts have in
// common.
#pragma once

#include "kernels/elements.h"

namespace handrail::kernels {

struct Rows {
  TensorRef elements;  // contiguous, of a compute type: `count` rows of `length` elements
  int64_t count = 0;
  int64_t length = 0;
  Ints sizes;  // of the result
};
// The dimensions become a row; all of them if none are named.
Rows RowsOver(const Tensor& self, const Ints& dimensions, bool keeps, ElementType compute);
// Fails where a dimension is named twice or is not there.
std::vector<bool> DimensionMask(const Tensor& self, const Ints& dimensions);

// What aten::sum gives; the dimensions are left out.
TensorRef SummedOver(const Tensor& self, const Ints& dimensions);

// A tensor whose rows along a dimension lie one after the other, and how to put results back.
struct Lines {
  TensorRef elements;  // contiguous, the dimension last
  int64_t count = 0;
  int64_t length = 0;
  size_t dimension = 0;
};
Lines LinesAlong(const Tensor& self, int64_t dimension, ElementType compute);
// Of a contiguous tensor that has the lines' dimension last: where it was.
TensorRef PutBack(const Tensor& tensor, size_t dimension);

}  // namespace handrail::kernels
