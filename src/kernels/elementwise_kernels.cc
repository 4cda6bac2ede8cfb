// Operators on tensors element by element: arithmetic, comparison, logic.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "kernels/elements.h"
#include "kernels/families.h"

namespace handrail::kernels {

namespace {

// The result has type `result`; both inputs are computed in `compute`.
template <typename Op>
TensorRef Apply(const Tensor& a, const Tensor& b, ElementType result, ElementType compute, Op op) {
  const Ints sizes = Broadcast(a.sizes(), b.sizes());
  const TensorRef left = As(a, compute, sizes);
  const TensorRef right = As(b, compute, sizes);
  return OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    using R = decltype(op(zero, zero));
    constexpr ElementType kStored =
        std::is_same_v<R, bool>
            ? ElementType::kBool
            : (std::is_same_v<R, int64_t>
                   ? ElementType::kInt64
                   : (std::is_same_v<R, float> ? ElementType::kFloat32 : ElementType::kFloat64));
    TensorRef out = New(kStored, sizes);
    const T* x = left->template data<T>();
    const T* y = right->template data<T>();
    R* z = out->template mutable_data<R>();
    for (int64_t i = 0; i < out->element_count(); ++i) z[i] = op(x[i], y[i]);
    return As(*out, result);
  });
}

TensorRef OfScalar(Scalar value) {
  return Filled(value.is_float() ? ElementType::kFloat64 : ElementType::kInt64, {}, value);
}

struct Add {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    } else {
      return a + b;
    }
  }
};
struct Subtract {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
    } else {
      return a - b;
    }
  }
};
struct Multiply {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }
};
struct Divide {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      Raise("division of integers");
    } else {
      // IEEE 754's division is meant, by zero too.
      return b == 0 ? (a == 0 || std::isnan(a)
                           ? std::numeric_limits<T>::quiet_NaN()
                           : std::copysign(std::numeric_limits<T>::infinity(),
                                           std::signbit(a) == std::signbit(b) ? T{1} : T{-1}))
                    : a / b;
    }
  }
};
struct FloorDivide {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) Raise("ZeroDivisionError");
      if (b == -1) return Subtract()(T{0}, a);
      const T quotient = a / b;
      return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
    } else {
      return std::floor(Divide()(a, b));
    }
  }
};
struct Remainder {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) Raise("ZeroDivisionError");
      if (b == -1) return 0;
      const T rest = a % b;
      return (rest != 0 && (rest < 0) != (b < 0)) ? rest + b : rest;
    } else {
      const T rest = std::fmod(a, b);
      return (rest != 0 && (rest < 0) != (b < 0)) ? rest + b : rest;
    }
  }
};
struct Power {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b < 0) return a == 1 ? 1 : (a == -1 ? (b % 2 == 0 ? 1 : -1) : 0);
      T result = 1;
      for (; b != 0; b >>= 1) {
        if ((b & 1) != 0) result = Multiply()(result, a);
        a = Multiply()(a, a);
      }
      return result;
    } else {
      return std::pow(a, b);
    }
  }
};
struct Smaller {
  template <typename T>
  T operator()(T a, T b) const {
    return a != a ? a : (b < a || b != b ? b : a);
  }
};
struct Larger {
  template <typename T>
  T operator()(T a, T b) const {
    return a != a ? a : (a < b || b != b ? b : a);
  }
};

template <typename Op>
TensorRef Arithmetic(const Tensor& a, const Tensor& b) {
  ElementType type = ResultType(a, b);
  if (std::is_same_v<Op, Divide>) type = FloatingType(type);
  return Apply(a, b, type, ComputeType(type), Op());
}
template <typename Op>
TensorRef WithScalar(const Tensor& a, Scalar b) {
  ElementType type = ResultType(a, b);
  if (std::is_same_v<Op, Divide>) type = FloatingType(type);
  return Apply(a, *OfScalar(b), type, ComputeType(type), Op());
}
// a + alpha * b
template <typename Op>
TensorRef Scaled(const Tensor& a, const Tensor& b, Scalar alpha) {
  if (alpha.number == 1) return Arithmetic<Op>(a, b);
  return Arithmetic<Op>(a, *WithScalar<Multiply>(b, alpha));
}
template <typename Op>
TensorRef ScaledScalar(const Tensor& a, Scalar b, Scalar alpha) {
  if (alpha.is_float() && !b.is_float()) b.kind = Kind::kFloat;
  b.integer = Multiply()(b.integer, alpha.integer);
  b.number *= alpha.number;
  return WithScalar<Op>(a, b);
}
// (b - a) * alpha and the like.
TensorRef SubtractFromScalar(const Tensor& a, Scalar b, Scalar alpha) {
  return Arithmetic<Subtract>(*OfScalar(b), *WithScalar<Multiply>(a, alpha));
}
TensorRef PowerOfScalar(Scalar a, const Tensor& b) {
  const ElementType type = ResultType(b, a);
  return Apply(*OfScalar(a), b, type, ComputeType(type), Power());
}

