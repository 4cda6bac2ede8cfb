// Operators that add elements around a tensor.
#include <fmt/format.h>

#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/indexing.h"
#include "kernels/views.h"

namespace handrail::kernels {

namespace {

enum class Mode { kReflect, kReplicate, kCircular };

// The place that stands at `place`, which may lie outside of [0, size).
int64_t Source(int64_t place, int64_t size, Mode mode) {
  switch (mode) {
    case Mode::kReflect:
      return place < 0 ? -place : (place >= size ? 2 * (size - 1) - place : place);
    case Mode::kReplicate:
      return std::min(std::max<int64_t>(place, 0), size - 1);
    default:
      return place < 0 ? place + size : (place >= size ? place - size : place);
  }
}

TensorRef PaddedAlong(const Tensor& tensor, size_t dimension, int64_t before, int64_t behind,
                      Mode mode) {
  const int64_t size = tensor.sizes()[dimension];
  if (before < 0 || behind < 0) Raise("pad: negative padding is for the mode constant alone");
  if (mode == Mode::kReflect && (before >= size || behind >= size)) {
    Raise(
        fmt::format("Argument #4: Padding size should be less than the corresponding input "
                    "dimension, but got: padding ({}, {}) at dimension {} of input {}",
                    before, behind, dimension, Text(tensor.sizes())));
  }
  if (mode == Mode::kCircular && (before > size || behind > size)) {
    Raise("Padding value causes wrapping around more than once.");
  }
  if (size == 0) Raise("pad: expected a dimension of non-zero size");
  const Ints sizes = {before + size + behind};
  TensorRef places = New(ElementType::kInt64, sizes);
  for (int64_t i = 0; i < sizes[0]; ++i) {
    places->mutable_data<int64_t>()[i] = Source(i - before, size, mode);
  }
  return Taken(tensor, dimension, *places);
}

TensorRef ConstantPad(const Tensor& tensor, const Ints& sides, Scalar value) {
  return PaddedBy(tensor, sides, value);
}
TensorRef Pad(const Tensor& tensor, const Ints& sides, const std::string& mode,
              std::optional<double> value) {
  if (mode == "constant") {
    const double number = value.value_or(0);
    return PaddedBy(tensor, sides, {Kind::kFloat, static_cast<int64_t>(number), number});
  }
  if (value && *value != 0) {
    Raise("Padding mode \"" + mode + "\" doesn't take in value argument");
  }
  const Mode how = mode == "reflect" ? Mode::kReflect
                                     : (mode == "replicate" ? Mode::kReplicate : Mode::kCircular);
  if (how == Mode::kCircular && mode != "circular") Raise("Unrecognised padding mode " + mode);
  if (sides.size() % 2 != 0) {
    Raise("Padding length must be divisible by 2");
  }
  const size_t count = sides.size() / 2;
  const size_t dimensions = tensor.dimension_count();
  if (count > 3 || count == 0 || (dimensions != count + 1 && dimensions != count + 2)) {
    Raise("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now");
  }
  TensorRef result = Share(tensor);
  for (size_t i = 0; i < count; ++i) {
    result = PaddedAlong(*result, dimensions - 1 - i, sides[2 * i], sides[2 * i + 1], how);
  }
  return result;
}

constexpr KernelRow kRows[] = {
    Row<&ConstantPad>("aten::constant_pad_nd"),
    Row<&Pad>("aten::pad"),
};

}  // namespace

std::span<const KernelRow> PaddingKernels() {
  return kRows;
}

}  // namespace handrail::kernels
