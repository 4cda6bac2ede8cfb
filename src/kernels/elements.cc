#include "kernels/elements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "handrail/base/limits.h"

namespace handrail::kernels {

namespace {

float FromHalf(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000U) << 16;
  const uint32_t exponent = (half >> 10) & 0x1FU;
  const uint32_t fraction = half & 0x3FFU;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000U | (fraction << 13));
  if (exponent == 0) {
    const float value = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -value : value;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}
// To nearest, ties to even.
uint16_t ToHalf(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000U);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7E00U);
  if (magnitude >= 65520.0F) return static_cast<uint16_t>(sign | 0x7C00U);
  if (magnitude < 6.103515625e-05F) {
    return static_cast<uint16_t>(sign |
                                 static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, 24))));
  }
  uint32_t rounded = std::bit_cast<uint32_t>(magnitude);
  rounded += 0xFFFU + ((rounded >> 13) & 1U);
  return static_cast<uint16_t>(sign | ((rounded - (112U << 23)) >> 13));
}
float FromBfloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}
uint16_t ToBfloat(float value) {
  if (std::isnan(value)) return 0x7FC0;
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

// Stored elements, one type each: how they are read and written.
template <typename T>
struct Plain {
  using Stored = T;
  static T Read(T stored) { return stored; }
  template <typename V>
  static T Write(V value) {
    if constexpr (std::is_integral_v<T> && std::is_floating_point_v<V>) {
      // What does not fit has no meaning in PyTorch, but must not trap here.
      if (!(value > -9.2233720368547758e18 && value < 9.2233720368547758e18)) {
        return static_cast<T>(INT64_MIN);
      }
      return static_cast<T>(static_cast<int64_t>(value));
    } else {
      return static_cast<T>(value);
    }
  }
};
struct Truth {
  using Stored = uint8_t;
  static int64_t Read(uint8_t stored) { return stored != 0 ? 1 : 0; }
  template <typename V>
  static uint8_t Write(V value) {
    return value != V{} ? 1 : 0;
  }
};
struct Half {
  using Stored = uint16_t;
  static float Read(uint16_t stored) { return FromHalf(stored); }
  template <typename V>
  static uint16_t Write(V value) {
    return ToHalf(static_cast<float>(value));
  }
};
struct Bfloat {
  using Stored = uint16_t;
  static float Read(uint16_t stored) { return FromBfloat(stored); }
  template <typename V>
  static uint16_t Write(V value) {
    return ToBfloat(static_cast<float>(value));
  }
};

template <typename Body>
void OnStored(ElementType type, Body&& body) {
  switch (type) {
    case ElementType::kUint8:
      return body(Plain<uint8_t>());
    case ElementType::kInt8:
      return body(Plain<int8_t>());
    case ElementType::kInt16:
      return body(Plain<int16_t>());
    case ElementType::kInt32:
      return body(Plain<int32_t>());
    case ElementType::kInt64:
      return body(Plain<int64_t>());
    case ElementType::kFloat16:
      return body(Half());
    case ElementType::kFloat32:
      return body(Plain<float>());
    case ElementType::kFloat64:
      return body(Plain<double>());
    case ElementType::kBool:
      return body(Truth());
    case ElementType::kBfloat16:
      return body(Bfloat());
    default:
      Raise("no kernel for tensors of " + std::string(values::ToString(type)));
  }
}

// Calls `row(target, source, count, target_stride, source_stride)` for each row of elements.
template <typename Body>
void ForEachRow(std::span<const int64_t> sizes, std::span<const int64_t> targets,
                std::span<const int64_t> sources, Body&& row) {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  if (count == 0) return;
  if (sizes.empty()) {
    row(0, 0, 1, 0, 0);
    return;
  }
  const size_t last = sizes.size() - 1;
  Ints index(sizes.size(), 0);
  int64_t target = 0;
  int64_t source = 0;
  for (int64_t done = 0; done < count; done += sizes[last]) {
    row(target, source, sizes[last], targets[last], sources[last]);
    for (size_t i = last; i-- > 0;) {
      target += targets[i];
      source += sources[i];
      if (++index[i] < sizes[i]) break;
      target -= targets[i] * sizes[i];
      source -= sources[i] * sizes[i];
      index[i] = 0;
    }
  }
}

// Strides of `tensor` seen with `sizes`: 0 where it is repeated.
Ints BroadcastStrides(const Tensor& tensor, std::span<const int64_t> sizes) {
  Ints strides(sizes.size(), 0);
  if (tensor.dimension_count() > sizes.size()) {
    Raise("output with shape " + Text(sizes) + " doesn't match the broadcast shape " +
          Text(tensor.sizes()));
  }
  const size_t shift = sizes.size() - tensor.dimension_count();
  for (uint32_t i = 0; i < tensor.dimension_count(); ++i) {
    if (tensor.size(i) == sizes[shift + i]) {
      strides[shift + i] = tensor.stride(i);
    } else if (tensor.size(i) != 1) {
      Raise(fmt::format(
          "The expanded size of the tensor ({}) must match the existing size ({}) at "
          "non-singleton dimension {}.  Target sizes: {}.  Tensor sizes: {}",
          sizes[shift + i], tensor.size(i), shift + i, Text(sizes), Text(tensor.sizes())));
    }
  }
  return strides;
}

void Convert(std::byte* target, ElementType target_type, std::span<const int64_t> target_strides,
             const Tensor& source, std::span<const int64_t> sizes) {
  const Ints source_strides = BroadcastStrides(source, sizes);
  OnStored(target_type, [&](auto to) {
    OnStored(source.element_type(), [&](auto from) {
      using To = decltype(to);
      using From = decltype(from);
      auto* out = reinterpret_cast<typename To::Stored*>(target);
      const auto* in = source.data<typename From::Stored>();
      ForEachRow(sizes, target_strides, source_strides,
                 [&](int64_t t, int64_t s, int64_t count, int64_t t_step, int64_t s_step) {
                   for (int64_t i = 0; i < count; ++i) {
                     out[t + i * t_step] = To::Write(From::Read(in[s + i * s_step]));
                   }
                 });
    });
  });
}

}  // namespace

