#include "kernels/elementwise.h"

#include <numeric>

#include <fmt/format.h>

#include "kernels/views.h"

namespace handrail::kernels {

namespace {

// Strides of `tensor` seen with `sizes`; what is repeated has 0.
int64_t StrideAt(const Tensor& tensor, std::span<const int64_t> sizes, size_t dimension) {
  const size_t shift = sizes.size() - tensor.dimension_count();
  if (dimension < shift || tensor.sizes()[dimension - shift] != sizes[dimension]) return 0;
  return tensor.strides()[dimension - shift];
}

// Below 0: `a` is walked faster than `b`; above: slower; 0: no tensor tells.
int Compare(std::span<const int64_t> sizes, std::span<const Tensor* const> tensors, size_t a,
            size_t b) {
  for (const Tensor* tensor : tensors) {
    const int64_t x = StrideAt(*tensor, sizes, a);
    const int64_t y = StrideAt(*tensor, sizes, b);
    if (x == 0 || y == 0) continue;
    if (x != y) return x < y ? -1 : 1;
    if (sizes[a] > sizes[b]) return 1;
  }
  return 0;
}

}  // namespace

std::vector<size_t> LoopOrder(std::span<const int64_t> sizes,
                              std::span<const Tensor* const> tensors) {
  const bool is_plain = std::all_of(tensors.begin(), tensors.end(), [&](const Tensor* tensor) {
    return tensor->is_contiguous() && tensor->dimension_count() == sizes.size();
  });
  if (is_plain || sizes.size() < 2) return {};
  // The fastest first, found by insertion as PyTorch does, so that ties fall the same way.
  std::vector<size_t> order(sizes.size());
  std::iota(order.rbegin(), order.rend(), size_t{0});
  for (size_t i = 1; i < order.size(); ++i) {
    size_t moved = i;
    for (size_t other = i; other-- > 0;) {
      const int compared = Compare(sizes, tensors, order[other], order[moved]);
      if (compared < 0) break;
      if (compared > 0) {
        std::swap(order[other], order[moved]);
        moved = other;
      }
    }
  }
  std::reverse(order.begin(), order.end());
  return std::is_sorted(order.begin(), order.end()) ? std::vector<size_t>() : order;
}

TensorRef InOrder(const Tensor& tensor, std::span<const int64_t> sizes,
                  std::span<const size_t> order) {
  const bool has_sizes =
      std::equal(sizes.begin(), sizes.end(), tensor.sizes().begin(), tensor.sizes().end());
  const TensorRef wide =
      has_sizes ? Share(tensor) : ExpandedTo(tensor, Ints(sizes.begin(), sizes.end()));
  return order.empty() ? wide : PermutedBy(*wide, order);
}

TensorRef OutOfOrder(const Tensor& tensor, std::span<const size_t> order) {
  if (order.empty()) return Share(tensor);
  std::vector<size_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i) back[order[i]] = i;
  return PermutedBy(tensor, back);
}

void CheckCast(ElementType from, ElementType to) {
  const bool is_narrowing = (IsFloating(from) && !IsFloating(to)) ||
                            (to == ElementType::kBool && from != ElementType::kBool);
  if (is_narrowing) {
    Raise(fmt::format("result type {} can't be cast to the desired output type {}", TypeName(from),
                      TypeName(to)));
  }
}

TensorRef StoreInPlace(Tensor& self, const Tensor& result) {
  CheckCast(result.element_type(), self.element_type());
  if (!HaveSameSizes(self, result)) {
    Raise("output with shape " + Text(self.sizes()) + " doesn't match the broadcast shape " +
          Text(result.sizes()));
  }
  for (uint32_t d = 0; d < self.dimension_count(); ++d) {
    if (self.stride(d) == 0 && self.size(d) > 1 && self.element_count() != 0) {
      Raise(
          "unsupported operation: more than one element of the written-to tensor refers to a "
          "single memory location. Please clone() the tensor before performing the operation.");
    }
  }
  CopyInto(self, result);
  return Share(self);
}

}  // namespace handrail::kernels
