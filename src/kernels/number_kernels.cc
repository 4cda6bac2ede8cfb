// Operators on Python's numbers.
#include <cmath>
#include <cstdint>
#include <functional>

#include "kernels/families.h"

namespace handrail::kernels {

namespace {

// Overflow wraps, as in PyTorch's builds.
template <typename Op>
int64_t Wrapping(int64_t a, int64_t b) {
  return static_cast<int64_t>(Op()(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
}
template <typename Op>
double OnFloats(double a, double b) {
  return Op()(a, b);
}
template <typename Op, typename T>
bool Compare(T a, T b) {
  return Op()(a, b);
}

double Divide(double a, double b) {
  return a / b;  // by zero too, as IEEE 754 says
}
double DivideScalars(Scalar a, Scalar b) {
  return Divide(a.number, b.number);
}
void CheckDivisor(int64_t b) {
  if (b == 0) Raise("ZeroDivisionError: integer division or modulo by zero");
}
int64_t FloorDivide(int64_t a, int64_t b) {
  CheckDivisor(b);
  if (b == -1) return Wrapping<std::minus<>>(0, a);
  const int64_t quotient = a / b;
  return quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}
int64_t Remainder(int64_t a, int64_t b) {
  CheckDivisor(b);
  if (b == -1) return 0;
  const int64_t rest = a % b;
  return (rest != 0 && (rest < 0) != (b < 0)) ? rest + b : rest;
}
double FloorDivideFloat(double a, double b) {
  return std::floor(a / b);
}
double RemainderFloat(double a, double b) {
  return std::fmod(b + std::fmod(a, b), b);
}
double Power(double a, double b) {
  if (a == 0 && b < 0) Raise("0.0 cannot be raised to a negative power");
  return std::pow(a, b);
}
double PowerOfInts(int64_t a, int64_t b) {
  return Power(static_cast<double>(a), static_cast<double>(b));
}
double SquareRootOfInt(int64_t a) {
  return std::sqrt(static_cast<double>(a));
}
double SquareRoot(double a) {
  return std::sqrt(a);
}
// A float as an int, as a conversion in C++ that never traps.
int64_t ToInt(double a) {
  if (!(a >= -9.2233720368547758e18 && a < 9.2233720368547758e18)) return INT64_MIN;
  return static_cast<int64_t>(a);
}
void CheckFinite(double a) {
  if (std::isnan(a)) Raise("Cannot convert float NaN to integer");
  if (std::isinf(a)) Raise("Cannot convert float inf to integer");
}
int64_t Floor(double a) {
  CheckFinite(a);
  return ToInt(std::floor(a));
}
int64_t Ceil(double a) {
  CheckFinite(a);
  return ToInt(std::ceil(a));
}
double Round(double a) {
  return std::nearbyint(a);
}
int64_t Negate(int64_t a) {
  return Wrapping<std::minus<>>(0, a);
}
double NegateFloat(double a) {
  return -a;
}
Scalar NegateScalar(Scalar a) {
  return {a.is_float() ? Kind::kFloat : Kind::kInt, Negate(a.integer), -a.number};
}
int64_t AbsoluteInt(int64_t a) {
  return a < 0 ? Negate(a) : a;
}
double AbsoluteFloat(double a) {
  return std::fabs(a);
}
template <typename T>
T Smaller(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
T Larger(T a, T b) {
  return a < b ? b : a;
}
int64_t ShiftLeft(int64_t a, int64_t b) {
  if (b < 0) Raise("negative shift count");
  return b > 63 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
}
int64_t ShiftRight(int64_t a, int64_t b) {
  if (b < 0) Raise("negative shift count");
  return b > 63 ? (a < 0 ? -1 : 0) : a >> b;
}
bool Not(bool a) {
  return !a;
}
bool BoolOfInt(int64_t a) {
  return a != 0;
}
bool BoolOfFloat(double a) {
  return a != 0;
}
double FloatOfScalar(Scalar a) {
  return a.number;
}
double FloatOfBool(bool a) {
  return a ? 1 : 0;
}
int64_t IntOfScalar(Scalar a) {
  return a.is_float() ? ToInt(a.number) : a.integer;
}
int64_t IntOfBool(bool a) {
  return a ? 1 : 0;
}
bool Is(const Value& a, const Value& b) {
  return a.IsSame(b);
}
bool IsNot(const Value& a, const Value& b) {
  return !a.IsSame(b);
}

template <typename Op>
Scalar OnScalars(Scalar a, Scalar b) {
  if (a.is_float() || b.is_float()) return {Kind::kFloat, 0, Op()(a.number, b.number)};
  const int64_t result = Wrapping<Op>(a.integer, b.integer);
  return {Kind::kInt, result, static_cast<double>(result)};
}
template <typename Op>
bool CompareScalars(Scalar a, Scalar b) {
  if (a.is_float() || b.is_float()) return Op()(a.number, b.number);
  return Op()(a.integer, b.integer);
}

// The number of steps of `range(start, stop, step)`.
int64_t RangeLength(int64_t start, int64_t stop, int64_t step) {
  if (step == 0) Raise("range() arg 3 must not be zero");
  const auto distance = static_cast<double>(stop) - static_cast<double>(start);
  if ((step > 0) != (distance > 0) || distance == 0) return 0;
  return ToInt(std::ceil(distance / static_cast<double>(step)));
}
int64_t DeriveIndex(int64_t index, int64_t start, int64_t step) {
  return Wrapping<std::plus<>>(start, Wrapping<std::multiplies<>>(index, step));
}

#define HANDRAIL_ARITHMETIC(text, op)                                                   \
  Row<&Wrapping<op>>("aten::" text ".int"), Row<&OnFloats<op>>("aten::" text ".float"), \
      Row<&OnFloats<op>>("aten::" text ".int_float"),                                   \
      Row<&OnFloats<op>>("aten::" text ".float_int"), Row<&OnScalars<op>>("aten::" text)
#define HANDRAIL_COMPARISON(text, op)                        \
  Row<&Compare<op, int64_t>>("aten::" text ".int"),          \
      Row<&Compare<op, double>>("aten::" text ".float"),     \
      Row<&Compare<op, double>>("aten::" text ".int_float"), \
      Row<&Compare<op, double>>("aten::" text ".float_int"), \
      Row<&CompareScalars<op>>("aten::" text)

constexpr KernelRow kRows[] = {
    HANDRAIL_ARITHMETIC("add", std::plus<>),
    HANDRAIL_ARITHMETIC("sub", std::minus<>),
    HANDRAIL_ARITHMETIC("mul", std::multiplies<>),
    HANDRAIL_COMPARISON("eq", std::equal_to<>),
    HANDRAIL_COMPARISON("ne", std::not_equal_to<>),
    HANDRAIL_COMPARISON("lt", std::less<>),
    HANDRAIL_COMPARISON("le", std::less_equal<>),
    HANDRAIL_COMPARISON("gt", std::greater<>),
    HANDRAIL_COMPARISON("ge", std::greater_equal<>),
    Row<&Compare<std::equal_to<>, bool>>("aten::eq.bool"),
    Row<&Compare<std::not_equal_to<>, bool>>("aten::ne.bool"),
    Row<&Divide>("aten::div.int"),
    Row<&Divide>("aten::div.float"),
    Row<&DivideScalars>("aten::div"),
    Row<&FloorDivide>("aten::floordiv.int"),
    Row<&FloorDivideFloat>("aten::floordiv.float"),
    Row<&FloorDivideFloat>("aten::floordiv.int_float"),
    Row<&FloorDivideFloat>("aten::floordiv.float_int"),
    Row<&Remainder>("aten::remainder.int"),
    Row<&RemainderFloat>("aten::remainder.float"),
    Row<&RemainderFloat>("aten::remainder.int_float"),
    Row<&RemainderFloat>("aten::remainder.float_int"),
    Row<&PowerOfInts>("aten::pow.int"),
    Row<&Power>("aten::pow.float"),
    Row<&Power>("aten::pow.int_float"),
    Row<&Power>("aten::pow.float_int"),
    Row<&SquareRootOfInt>("aten::sqrt.int"),
    Row<&SquareRoot>("aten::sqrt.float"),
    Row<&Floor>("aten::floor.float"),
    Row<&Ceil>("aten::ceil.float"),
    Row<&Round>("aten::round.float"),
    Row<&NegateScalar>("aten::neg.Scalar"),
    Row<&Negate>("aten::neg.int"),
    Row<&NegateFloat>("aten::neg.float"),
    Row<&AbsoluteInt>("prim::abs.int"),
    Row<&AbsoluteFloat>("prim::abs.float"),
    Row<&Smaller<int64_t>>("prim::min.int"),
    Row<&Smaller<double>>("prim::min.float"),
    Row<&Larger<int64_t>>("prim::max.int"),
    Row<&Larger<double>>("prim::max.float"),
    Row<&Wrapping<std::bit_and<>>>("aten::__and__.int"),
    Row<&Wrapping<std::bit_or<>>>("aten::__or__.int"),
    Row<&Wrapping<std::bit_xor<>>>("aten::__xor__.int"),
    Row<&ShiftLeft>("aten::__lshift__.int"),
    Row<&ShiftRight>("aten::__rshift__.int"),
    Row<&Compare<std::logical_and<>, bool>>("aten::__and__.bool"),
    Row<&Compare<std::logical_or<>, bool>>("aten::__or__.bool"),
    Row<&Compare<std::not_equal_to<>, bool>>("aten::__xor__.bool"),
    Row<&Not>("aten::__not__"),
    Row<&BoolOfInt>("aten::Bool.int"),
    Row<&BoolOfFloat>("aten::Bool.float"),
    Row<&FloatOfScalar>("aten::Float.Scalar"),
    Row<&FloatOfScalar>("aten::Float.int"),
    Row<&FloatOfBool>("aten::Float.bool"),
    Row<&IntOfScalar>("aten::Int.Scalar"),
    Row<&IntOfScalar>("aten::Int.float"),
    Row<&IntOfBool>("aten::Int.bool"),
    Row<&Is>("aten::__is__"),
    Row<&IsNot>("aten::__isnot__"),
    Row<&RangeLength>("aten::__range_length"),
    Row<&DeriveIndex>("aten::__derive_index"),
};

#undef HANDRAIL_ARITHMETIC
#undef HANDRAIL_COMPARISON

}  // namespace

std::span<const KernelRow> NumberKernels() {
  return kRows;
}

}  // namespace handrail::kernels