bool IsFloating(ElementType type) {
  return type == ElementType::kFloat16 || type == ElementType::kFloat32 ||
         type == ElementType::kFloat64 || type == ElementType::kBfloat16;
}
bool IsIntegral(ElementType type) {
  return type <= ElementType::kInt64;
}
ElementType ComputeType(ElementType type) {
  if (type == ElementType::kFloat64) return type;
  return IsFloating(type) ? ElementType::kFloat32 : ElementType::kInt64;
}
ElementType TypeOf(Scalar scalar) {
  if (scalar.is_float()) return ElementType::kFloat32;
  return scalar.kind == Kind::kBool ? ElementType::kBool : ElementType::kInt64;
}
ElementType FloatingType(ElementType type) {
  return IsFloating(type) ? type : ElementType::kFloat32;
}
ElementType CheckedType(int64_t code) {
  if (code < 0 || code > 15 || values::SizeBytes(static_cast<ElementType>(code)) == 0) {
    Raise(fmt::format("unknown element type {}", code));
  }
  return static_cast<ElementType>(code);
}
namespace {

struct Names {
  std::string_view type;
  std::string_view cpp;
};
// By the element type's code.
constexpr Names kNames[] = {
    {"Byte", "unsigned char"},
    {"Char", "signed char"},
    {"Short", "short int"},
    {"Int", "int"},
    {"Long", "long int"},
    {"Half", "c10::Half"},
    {"Float", "float"},
    {"Double", "double"},
    {"ComplexHalf", "c10::complex<c10::Half>"},
    {"ComplexFloat", "c10::complex<float>"},
    {"ComplexDouble", "c10::complex<double>"},
    {"Bool", "bool"},
    {"QInt8", "c10::qint8"},
    {"QUInt8", "c10::quint8"},
    {"QInt32", "c10::qint32"},
    {"BFloat16", "c10::BFloat16"},
};

}  // namespace

std::string_view TypeName(ElementType type) {
  return kNames[static_cast<size_t>(type)].type;
}
std::string_view CppName(ElementType type) {
  return kNames[static_cast<size_t>(type)].cpp;
}

namespace {
int Category(ElementType type) {
  return IsFloating(type) ? 2 : (type == ElementType::kBool ? 0 : 1);
}
}  // namespace

ElementType Promote(ElementType x, ElementType y) {
  if (x == y) return x;
  if (Category(x) != Category(y)) return Category(x) > Category(y) ? x : y;
  if (IsFloating(x)) {
    if (x == ElementType::kFloat64 || y == ElementType::kFloat64) return ElementType::kFloat64;
    return ElementType::kFloat32;
  }
  // An unsigned byte and a signed one need two bytes.
  if (std::max(x, y) == ElementType::kInt8) return ElementType::kInt16;
  return std::max(x, y);
}
ElementType ResultType(const Tensor& a, const Tensor& b) {
  const ElementType x = a.element_type();
  const ElementType y = b.element_type();
  if ((a.dimension_count() == 0) == (b.dimension_count() == 0)) return Promote(x, y);
  const bool a_leads = a.dimension_count() != 0;
  const ElementType lead = a_leads ? x : y;
  const ElementType other = a_leads ? y : x;
  return Category(lead) >= Category(other) ? lead : other;
}
ElementType ResultType(const Tensor& a, Scalar b) {
  const ElementType other = TypeOf(b);
  return Category(a.element_type()) >= Category(other) ? a.element_type() : other;
}