TensorRef Store(Tensor& self, const TensorRef& result) {
  if (!IsFloating(self.element_type()) && IsFloating(result->element_type())) {
    Raise("result type Float can't be cast to the desired output type " +
          std::string(values::ToString(self.element_type())));
  }
  if (result->dimension_count() != self.dimension_count() ||
      !std::equal(self.sizes().begin(), self.sizes().end(), result->sizes().begin())) {
    Raise("output with shape " + Text(self.sizes()) + " doesn't match the broadcast shape " +
          Text(result->sizes()));
  }
  CopyInto(self, *result);
  return Share(self);
}
template <typename Op>
TensorRef ArithmeticInPlace(Tensor& self, const Tensor& b) {
  return Store(self, Arithmetic<Op>(self, b));
}
template <typename Op>
TensorRef ScalarInPlace(Tensor& self, Scalar b) {
  return Store(self, WithScalar<Op>(self, b));
}
template <typename Op>
TensorRef ScaledInPlace(Tensor& self, const Tensor& b, Scalar alpha) {
  return Store(self, Scaled<Op>(self, b, alpha));
}
template <typename Op>
TensorRef ScaledScalarInPlace(Tensor& self, Scalar b, Scalar alpha) {
  return Store(self, ScaledScalar<Op>(self, b, alpha));
}

template <typename Op>
TensorRef Compare(const Tensor& a, const Tensor& b) {
  return Apply(a, b, ElementType::kBool, ComputeType(ResultType(a, b)),
               [](auto x, auto y) -> bool { return Op()(x, y); });
}
template <typename Op>
TensorRef CompareScalar(const Tensor& a, Scalar b) {
  return Apply(a, *OfScalar(b), ElementType::kBool, ComputeType(ResultType(a, b)),
               [](auto x, auto y) -> bool { return Op()(x, y); });
}
template <typename Op>
TensorRef Logical(const Tensor& a, const Tensor& b) {
  return Apply(*As(a, ElementType::kBool), *As(b, ElementType::kBool), ElementType::kBool,
               ElementType::kInt64, [](auto x, auto y) -> bool { return Op()(x != 0, y != 0); });
}
TensorRef LogicalNot(const Tensor& a) {
  return CompareScalar<std::equal_to<>>(a, {});
}
template <typename Op>
TensorRef Bits(const Tensor& a, const Tensor& b) {
  const ElementType type = ResultType(a, b);
  if (IsFloating(type)) Raise("bitwise operators are not implemented for floating types");
  return Apply(a, b, type, ElementType::kInt64, [](auto x, auto y) {
    return static_cast<int64_t>(Op()(static_cast<int64_t>(x), static_cast<int64_t>(y)));
  });
}
TensorRef BitsNot(const Tensor& a) {
  if (a.element_type() == ElementType::kBool) return LogicalNot(a);
  return Bits<std::bit_xor<>>(a, *OfScalar({Kind::kInt, -1, -1}));
}

TensorRef DivideWithMode(const Tensor& a, const Tensor& b, const Value& mode) {
  if (mode.is_none()) return Arithmetic<Divide>(a, b);
  const std::string& text = Unbox<const std::string&>::From(mode);
  if (text == "floor") return Arithmetic<FloorDivide>(a, b);
  if (text != "trunc") Raise("div expected rounding_mode to be one of None, 'trunc', or 'floor'");
  const ElementType type = ResultType(a, b);
  const TensorRef quotient =
      Apply(a, b, ElementType::kFloat64, ElementType::kFloat64, [](auto x, auto y) {
        return std::trunc(Divide()(static_cast<double>(x), static_cast<double>(y)));
      });
  return As(*quotient, type);
}
TensorRef DivideScalarWithMode(const Tensor& a, Scalar b, const Value& mode) {
  return DivideWithMode(a, *OfScalar(b), mode);
}

TensorRef Where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  const ElementType type = ResultType(a, b);
  const Ints sizes = Broadcast(condition.sizes(), Broadcast(a.sizes(), b.sizes()));
  const TensorRef chosen = As(condition, ElementType::kBool, sizes);
  const ElementType compute = ComputeType(type);
  const TensorRef left = As(a, compute, sizes);
  const TensorRef right = As(b, compute, sizes);
  TensorRef out = New(compute, sizes);
  OnComputeType(compute, [&](auto zero) {
    using T = decltype(zero);
    const auto* c = chosen->data<uint8_t>();
    for (int64_t i = 0; i < out->element_count(); ++i) {
      out->mutable_data<T>()[i] = c[i] != 0 ? left->data<T>()[i] : right->data<T>()[i];
    }
  });
  return As(*out, type);
}
TensorRef MaskedFill(const Tensor& self, const Tensor& mask, Scalar value) {
  return As(*Where(mask, *OfScalar(value), self), self.element_type());
}
TensorRef MaskedFillInPlace(Tensor& self, const Tensor& mask, Scalar value) {
  return Store(self, MaskedFill(self, mask, value));
}
TensorRef Clamp(const Tensor& self, std::optional<Scalar> low, std::optional<Scalar> high) {
  TensorRef result = Share(self);
  if (low) result = WithScalar<Larger>(*result, *low);
  if (high) result = WithScalar<Smaller>(*result, *high);
  if (result.get() == &self) Raise("torch.clamp: At least one of 'min' or 'max' must not be None");
  return result;
}
TensorRef ClampInPlace(Tensor& self, std::optional<Scalar> low, std::optional<Scalar> high) {
  return Store(self, Clamp(self, low, high));
}

