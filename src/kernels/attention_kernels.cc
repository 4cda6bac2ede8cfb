// Attention and transformer layers as PyTorch's fast path runs them, composed of other kernels.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kernels/compose.h"
#include "kernels/elements.h"
#include "kernels/families.h"
#include "kernels/views.h"

namespace handrail::kernels {

namespace {

struct Projection {
  const Tensor& weight;
  const Tensor& bias;
};
struct Mask {
  const Tensor* tensor;         // may be null
  std::optional<int64_t> kind;  // 0: rows by columns; 1: batch by columns
};

// (batch, length, width) as (batch, heads, length, width of a head).
TensorRef InHeads(const Tensor& x, int64_t heads) {
  const TensorRef split =
      ReshapedTo(*Contiguous(x), {x.size(0), x.size(1), heads, x.size(2) / heads});
  return Contiguous(*Transposed(*split, 1, 2));
}

// The scores of masked places become minus infinity.
TensorRef Masked(const TensorRef& scores, const Mask& mask) {
  if (mask.tensor == nullptr) return scores;
  const bool by_batch = mask.kind && *mask.kind == 1;
  const Ints sizes = by_batch ? Ints{scores->size(0), 1, 1, scores->size(3)}
                              : Ints{1, 1, scores->size(2), scores->size(3)};
  if (mask.tensor->element_count() != sizes[0] * sizes[2] * sizes[3]) {
    Raise("attention: the mask has a wrong size");
  }
  const TensorRef chosen = As(*Reshaped(*mask.tensor, sizes), ElementType::kFloat32);
  TensorRef added = New(scores->element_type(), sizes);
  TensorRef values = New(ElementType::kFloat32, sizes);
  for (int64_t i = 0; i < chosen->element_count(); ++i) {
    const float value = chosen->data<float>()[i];
    const bool is_bool = mask.tensor->element_type() == ElementType::kBool;
    values->mutable_data<float>()[i] =
        is_bool ? (value != 0 ? -std::numeric_limits<float>::infinity() : 0.0F) : value;
  }
  CopyInto(*added, *values);
  return Sum(*scores, *added);
}

// The layer's result, and the attention of each head.
std::tuple<TensorRef, TensorRef> Attend(const Tensor& query, const Tensor& key, const Tensor& value,
                                        int64_t width, int64_t heads, const Projection& in,
                                        const Projection& out, const Mask& mask) {
  if (query.dimension_count() != 3 || heads <= 0 || width <= 0 || width % heads != 0 ||
      query.size(2) != width || in.weight.dimension_count() != 2 ||
      in.weight.size(0) != 3 * width || in.bias.dimension_count() != 1 ||
      in.bias.size(0) != 3 * width || key.dimension_count() != 3 || value.dimension_count() != 3) {
    Raise(fmt::format("expected a query of 3 dimensions and embed_dim {}, got {}", width,
                      Text(query.sizes())));
  }
  const Tensor* const inputs[] = {&query, &key, &value};
  std::vector<TensorRef> parts;
  for (size_t i = 0; i < 3; ++i) {
    const int64_t first = static_cast<int64_t>(i) * width;
    const TensorRef bias = Narrowed(in.bias, 0, first, width);
    parts.push_back(InHeads(
        *LinearLayer(*inputs[i], *Narrowed(in.weight, 0, first, width), bias.get()), heads));
  }
  const int64_t head_width = width / heads;
  const double scale = 1 / std::sqrt(static_cast<double>(head_width));
  const TensorRef scaled = ProductWith(*parts[0], Number(scale));
  const TensorRef scores = MatrixProduct(*scaled, *Transposed(*parts[1], 2, 3));
  TensorRef weights = SoftmaxOver(*Masked(scores, mask), 3);
  const TensorRef mixed = Contiguous(*Transposed(*MatrixProduct(*weights, *parts[2]), 1, 2));
  const TensorRef joined = ReshapedTo(*mixed, {query.size(0), query.size(1), width});
  return {LinearLayer(*joined, out.weight, &out.bias), std::move(weights)};
}

// Mean over the heads.
TensorRef MeanOfHeads(const Tensor& weights) {
  TensorRef sum = Selected(weights, 1, 0);
  for (int64_t head = 1; head < weights.size(1); ++head) {
    sum = Sum(*sum, *Selected(weights, 1, head));
  }
  return ProductWith(*sum, Number(1 / static_cast<double>(weights.size(1))));
}

std::tuple<Value, Value> Attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                   int64_t width, int64_t heads, const Tensor& in_weight,
                                   const Tensor& in_bias, const Tensor& out_weight,
                                   const Tensor& out_bias, const Tensor* mask, bool needs_weights,
                                   bool averages, std::optional<int64_t> kind) {
  auto [result, weights] = Attend(query, key, value, width, heads, {in_weight, in_bias},
                                  {out_weight, out_bias}, {mask, kind});
  if (!needs_weights) return {Value(result), Value()};
  return {Value(result), Value(averages ? MeanOfHeads(*weights) : weights)};
}

TensorRef EncoderLayer(const Tensor& source, int64_t width, int64_t heads, const Tensor& in_weight,
                       const Tensor& in_bias, const Tensor& out_weight, const Tensor& out_bias,
                       bool uses_gelu, bool is_norm_first, double epsilon,
                       const Tensor& norm_weight_1, const Tensor& norm_bias_1,
                       const Tensor& norm_weight_2, const Tensor& norm_bias_2,
                       const Tensor& weight_1, const Tensor& bias_1, const Tensor& weight_2,
                       const Tensor& bias_2, const Tensor* mask, std::optional<int64_t> kind) {
  const Ints shape = {width};
  const auto normalized = [&](const Tensor& x, bool is_second) {
    return NormalizedLayers(x, shape, is_second ? &norm_weight_2 : &norm_weight_1,
                            is_second ? &norm_bias_2 : &norm_bias_1, epsilon);
  };
  const auto attended = [&](const Tensor& x) {
    return std::get<0>(
        Attend(x, x, x, width, heads, {in_weight, in_bias}, {out_weight, out_bias}, {mask, kind}));
  };
  const auto forwarded = [&](const Tensor& x) {
    const TensorRef inner = LinearLayer(x, weight_1, &bias_1);
    return LinearLayer(*(uses_gelu ? GeluOf(*inner) : ReluOf(*inner)), weight_2, &bias_2);
  };
  if (is_norm_first) {
    const TensorRef x = Sum(source, *attended(*normalized(source, false)));
    return Sum(*x, *forwarded(*normalized(*x, true)));
  }
  const TensorRef x = normalized(*Sum(source, *attended(source)), false);
  return normalized(*Sum(*x, *forwarded(*x)), true);
}

constexpr KernelRow kRows[] = {
    Row<&Attention>("aten::_native_multi_head_attention"),
    Row<&EncoderLayer>("aten::_transformer_encoder_layer_fwd"),
};

}  // namespace

std::span<const KernelRow> AttentionKernels() {
  return kRows;
}

}  // namespace handrail::kernels
