#include "kernels/reduction.h"

#include <numeric>

#include <fmt/format.h>

#include "kernels/views.h"

namespace handrail::kernels {

std::vector<bool> DimensionMask(const Tensor& self, const Ints& dimensions) {
  std::vector<bool> mask(std::max<size_t>(self.dimension_count(), 1), dimensions.empty());
  for (int64_t dimension : dimensions) {
    const size_t at = WrapDimension(dimension, self.dimension_count());
    if (mask[at]) {
      Raise(fmt::format("dim {} appears multiple times in the list of dims", at));
    }
    mask[at] = true;
  }
  mask.resize(self.dimension_count());
  return mask;
}

Rows RowsOver(const Tensor& self, const Ints& dimensions, bool keeps, ElementType compute) {
  const std::vector<bool> mask = DimensionMask(self, dimensions);
  Rows rows;
  rows.count = 1;
  rows.length = 1;
  std::vector<size_t> order;
  for (size_t d = 0; d < mask.size(); ++d) {
    if (!mask[d]) order.push_back(d);
    (mask[d] ? rows.length : rows.count) *= self.sizes()[d];
    if (!mask[d] || keeps) rows.sizes.push_back(mask[d] ? 1 : self.sizes()[d]);
  }
  for (size_t d = 0; d < mask.size(); ++d) {
    if (mask[d]) order.push_back(d);
  }
  rows.elements = As(*PermutedBy(self, order), compute);
  return rows;
}

Lines LinesAlong(const Tensor& self, int64_t dimension, ElementType compute) {
  Lines lines;
  lines.dimension = WrapDimension(dimension, self.dimension_count());
  const TensorRef source = self.dimension_count() == 0 ? Unsqueezed(self, 0) : Share(self);
  std::vector<size_t> order(source->dimension_count());
  std::iota(order.begin(), order.end(), size_t{0});
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(lines.dimension));
  order.push_back(lines.dimension);
  lines.elements = As(*PermutedBy(*source, order), compute);
  lines.length = source->sizes()[lines.dimension];
  lines.count = lines.length == 0 ? 0 : source->element_count() / lines.length;
  return lines;
}

TensorRef PutBack(const Tensor& tensor, size_t dimension) {
  std::vector<size_t> order(tensor.dimension_count());
  std::iota(order.begin(), order.end(), size_t{0});
  order.pop_back();
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(dimension),
               tensor.dimension_count() - 1);
  return Contiguous(*PermutedBy(tensor, order));
}

}  // namespace handrail::kernels