#define HANDRAIL_COMPARISON(text, op) \
  Row<&Compare<op>>("aten::" text ".Tensor"), Row<&CompareScalar<op>>("aten::" text ".Scalar")

constexpr KernelRow kRows[] = {
    Row<&Scaled<Add>>("aten::add.Tensor"),
    Row<&ScaledScalar<Add>>("aten::add.Scalar"),
    Row<&ScaledInPlace<Add>>("aten::add_.Tensor"),
    Row<&ScaledScalarInPlace<Add>>("aten::add_.Scalar"),
    Row<&Scaled<Subtract>>("aten::sub.Tensor"),
    Row<&ScaledScalar<Subtract>>("aten::sub.Scalar"),
    Row<&ScaledInPlace<Subtract>>("aten::sub_.Tensor"),
    Row<&ScaledScalarInPlace<Subtract>>("aten::sub_.Scalar"),
    Row<&SubtractFromScalar>("aten::rsub.Scalar"),
    Row<&Arithmetic<Multiply>>("aten::mul.Tensor"),
    Row<&WithScalar<Multiply>>("aten::mul.Scalar"),
    Row<&ArithmeticInPlace<Multiply>>("aten::mul_.Tensor"),
    Row<&ScalarInPlace<Multiply>>("aten::mul_.Scalar"),
    Row<&Arithmetic<Divide>>("aten::div.Tensor"),
    Row<&WithScalar<Divide>>("aten::div.Scalar"),
    Row<&ArithmeticInPlace<Divide>>("aten::div_.Tensor"),
    Row<&ScalarInPlace<Divide>>("aten::div_.Scalar"),
    Row<&DivideWithMode>("aten::div.Tensor_mode"),
    Row<&DivideScalarWithMode>("aten::div.Scalar_mode"),
    Row<&Arithmetic<FloorDivide>>("aten::floor_divide"),
    Row<&WithScalar<FloorDivide>>("aten::floor_divide.Scalar"),
    Row<&Arithmetic<Remainder>>("aten::remainder.Tensor"),
    Row<&WithScalar<Remainder>>("aten::remainder.Scalar"),
    Row<&Arithmetic<Power>>("aten::pow.Tensor_Tensor"),
    Row<&WithScalar<Power>>("aten::pow.Tensor_Scalar"),
    Row<&PowerOfScalar>("aten::pow.Scalar"),
    Row<&Arithmetic<Smaller>>("aten::minimum"),
    Row<&Arithmetic<Larger>>("aten::maximum"),
    Row<&Arithmetic<Smaller>>("aten::min.other"),
    Row<&Arithmetic<Larger>>("aten::max.other"),
    HANDRAIL_COMPARISON("eq", std::equal_to<>),
    HANDRAIL_COMPARISON("ne", std::not_equal_to<>),
    HANDRAIL_COMPARISON("lt", std::less<>),
    HANDRAIL_COMPARISON("le", std::less_equal<>),
    HANDRAIL_COMPARISON("gt", std::greater<>),
    HANDRAIL_COMPARISON("ge", std::greater_equal<>),
    Row<&Logical<std::logical_and<>>>("aten::logical_and"),
    Row<&Logical<std::logical_or<>>>("aten::logical_or"),
    Row<&Logical<std::not_equal_to<>>>("aten::logical_xor"),
    Row<&LogicalNot>("aten::logical_not"),
    Row<&Bits<std::bit_and<>>>("aten::__and__.Tensor"),
    Row<&Bits<std::bit_or<>>>("aten::__or__.Tensor"),
    Row<&Bits<std::bit_xor<>>>("aten::__xor__.Tensor"),
    Row<&Bits<std::bit_and<>>>("aten::bitwise_and.Tensor"),
    Row<&Bits<std::bit_or<>>>("aten::bitwise_or.Tensor"),
    Row<&BitsNot>("aten::bitwise_not"),
    Row<&Where>("aten::where.self"),
    Row<&MaskedFill>("aten::masked_fill.Scalar"),
    Row<&MaskedFillInPlace>("aten::masked_fill_.Scalar"),
    Row<&Clamp>("aten::clamp"),
    Row<&ClampInPlace>("aten::clamp_"),
    Row<&WithScalar<Larger>>("aten::clamp_min"),
    Row<&WithScalar<Smaller>>("aten::clamp_max"),
};

#undef HANDRAIL_COMPARISON

}  // namespace

std::span<const KernelRow> ElementwiseKernels() {
  return kRows;
}

}  // namespace handrail::kernels
