// Arithmetic on tensors, element by element.
#include "kernels/compose.h"
#include "kernels/elementwise.h"
#include "kernels/families.h"
#include "kernels/operations.h"

namespace handrail::kernels {

namespace {

template <typename Op>
inline constexpr bool kGivesFloats = std::is_same_v<Op, Divide>;

template <typename Op>
TensorRef Arithmetic(const Tensor& a, const Tensor& b) {
  ElementType type = ResultType(a, b);
  if (kGivesFloats<Op>) type = FloatingType(type);
  return ApplyToPair(a, b, type, ComputeType(type), Op());
}
// op(a, b) or, turned, op(b, a) for each element of `a`.
template <typename Op>
TensorRef WithNumber(const Tensor& a, Scalar b) {
  ElementType type = ResultType(a, b);
  if (kGivesFloats<Op>) type = FloatingType(type);
  // A number takes the tensor's type before it is used.
  const Scalar number = Rounded(b, type);
  return ApplyToEach(a, type, ComputeType(type), [number](auto x) {
    using T = decltype(x);
    if constexpr (std::is_integral_v<T>) {
      return Op()(x, T{number.integer});
    } else {
      return Op()(x, static_cast<T>(number.number));
    }
  });
}
struct PowerTurned {
  template <typename T>
  T operator()(T a, T b) const {
    return Power()(b, a);
  }
};

constexpr std::string_view kNoBoolSubtract =
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
    "invert a mask, use the `~` or `logical_not()` operator instead.";
void CheckAlpha(ElementType type, Scalar alpha) {
  if (alpha.is_float() && !IsFloating(type)) {
    Raise("For integral input tensors, argument alpha must not be a floating point number.");
  }
}
template <typename Op>
void CheckSubtraction(bool has_bool, bool has_two_bools) {
  if (std::is_same_v<Op, Add> || !has_bool) return;
  if (has_two_bools) {
    Raise(
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
        "`logical_xor()` operator instead.");
  }
  Raise(std::string(kNoBoolSubtract));
}

// a + alpha * b
template <typename Op>
TensorRef Scaled(const Tensor& a, const Tensor& b, Scalar alpha) {
  if (alpha.kind == Kind::kInt && alpha.integer == 1 && a.element_type() == ElementType::kFloat32 &&
      b.element_type() == ElementType::kFloat32) {
    return Arithmetic<Op>(a, b);
  }
  const bool a_is_bool = a.element_type() == ElementType::kBool;
  const bool b_is_bool = b.element_type() == ElementType::kBool;
  CheckSubtraction<Op>(a_is_bool || b_is_bool, a_is_bool && b_is_bool);
  const ElementType type = ResultType(a, b);
  CheckAlpha(type, alpha);
  // Among bools every factor but 0 is True.
  const bool is_one = alpha.number == 1 || (type == ElementType::kBool && alpha.number != 0);
  if (is_one) return Arithmetic<Op>(a, b);
  return ApplyToPair(a, b, type, ComputeType(type), [alpha](auto x, auto y) {
    using T = decltype(x);
    if constexpr (std::is_integral_v<T>) {
      return Op()(x, Multiply()(y, T{alpha.integer}));
    } else {
      return Op()(x, y * static_cast<T>(alpha.number));
    }
  });
}
template <typename Op>
TensorRef ScaledNumber(const Tensor& a, Scalar b, Scalar alpha) {
  const bool a_is_bool = a.element_type() == ElementType::kBool;
  CheckSubtraction<Op>(a_is_bool || b.kind == Kind::kBool, a_is_bool && b.kind == Kind::kBool);
  CheckAlpha(ResultType(a, b), alpha);
  if (alpha.kind == Kind::kInt && b.kind == Kind::kBool && alpha.integer != 1) b.kind = Kind::kInt;
  if (alpha.is_float()) b.kind = Kind::kFloat;
  b.integer = Multiply()(b.integer, alpha.integer);
  b.number *= alpha.number;
  return WithNumber<Op>(a, b);
}
// b - alpha * a
TensorRef SubtractFromNumber(const Tensor& a, Scalar b, Scalar alpha) {
  const bool a_is_bool = a.element_type() == ElementType::kBool;
  CheckSubtraction<Subtract>(a_is_bool || b.kind == Kind::kBool,
                             a_is_bool && b.kind == Kind::kBool);
  CheckAlpha(ResultType(a, b), alpha);
  if (alpha.number == 1) return WithNumber<SubtractTurned>(a, b);
  const ElementType type = ResultType(a, b);
  return WithNumber<SubtractTurned>(*WithNumber<Multiply>(*As(a, type), alpha), b);
}
TensorRef SubtractFrom(const Tensor& a, const Tensor& b, Scalar alpha) {
  return Scaled<Subtract>(b, a, alpha);
}

void CheckPower(const Tensor& base, Scalar exponent) {
  if (!IsFloating(base.element_type()) && !exponent.is_float() && exponent.integer < 0) {
    Raise("Integers to negative integer powers are not allowed.");
  }
}
TensorRef PowerOfTensor(const Tensor& a, Scalar b) {
  CheckPower(a, b);
  return WithNumber<Power>(a, b);
}
TensorRef PowerOfNumber(Scalar a, const Tensor& b) {
  return WithNumber<PowerTurned>(b, a);
}

TensorRef DivideWithMode(const Tensor& a, const Tensor& b, const Value& mode) {
  if (mode.is_none()) return Arithmetic<Divide>(a, b);
  const std::string& text = Unbox<const std::string&>::From(mode);
  if (text == "floor") return Arithmetic<FloorDivide>(a, b);
  if (text == "trunc") return Arithmetic<DivideTruncating>(a, b);
  Raise("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '" + text +
        "'");
}
TensorRef DivideByNumberWithMode(const Tensor& a, Scalar b, const Value& mode) {
  if (mode.is_none()) return WithNumber<Divide>(a, b);
  const std::string& text = Unbox<const std::string&>::From(mode);
  if (text == "floor") return WithNumber<FloorDivide>(a, b);
  if (text == "trunc") return WithNumber<DivideTruncating>(a, b);
  Raise("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '" + text +
        "'");
}

template <typename Op>
TensorRef ArithmeticInPlace(Tensor& self, const Tensor& b) {
  return StoreInPlace(self, *Arithmetic<Op>(self, b));
}
template <typename Op>
TensorRef NumberInPlace(Tensor& self, Scalar b) {
  return StoreInPlace(self, *WithNumber<Op>(self, b));
}
template <typename Op>
TensorRef ScaledInPlace(Tensor& self, const Tensor& b, Scalar alpha) {
  return StoreInPlace(self, *Scaled<Op>(self, b, alpha));
}
template <typename Op>
TensorRef ScaledNumberInPlace(Tensor& self, Scalar b, Scalar alpha) {
  return StoreInPlace(self, *ScaledNumber<Op>(self, b, alpha));
}
TensorRef PowerInPlace(Tensor& self, Scalar b) {
  return StoreInPlace(self, *PowerOfTensor(self, b));
}

constexpr KernelRow kRows[] = {
    Row<&Scaled<Add>>("aten::add.Tensor"),
    Row<&ScaledNumber<Add>>("aten::add.Scalar"),
    Row<&ScaledInPlace<Add>>("aten::add_.Tensor"),
    Row<&ScaledNumberInPlace<Add>>("aten::add_.Scalar"),
    Row<&Scaled<Subtract>>("aten::sub.Tensor"),
    Row<&ScaledNumber<Subtract>>("aten::sub.Scalar"),
    Row<&ScaledInPlace<Subtract>>("aten::sub_.Tensor"),
    Row<&ScaledNumberInPlace<Subtract>>("aten::sub_.Scalar"),
    Row<&SubtractFromNumber>("aten::rsub.Scalar"),
    Row<&SubtractFrom>("aten::rsub.Tensor"),
    Row<&Arithmetic<Multiply>>("aten::mul.Tensor"),
    Row<&WithNumber<Multiply>>("aten::mul.Scalar"),
    Row<&ArithmeticInPlace<Multiply>>("aten::mul_.Tensor"),
    Row<&NumberInPlace<Multiply>>("aten::mul_.Scalar"),
    Row<&Arithmetic<Divide>>("aten::div.Tensor"),
    Row<&WithNumber<Divide>>("aten::div.Scalar"),
    Row<&ArithmeticInPlace<Divide>>("aten::div_.Tensor"),
    Row<&NumberInPlace<Divide>>("aten::div_.Scalar"),
    Row<&DivideWithMode>("aten::div.Tensor_mode"),
    Row<&DivideByNumberWithMode>("aten::div.Scalar_mode"),
    Row<&Arithmetic<FloorDivide>>("aten::floor_divide"),
    Row<&WithNumber<FloorDivide>>("aten::floor_divide.Scalar"),
    Row<&Arithmetic<Remainder>>("aten::remainder.Tensor"),
    Row<&WithNumber<Remainder>>("aten::remainder.Scalar"),
    Row<&Arithmetic<RemainderTruncating>>("aten::fmod.Tensor"),
    Row<&WithNumber<RemainderTruncating>>("aten::fmod.Scalar"),
    Row<&Arithmetic<Power>>("aten::pow.Tensor_Tensor"),
    Row<&PowerOfTensor>("aten::pow.Tensor_Scalar"),
    Row<&PowerOfNumber>("aten::pow.Scalar"),
    Row<&PowerInPlace>("aten::pow_.Scalar"),
    Row<&Arithmetic<Smaller>>("aten::minimum"),
    Row<&Arithmetic<Larger>>("aten::maximum"),
    Row<&Arithmetic<Smaller>>("aten::min.other"),
    Row<&Arithmetic<Larger>>("aten::max.other"),
    Row<&WithNumber<Larger>>("aten::clamp_min"),
    Row<&WithNumber<Smaller>>("aten::clamp_max"),
    Row<&NumberInPlace<Larger>>("aten::clamp_min_"),
    Row<&NumberInPlace<Smaller>>("aten::clamp_max_"),
};

}  // namespace

TensorRef Sum(const Tensor& a, const Tensor& b) {
  return Arithmetic<Add>(a, b);
}
TensorRef Difference(const Tensor& a, const Tensor& b) {
  return Arithmetic<Subtract>(a, b);
}
TensorRef Product(const Tensor& a, const Tensor& b) {
  return Arithmetic<Multiply>(a, b);
}
TensorRef Quotient(const Tensor& a, const Tensor& b) {
  return Arithmetic<Divide>(a, b);
}
TensorRef ProductWith(const Tensor& a, Scalar b) {
  return WithNumber<Multiply>(a, b);
}

std::span<const KernelRow> ArithmeticKernels() {
  return kRows;
}

}  // namespace handrail::kernels
