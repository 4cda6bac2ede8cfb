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

// As PyTorch writes it: whole numbers with a point, others with all digits that tell them apart.
std::string DescribeFloat(double number) {
  if (std::fabs(number) < 1e10 && std::trunc(number) == number) {
    return fmt::format("{}{}.", std::signbit(number) ? "-" : "", std::fabs(number));
  }
  return fmt::format("{:.17g}", number);
}

std::string DescribeSimply(const Value& value) {
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
      return value.string();
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
  // A text that closes a container waits under what the container holds.
  struct Waiting {
    Value value;
    std::string text;
  };
  std::string text;
  std::vector<Waiting> waiting = {{value, ""}};
  while (!waiting.empty()) {
    const Waiting next = std::move(waiting.back());
    waiting.pop_back();
    text += next.text;
    if (!HasElements(next.value) && next.value.kind() != Kind::kDict) {
      text += DescribeSimply(next.value);
      continue;
    }
    std::vector<Waiting> held;
    if (next.value.kind() == Kind::kDict) {
      for (const auto& [key, element] : next.value.dict().entries()) {
        held.push_back({key, held.empty() ? "" : ", "});
        held.push_back({element, ": "});
      }
    } else {
      for (const Value& element : Elements(next.value)) {
        held.push_back({element, held.empty() ? "" : ", "});
      }
    }
    const bool is_list = next.value.kind() == Kind::kList;
    const bool is_dict = next.value.kind() == Kind::kDict;
    text += is_list ? "[" : (is_dict ? "{" : "(");
    const bool is_single = !is_list && !is_dict && held.size() == 1;
    waiting.push_back(
        {Value(std::string(is_list ? "]" : (is_dict ? "}" : (is_single ? ",)" : ")")))), ""});
    for (size_t i = held.size(); i-- > 0;) waiting.push_back(std::move(held[i]));
  }
  return text;
}

}  // namespace handrail::kernels
