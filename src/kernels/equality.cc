#include "kernels/equality.h"

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace handrail::kernels {

namespace {

using values::Value;
using Kind = Value::Kind;

bool IsNumber(const Value& value) {
  return value.kind() == Kind::kBool || value.kind() == Kind::kInt || value.kind() == Kind::kFloat;
}
double Number(const Value& value) {
  if (value.kind() == Kind::kFloat) return value.float_value();
  return value.kind() == Kind::kBool ? (value.bool_value() ? 1.0 : 0.0)
                                     : static_cast<double>(value.int_value());
}

// Of lists and tuples; empty for the others.
std::span<const Value> Elements(const Value& value) {
  if (value.kind() == Kind::kList) return value.list().elements;
  if (value.kind() == Kind::kTuple) return value.tuple().elements;
  return {};
}
bool HasElements(const Value& value) {
  return value.kind() == Kind::kList || value.kind() == Kind::kTuple;
}

bool AreSimplyEqual(const Value& a, const Value& b) {
  if (a.kind() == Kind::kInt && b.kind() == Kind::kInt) return a.int_value() == b.int_value();
  if (IsNumber(a) && IsNumber(b)) return Number(a) == Number(b);
  if (a.kind() != b.kind()) return false;
  if (a.kind() == Kind::kString) return a.string() == b.string();
  if (a.kind() == Kind::kDevice) return a.device() == b.device();
  if (a.kind() == Kind::kComplex) return a.complex_value() == b.complex_value();
  return a.IsSame(b);
}

std::string DescribeFloat(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string DescribeSimply(const Value& value, bool is_quoted) {
  switch (value.kind()) {
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return value.bool_value() ? "True" : "False";
    case Kind::kInt:
      return std::to_string(value.int_value());
    case Kind::kFloat:
      return DescribeFloat(value.float_value());
    case Kind::kString:
      return is_quoted ? "'" + value.string() + "'" : value.string();
    case Kind::kDevice:
      return value.device();
    default:
      return "<" + std::string(values::ToString(value.kind())) + ">";
  }
}

}  // namespace

bool IsEqual(const Value& a, const Value& b) {
  std::vector<std::pair<Value, Value>> waiting = {{a, b}};
  while (!waiting.empty()) {
    const auto [left, right] = std::move(waiting.back());
    waiting.pop_back();
    if (!HasElements(left) || left.kind() != right.kind()) {
      if (!AreSimplyEqual(left, right)) return false;
      continue;
    }
    const auto lefts = Elements(left);
    const auto rights = Elements(right);
    if (lefts.size() != rights.size()) return false;
    for (size_t i = 0; i < lefts.size(); ++i) waiting.emplace_back(lefts[i], rights[i]);
  }
  return true;
}

std::string Describe(const Value& value) {
  if (!HasElements(value)) return DescribeSimply(value, false);
  const bool is_list = value.kind() == Kind::kList;
  std::string text = is_list ? "[" : "(";
  for (const Value& element : Elements(value)) {
    if (text.size() > 1) text += ", ";
    text += DescribeSimply(element, true);
  }
  if (!is_list && Elements(value).size() == 1) text += ",";
  return text + (is_list ? "]" : ")");
}

}  // namespace handrail::kernels