TensorRef New(ElementType type, std::span<const int64_t> sizes) {
  if (sizes.size() > limits::kTensorDimensionsMax) Raise("a tensor has too many dimensions");
  uint64_t bytes = values::SizeBytes(type);
  for (int64_t size : sizes) {
    if (size < 0) {
      Raise(
          fmt::format("Trying to create tensor with negative dimension {}: {}", size, Text(sizes)));
    }
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(std::max<int64_t>(size, 1)), &bytes) ||
        bytes > limits::kTensorBytesMax) {
      Raise("a tensor of sizes " + Text(sizes) + " is too large");
    }
  }
  return Tensor::Allocate(type, sizes);
}
Scalar Rounded(Scalar value, ElementType type) {
  if (type == ElementType::kFloat64 || type == ElementType::kInt64) return value;
  if (type == ElementType::kFloat32) {
    value.number = static_cast<float>(value.number);
    return value;
  }
  const Scalar stored = Item(*Filled(type, {}, value));
  return {value.kind, stored.integer, stored.number};
}
TensorRef Filled(ElementType type, std::span<const int64_t> sizes, Scalar value) {
  TensorRef result = New(type, sizes);
  TensorRef number = New(value.is_float() ? ElementType::kFloat64 : ElementType::kInt64, {});
  if (value.is_float()) {
    *number->mutable_data<double>() = value.number;
  } else {
    *number->mutable_data<int64_t>() = value.integer;
  }
  CopyInto(*result, *number);
  return result;
}
size_t WrapDimension(int64_t dimension, size_t count) {
  const auto limit = static_cast<int64_t>(std::max<size_t>(count, 1));
  if (dimension < -limit || dimension >= limit) {
    Raise(fmt::format("Dimension out of range (expected to be in range of [{}, {}], but got {})",
                      -limit, limit - 1, dimension));
  }
  return static_cast<size_t>(dimension < 0 ? dimension + limit : dimension);
}
Ints Sizes(const Tensor& tensor) {
  return {tensor.sizes().begin(), tensor.sizes().end()};
}
Ints Broadcast(std::span<const int64_t> a, std::span<const int64_t> b) {
  Ints result(std::max(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) {
    const size_t at = result.size() - 1 - i;
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      Raise(
          fmt::format("The size of tensor a ({}) must match the size of tensor b ({}) at "
                      "non-singleton dimension {}",
                      x, y, at));
    }
    result[at] = x == 1 ? y : x;
  }
  return result;
}
TensorRef Share(const Tensor& tensor) {
  return TensorRef::Share(const_cast<Tensor&>(tensor));
}
TensorRef As(const Tensor& tensor, ElementType type, std::span<const int64_t> sizes) {
  if (tensor.element_type() == type && tensor.is_contiguous() &&
      std::equal(sizes.begin(), sizes.end(), tensor.sizes().begin(), tensor.sizes().end())) {
    return Share(tensor);
  }
  TensorRef result = New(type, sizes);
  Convert(result->mutable_bytes(), type, result->strides(), tensor, sizes);
  return result;
}
TensorRef As(const Tensor& tensor, ElementType type) {
  return As(tensor, type, tensor.sizes());
}
TensorRef Contiguous(const Tensor& tensor) {
  return As(tensor, tensor.element_type());
}
void CopyInto(Tensor& target, const Tensor& source) {
  if (target.buffer().get() == source.buffer().get() && &target != &source) {
    // The two may overlap.
    TensorRef copy = New(source.element_type(), source.sizes());
    Convert(copy->mutable_bytes(), source.element_type(), copy->strides(), source, source.sizes());
    Convert(target.mutable_bytes(), target.element_type(), target.strides(), *copy, target.sizes());
    return;
  }
  std::byte* bytes = target.mutable_bytes();
  Convert(bytes, target.element_type(), target.strides(), source, target.sizes());
}
Scalar Item(const Tensor& tensor) {
  if (tensor.element_count() != 1) {
    Raise(fmt::format("a Tensor with {} elements cannot be converted to Scalar",
                      tensor.element_count()));
  }
  if (IsFloating(tensor.element_type())) {
    return {Kind::kFloat, 0, *As(tensor, ElementType::kFloat64)->data<double>()};
  }
  const int64_t value = *As(tensor, ElementType::kInt64)->data<int64_t>();
  return {tensor.element_type() == ElementType::kBool ? Kind::kBool : Kind::kInt, value,
          static_cast<double>(value)};
}
TensorRef ViewOf(const Tensor& tensor, std::span<const int64_t> sizes,
                 std::span<const int64_t> strides, int64_t first_element) {
  TensorRef view =
      Tensor::View(tensor.buffer(), tensor.element_type(), sizes, strides, first_element);
  if (!view) Raise("a view of sizes " + Text(sizes) + " does not lie inside of its tensor");
  return view;
}
TensorRef Reshaped(const Tensor& tensor, std::span<const int64_t> sizes) {
  const TensorRef source = Contiguous(tensor);
  Ints strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<int64_t>(sizes[i], 1);
  }
  return ViewOf(*source, sizes, strides, source->first_element());
}
std::string Text(std::span<const int64_t> sizes) {
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

}  // namespace handrail::kernels
