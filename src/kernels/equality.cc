#include "kernels/equality.h"

#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "handrail/values/object.h"

namespace handrail::kernels {

namespace {

using values::Dict;
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

// Lists, dicts and objects may contain themselves, and the same list many times: what is too deep
// or too long is left out.
class Description {
 public:
  void Append(const Value& value, int depth) {
    if (depth == kDepthMax || text_.size() > kBytesMax) {
      text_ += "...";
      return;
    }
    switch (value.kind()) {
      case Kind::kNone:
        text_ += "None";
        return;
      case Kind::kBool:
        text_ += value.bool_value() ? "True" : "False";
        return;
      case Kind::kInt:
        text_ += std::to_string(value.int_value());
        return;
      case Kind::kFloat:
        text_ += DescribeFloat(value.float_value());
        return;
      case Kind::kString:
        text_ += value.string();
        return;
      case Kind::kDevice:
        text_ += value.device();
        return;
      case Kind::kList:
        return AppendElements("[", value.list().elements, "]", depth);
      case Kind::kTuple: {
        const std::vector<Value>& elements = value.tuple().elements;
        return AppendElements("(", elements, elements.size() == 1 ? ",)" : ")", depth);
      }
      case Kind::kDict:
        return AppendEntries(value.dict().entries(), depth);
      case Kind::kTensor:
        text_ += fmt::format("<tensor of {} [{}]>", ToString(value.tensor().element_type()),
                             fmt::join(value.tensor().sizes(), ", "));
        return;
      case Kind::kObject:
        text_ += "<" + value.object().object_class().name + ">";
        return;
      case Kind::kEnum:
        text_ += value.enum_member().class_name + "." + value.enum_member().name;
        return;
      case Kind::kComplex:
      case Kind::kCapsule:
        text_ += fmt::format("<{}>", values::ToString(value.kind()));
        return;
    }
  }

  std::string Take() && { return std::move(text_); }

 private:
  static constexpr int kDepthMax = 64;
  static constexpr size_t kBytesMax = size_t{1} << 20;

  void AppendElements(std::string_view open, const std::vector<Value>& elements,
                      std::string_view close, int depth) {
    text_ += open;
    for (const Value& element : elements) {
      if (&element != elements.data()) text_ += ", ";
      Append(element, depth + 1);
      if (text_.size() > kBytesMax) break;
    }
    text_ += close;
  }
  void AppendEntries(const std::vector<Dict::Entry>& entries, int depth) {
    text_ += "{";
    for (const Dict::Entry& entry : entries) {
      if (&entry != entries.data()) text_ += ", ";
      Append(entry.first, depth + 1);
      text_ += ": ";
      Append(entry.second, depth + 1);
      if (text_.size() > kBytesMax) break;
    }
    text_ += "}";
  }

  std::string text_;
};

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
  Description description;
  description.Append(value, 0);
  return std::move(description).Take();
}

}  // namespace handrail::kernels
