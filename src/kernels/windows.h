// Windows that slide over one, two or three dimensions: what convolutions, pooling and padding have
// in common. Fewer dimensions are three with leading ones of size 1.
#pragma once

#include <array>
#include <string_view>

#include "kernels/boxing.h"

namespace handrail::kernels {

using Triple = std::array<int64_t, 3>;

// The last `count` of the three; the others are `fill`.
inline Triple Widened(std::span<const int64_t> given, int64_t fill) {
  Triple result = {fill, fill, fill};
  for (size_t i = 0; i < given.size(); ++i) result[3 - given.size() + i] = given[i];
  return result;
}

struct Windows {
  Triple input;  // sizes of one channel
  Triple kernel;
  Triple stride = {1, 1, 1};
  Triple padding = {0, 0, 0};
  Triple dilation = {1, 1, 1};
  Triple output = {1, 1, 1};  // how many windows there are

  int64_t input_count() const { return input[0] * input[1] * input[2]; }
  int64_t kernel_count() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t output_count() const { return output[0] * output[1] * output[2]; }
  // The place in the input of a window's element along dimension `d`; may lie outside.
  int64_t Place(size_t d, int64_t window, int64_t element) const {
    return window * stride[d] - padding[d] + element * dilation[d];
  }
};

// How many windows' elements `k` along a dimension lie inside of the input: [first, last).
struct InsideRange {
  int64_t first;
  int64_t last;
};
InsideRange Inside(const Windows& windows, size_t d, int64_t element);

}  // namespace handrail::kernels
