// Tensors of indices: what indexing, gathering and embedding have in common.
#pragma once

#include "kernels/boxing.h"

namespace handrail::kernels {

// The places where a tensor of bools holds true: one int64 row for each, with a column for each
// dimension.
TensorRef NonzeroPlaces(const Tensor& tensor);

// tensor[indices], as Python's subscript of tensors and None does. A value is a tensor of integers
// or of bools, or None.
struct IndexPlan {
  TensorRef source;              // permuted so that indexed dimensions come first
  Ints index_sizes;              // of the indices, broadcast
  size_t indexed = 0;            // dimensions of `source` that are indexed
  size_t before = 0;             // dimensions of the result that come before the index's
  std::vector<int64_t> offsets;  // in elements of `source`, one for each place of the index
};
IndexPlan PlanIndex(const Tensor& tensor, const List& indices);

// tensor.index_select(dimension, index): along a dimension in range.
TensorRef Taken(const Tensor& tensor, size_t dimension, const Tensor& index);

}  // namespace handrail::kernels
