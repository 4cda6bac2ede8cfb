#include "cli/run_result.h"

#include <complex>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "handrail/values/object.h"

#include "archive/quoted.h"

namespace handrail::cli {
namespace {

using values::ElementType;
using values::Tensor;
using values::TensorRef;
using values::Value;
using Kind = Value::Kind;

constexpr int64_t kShownElementsMax = 16;
constexpr size_t kPartsMax = 1'000'000;
constexpr size_t kPathBytesMax = 10'000;

template <typename T>
TensorRef ScalarOf(ElementType type, T number) {
  TensorRef tensor = Tensor::Allocate(type, {});
  *tensor->mutable_data<T>() = number;
  return tensor;
}

float FromHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const int fraction = bits & 0x3ff;
  const float sign = (bits >> 15) != 0 ? -1.0F : 1.0F;
  if (exponent == 0x1f) return fraction == 0 ? sign * HUGE_VALF : NAN;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
}

template <typename T>
T At(const Tensor& tensor, int64_t offset) {
  return tensor.data<T>()[offset];
}

// One element as JSON has it; complex numbers are pairs.
JsonObject NumberAt(const Tensor& tensor, int64_t offset) {
  switch (tensor.element_type()) {
    case ElementType::kUint8:
      return At<uint8_t>(tensor, offset);
    case ElementType::kInt8:
      return At<int8_t>(tensor, offset);
    case ElementType::kInt16:
      return At<int16_t>(tensor, offset);
    case ElementType::kInt32:
      return At<int32_t>(tensor, offset);
    case ElementType::kInt64:
      return At<int64_t>(tensor, offset);
    case ElementType::kFloat16:
      return FromHalf(At<uint16_t>(tensor, offset));
    case ElementType::kBfloat16:
      return std::bit_cast<float>(uint32_t{At<uint16_t>(tensor, offset)} << 16);
    case ElementType::kFloat32:
      return At<float>(tensor, offset);
    case ElementType::kFloat64:
      return At<double>(tensor, offset);
    case ElementType::kBool:
      return At<uint8_t>(tensor, offset) != 0;
    case ElementType::kComplex64: {
      const auto number = At<std::complex<float>>(tensor, offset);
      return {number.real(), number.imag()};
    }
    case ElementType::kComplex128: {
      const auto number = At<std::complex<double>>(tensor, offset);
      return {number.real(), number.imag()};
    }
    default:
      return nullptr;
  }
}

std::string NumberText(const Tensor& tensor, int64_t offset) {
  if (tensor.element_type() == ElementType::kFloat32) {
    return fmt::format("{}", At<float>(tensor, offset));
  }
  if (tensor.element_type() == ElementType::kFloat64) {
    return fmt::format("{}", At<double>(tensor, offset));
  }
  return NumberAt(tensor, offset).dump();
}

// Elements in C order, at most kShownElementsMax, each with its place in the buffer.
std::vector<int64_t> OffsetsOf(const Tensor& tensor) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i < tensor.element_count(); ++i) {
    int64_t rest = i;
    int64_t offset = 0;
    for (uint32_t d = tensor.dimension_count(); d-- > 0;) {
      offset += rest % tensor.size(d) * tensor.stride(d);
      rest /= tensor.size(d);
    }
    offsets.push_back(offset);
  }
  return offsets;
}

// "[[1, 2], [3, 4]]"
std::string ElementsText(const Tensor& tensor) {
  const std::vector<int64_t> offsets = OffsetsOf(tensor);
  std::string text;
  for (size_t i = 0; i < offsets.size(); ++i) {
    // Brackets open and close where the inner dimensions begin and end.
    size_t opened = 0;
    int64_t block = 1;
    for (uint32_t d = tensor.dimension_count(); d-- > 0;) {
      block *= tensor.size(d);
      if (static_cast<int64_t>(i) % block == 0) ++opened;
    }
    if (i > 0) text += std::string(opened, ']') + ", ";
    text += std::string(opened, '[');
    text += NumberText(tensor, offsets[i]);
  }
  return text + std::string(tensor.dimension_count(), ']');
}

}  // namespace

