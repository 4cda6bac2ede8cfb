// Comparisons, logic and choices on tensors, element by element.
#include <functional>

#include <fmt/format.h>

#include "kernels/compose.h"
#include "kernels/elementwise.h"
#include "kernels/families.h"
#include "kernels/operations.h"

namespace handrail::kernels {

namespace {

TensorRef OfNumber(Scalar value) {
  return Filled(value.is_float() ? ElementType::kFloat64 : ElementType::kInt64, {}, value);
}

template <typename Op>
TensorRef Compare(const Tensor& a, const Tensor& b) {
  return ApplyToPair(a, b, ElementType::kBool, ComputeType(ResultType(a, b)),
                     [](auto x, auto y) -> bool { return Op()(x, y); });
}
template <typename Op>
TensorRef CompareNumber(const Tensor& a, Scalar b) {
  const ElementType type = ResultType(a, b);
  const Scalar number = Rounded(b, type);
  return ApplyToEach(a, ElementType::kBool, ComputeType(type), [number](auto x) -> bool {
    using T = decltype(x);
    if constexpr (std::is_integral_v<T>) {
      return Op()(x, T{number.integer});
    } else {
      return Op()(x, static_cast<T>(number.number));
    }
  });
}
template <typename Op>
TensorRef CompareInPlace(Tensor& self, const Tensor& b) {
  CopyInto(self, *Compare<Op>(self, b));
  return Share(self);
}
template <typename Op>
TensorRef CompareNumberInPlace(Tensor& self, Scalar b) {
  CopyInto(self, *CompareNumber<Op>(self, b));
  return Share(self);
}

template <typename Op>
TensorRef Logical(const Tensor& a, const Tensor& b) {
  return ApplyToPair(*As(a, ElementType::kBool), *As(b, ElementType::kBool), ElementType::kBool,
                     ElementType::kInt64,
                     [](auto x, auto y) -> bool { return Op()(x != 0, y != 0); });
}
TensorRef LogicalNot(const Tensor& a) {
  return CompareNumber<std::equal_to<>>(a, {});
}

constexpr char kAndName[] = "and";
constexpr char kOrName[] = "or";
constexpr char kXorName[] = "xor";
template <typename Op>
struct BitsOf {
  template <typename T>
  int64_t operator()(T x, T y) const {
    return static_cast<int64_t>(Op()(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
  }
};
void CheckBits(std::string_view name, ElementType type) {
  if (IsFloating(type)) {
    Raise(fmt::format("\"bitwise_{}_cpu\" not implemented for '{}'", name, TypeName(type)));
  }
}
template <typename Op, const char* kName>
TensorRef Bits(const Tensor& a, const Tensor& b) {
  const ElementType type = ResultType(a, b);
  CheckBits(kName, type);
  return ApplyToPair(a, b, type, ElementType::kInt64, BitsOf<Op>());
}
template <typename Op, const char* kName>
TensorRef BitsWithNumber(const Tensor& a, Scalar b) {
  const ElementType type = ResultType(a, b);
  CheckBits(kName, type);
  return ApplyToEach(a, type, ElementType::kInt64,
                     [b](auto x) { return BitsOf<Op>()(static_cast<int64_t>(x), b.integer); });
}
template <typename Op, const char* kName>
TensorRef BitsInPlace(Tensor& self, const Tensor& b) {
  return StoreInPlace(self, *Bits<Op, kName>(self, b));
}
TensorRef BitsNot(const Tensor& a) {
  if (a.element_type() == ElementType::kBool) return LogicalNot(a);
  CheckBits("not", a.element_type());
  return BitsWithNumber<std::bit_xor<>, kXorName>(a, {Kind::kInt, -1, -1});
}

TensorRef Where(const Tensor& condition, const Tensor& a, const Tensor& b, ElementType type) {
  if (condition.element_type() == ElementType::kUint8 ||
      condition.element_type() == ElementType::kBool) {
    const Ints sizes = Broadcast(condition.sizes(), Broadcast(a.sizes(), b.sizes()));
    const TensorRef chosen = As(condition, ElementType::kBool, sizes);
    const ElementType compute = ComputeType(type);
    const TensorRef left = As(a, compute, sizes);
    const TensorRef right = As(b, compute, sizes);
    TensorRef out = New(compute, sizes);
    OnComputeType(compute, [&](auto zero) {
      using T = decltype(zero);
      const auto* c = chosen->data<uint8_t>();
      const T* x = left->data<T>();
      const T* y = right->data<T>();
      T* z = out->mutable_data<T>();
      for (int64_t i = 0; i < out->element_count(); ++i) z[i] = c[i] != 0 ? x[i] : y[i];
    });
    return As(*out, type);
  }
  Raise(
      fmt::format("where expected condition to be a boolean tensor, but got a tensor with dtype {}",
                  TypeName(condition.element_type())));
}
TensorRef WhereOfTensors(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return Where(condition, a, b, ResultType(a, b));
}
TensorRef WhereOfTensorAndNumber(const Tensor& condition, const Tensor& a, Scalar b) {
  return Where(condition, a, *OfNumber(b), ResultType(a, b));
}
TensorRef WhereOfNumberAndTensor(const Tensor& condition, Scalar a, const Tensor& b) {
  return Where(condition, *OfNumber(a), b, ResultType(b, a));
}
TensorRef WhereOfNumbers(const Tensor& condition, Scalar a, Scalar b) {
  return Where(condition, *OfNumber(a), *OfNumber(b), Promote(TypeOf(a), TypeOf(b)));
}

void CheckMask(std::string_view name, const Tensor& mask) {
  if (mask.element_type() != ElementType::kBool && mask.element_type() != ElementType::kUint8) {
    Raise(fmt::format("{} only supports boolean masks, but got mask with dtype {}", name,
                      CppName(mask.element_type())));
  }
}
TensorRef MaskedFill(const Tensor& self, const Tensor& mask, Scalar value) {
  CheckMask("masked_fill", mask);
  return Where(mask, *OfNumber(value), self, self.element_type());
}
TensorRef MaskedFillInPlace(Tensor& self, const Tensor& mask, Scalar value) {
  CheckMask("masked_fill_", mask);
  if (!std::equal(self.sizes().begin(), self.sizes().end(),
                  Broadcast(self.sizes(), mask.sizes()).begin(),
                  Broadcast(self.sizes(), mask.sizes()).end())) {
    As(mask, ElementType::kBool, self.sizes());
  }
  return StoreInPlace(self, *MaskedFill(self, mask, value));
}
TensorRef MaskedFillByTensor(const Tensor& self, const Tensor& mask, const Tensor& value) {
  if (value.dimension_count() != 0) {
    Raise(fmt::format(
        "masked_fill only supports a 0-dimensional value tensor, but got tensor with {} "
        "dimension(s).",
        value.dimension_count()));
  }
  return MaskedFill(self, mask, Item(value));
}

TensorRef Clamp(const Tensor& self, std::optional<Scalar> low, std::optional<Scalar> high) {
  if (!low && !high) Raise("torch.clamp: At least one of 'min' or 'max' must not be None");
  ElementType type = self.element_type();
  if (low) type = ResultType(*New(type, self.sizes().first(0)), *low);
  if (high && IsFloating(TypeOf(*high))) type = FloatingType(type);
  if (high && type == ElementType::kBool) type = Promote(type, TypeOf(*high));
  return ApplyToEach(self, type, ComputeType(type), [low, high](auto x) {
    using T = decltype(x);
    const auto number = [](Scalar value) {
      return std::is_integral_v<T> ? static_cast<T>(value.integer) : static_cast<T>(value.number);
    };
    if (low) x = Larger()(x, number(*low));
    return high ? Smaller()(x, number(*high)) : x;
  });
}
TensorRef ClampInPlace(Tensor& self, std::optional<Scalar> low, std::optional<Scalar> high) {
  return StoreInPlace(self, *Clamp(self, low, high));
}

TensorRef AddProductOf(const Tensor& self, const Tensor& a, const Tensor& b, Scalar value) {
  return Sum(self, *ProductWith(*Product(a, b), value));
}
TensorRef AddQuotientOf(const Tensor& self, const Tensor& a, const Tensor& b, Scalar value) {
  return Sum(self, *ProductWith(*Quotient(a, b), value));
}

#define HANDRAIL_COMPARISON(text, op)                                                           \
  Row<&Compare<op>>("aten::" text ".Tensor"), Row<&CompareNumber<op>>("aten::" text ".Scalar"), \
      Row<&CompareInPlace<op>>("aten::" text "_.Tensor"),                                       \
      Row<&CompareNumberInPlace<op>>("aten::" text "_.Scalar")
#define HANDRAIL_BITS(text, name, op)                              \
  Row<&Bits<op, name>>("aten::__" text "__.Tensor"),               \
      Row<&Bits<op, name>>("aten::bitwise_" text ".Tensor"),       \
      Row<&BitsWithNumber<op, name>>("aten::__" text "__.Scalar"), \
      Row<&BitsWithNumber<op, name>>("aten::bitwise_" text ".Scalar")

constexpr KernelRow kRows[] = {
    HANDRAIL_COMPARISON("eq", std::equal_to<>),
    HANDRAIL_COMPARISON("ne", std::not_equal_to<>),
    HANDRAIL_COMPARISON("lt", std::less<>),
    HANDRAIL_COMPARISON("le", std::less_equal<>),
    HANDRAIL_COMPARISON("gt", std::greater<>),
    HANDRAIL_COMPARISON("ge", std::greater_equal<>),
    HANDRAIL_BITS("and", kAndName, std::bit_and<>),
    HANDRAIL_BITS("or", kOrName, std::bit_or<>),
    HANDRAIL_BITS("xor", kXorName, std::bit_xor<>),
    Row<&BitsInPlace<std::bit_and<>, kAndName>>("aten::__iand__.Tensor"),
    Row<&BitsInPlace<std::bit_or<>, kOrName>>("aten::__ior__.Tensor"),
    Row<&Logical<std::logical_and<>>>("aten::logical_and"),
    Row<&Logical<std::logical_or<>>>("aten::logical_or"),
    Row<&Logical<std::not_equal_to<>>>("aten::logical_xor"),
    Row<&LogicalNot>("aten::logical_not"),
    Row<&BitsNot>("aten::bitwise_not"),
    Row<&WhereOfTensors>("aten::where.self"),
    Row<&WhereOfTensorAndNumber>("aten::where.ScalarOther"),
    Row<&WhereOfNumberAndTensor>("aten::where.ScalarSelf"),
    Row<&WhereOfNumbers>("aten::where.Scalar"),
    Row<&MaskedFill>("aten::masked_fill.Scalar"),
    Row<&MaskedFillByTensor>("aten::masked_fill.Tensor"),
    Row<&MaskedFillInPlace>("aten::masked_fill_.Scalar"),
    Row<&Clamp>("aten::clamp"),
    Row<&ClampInPlace>("aten::clamp_"),
    Row<&AddProductOf>("aten::addcmul"),
    Row<&AddQuotientOf>("aten::addcdiv"),
};

#undef HANDRAIL_COMPARISON
#undef HANDRAIL_BITS

}  // namespace

std::span<const KernelRow> ComparisonKernels() {
  return kRows;
}

}  // namespace handrail::kernels