Result<std::vector<ResultPart>> PartsOf(const Value& result) {
  std::vector<ResultPart> parts;
  std::vector<ResultPart> pending{{"", result}};
  size_t seen_count = 0;
  while (!pending.empty()) {
    const ResultPart part = std::move(pending.back());
    pending.pop_back();
    if (++seen_count > kPartsMax || part.path.size() > kPathBytesMax) {
      return Fail(ErrorCode::kLimit, "the result: values inside of values");
    }
    // Parts in order; the last is looked at first.
    std::vector<ResultPart> inside;
    const auto add_elements = [&](const std::vector<Value>& elements) {
      for (size_t i = 0; i < elements.size(); ++i) {
        inside.push_back({fmt::format("{}[{}]", part.path, i), elements[i]});
      }
    };
    switch (part.value.kind()) {
      case Kind::kList:
        add_elements(part.value.list().elements);
        break;
      case Kind::kTuple:
        add_elements(part.value.tuple().elements);
        break;
      case Kind::kDict:
        for (const auto& [key, value] : part.value.dict().entries()) {
          const std::string name = key.kind() == Kind::kString ? Quoted(key.string())
                                   : key.kind() == Kind::kInt  ? std::to_string(key.int_value())
                                                               : std::string(ToString(key.kind()));
          inside.push_back({fmt::format("{}[{}]", part.path, name), value});
        }
        break;
      case Kind::kObject:
        for (size_t i = 0; i < part.value.object().slots.size(); ++i) {
          const auto& names = part.value.object().object_class().attributes;
          inside.push_back(
              {fmt::format("{}.{}", part.path, i < names.size() ? names[i] : std::to_string(i)),
               part.value.object().slots[i]});
        }
        break;
      default:
        parts.push_back(part);
        break;
    }
    pending.insert(pending.end(), std::make_move_iterator(inside.rbegin()),
                   std::make_move_iterator(inside.rend()));
  }
  return parts;
}

TensorRef TensorOf(const Value& part) {
  switch (part.kind()) {
    case Kind::kTensor:
      return TensorRef::Share(part.tensor());
    case Kind::kBool:
      return ScalarOf<uint8_t>(ElementType::kBool, part.bool_value() ? 1 : 0);
    case Kind::kInt:
      return ScalarOf(ElementType::kInt64, part.int_value());
    case Kind::kFloat:
      return ScalarOf(ElementType::kFloat64, part.float_value());
    case Kind::kComplex:
      return ScalarOf(ElementType::kComplex128, part.complex_value());
    default:
      return {};
  }
}

std::string Describe(const Value& part) {
  switch (part.kind()) {
    case Kind::kTensor: {
      const Tensor& tensor = part.tensor();
      std::string text = fmt::format("{}[{}]", values::ToString(tensor.element_type()),
                                     fmt::join(tensor.sizes(), "x"));
      if (tensor.element_count() > 0 && tensor.element_count() <= kShownElementsMax) {
        text += " " + ElementsText(tensor);
      }
      return text;
    }
    case Kind::kString:
      return "str " + Quoted(part.string());
    case Kind::kDevice:
      return "device " + part.device();
    case Kind::kNone:
      return "None";
    case Kind::kEnum:
      return fmt::format("{} {}", part.enum_member().class_name,
                         Describe(part.enum_member().value));
    case Kind::kBool:
      return part.bool_value() ? "bool true" : "bool false";
    default:
      break;
  }
  const TensorRef number = TensorOf(part);
  if (!number) return std::string(ToString(part.kind()));
  return fmt::format("{} {}", ToString(part.kind()), NumberText(*number, 0));
}

JsonObject DescribeAsJson(const Value& part) {
  if (part.kind() != Kind::kTensor) {
    JsonObject object = {{"type", ToString(part.kind())}};
    if (const TensorRef number = TensorOf(part)) {
      object["value"] = NumberAt(*number, 0);
    } else if (part.kind() == Kind::kString) {
      object["value"] = part.string();
    } else if (part.kind() == Kind::kDevice) {
      object["value"] = part.device();
    }
    return object;
  }
  const Tensor& tensor = part.tensor();
  JsonObject object = {{"type", values::ToString(tensor.element_type())},
                       {"shape", tensor.sizes()}};
  if (tensor.element_count() <= kShownElementsMax) {
    JsonObject elements = JsonObject::array();
    for (const int64_t offset : OffsetsOf(tensor)) elements.push_back(NumberAt(tensor, offset));
    object["values"] = std::move(elements);
  }
  return object;
}

}  // namespace handrail::cli
