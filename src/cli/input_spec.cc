#include "cli/input_spec.h"

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "handrail/base/limits.h"
#include "handrail/base/mapped_file.h"

#include "cli/npy.h"

namespace handrail::cli {
namespace {

using values::ElementType;
using values::Tensor;
using values::Value;

enum class Fill : uint8_t { kOnes, kZeros, kRandom, kCount };

struct FillName {
  std::string_view text;
  Fill fill;
};
constexpr std::array<FillName, 4> kFills = {{{"ones", Fill::kOnes},
                                             {"zeros", Fill::kZeros},
                                             {"rand", Fill::kRandom},
                                             {"arange", Fill::kCount}}};

struct TypeName {
  std::string_view text;
  ElementType type;
};
constexpr std::array<TypeName, 4> kTypes = {{{"f32", ElementType::kFloat32},
                                             {"f64", ElementType::kFloat64},
                                             {"i64", ElementType::kInt64},
                                             {"bool", ElementType::kBool}}};

tl::unexpected<Error> Wrong(std::string_view spec, std::string_view need) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("input '{}': need {}", spec, need));
}

template <typename Number>
std::optional<Number> NumberOf(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return number;
}

// "2x3"; "" for a tensor of one element and no dimensions.
std::optional<std::vector<int64_t>> SizesOf(std::string_view text) {
  std::vector<int64_t> sizes;
  uint64_t size_bytes = sizeof(double);
  while (!text.empty()) {
    const size_t cross = text.find('x');
    const auto size = NumberOf<uint32_t>(text.substr(0, cross));
    if (!size || sizes.size() == limits::kTensorDimensionsMax) return std::nullopt;
    if (*size != 0 && size_bytes > limits::kTensorBytesMax / *size) return std::nullopt;
    size_bytes *= *size;
    sizes.push_back(*size);
    if (cross == std::string_view::npos) return sizes;
    text.remove_prefix(cross + 1);
    if (text.empty()) return std::nullopt;
  }
  return sizes;
}

template <typename T>
void FillWith(Tensor& tensor, Fill fill, RandomNumbers& random) {
  T* const elements = tensor.mutable_data<T>();
  for (int64_t i = 0; i < tensor.element_count(); ++i) {
    switch (fill) {
      case Fill::kOnes:
        elements[i] = T{1};
        break;
      case Fill::kZeros:
        elements[i] = T{0};
        break;
      case Fill::kRandom:
        // A double just below 1 could be rounded up to it.
        elements[i] = static_cast<T>(
            static_cast<double>(static_cast<uint32_t>(random.Next() * (1 << 24))) / (1 << 24));
        break;
      case Fill::kCount:
        elements[i] = static_cast<T>(i);
        break;
    }
  }
}

Result<Value> MakeTensor(const std::string& spec, Fill fill, std::string_view rest,
                         RandomNumbers& random) {
  ElementType type = ElementType::kFloat32;
  if (const size_t colon = rest.find(':'); colon != std::string_view::npos) {
    const std::string_view name = rest.substr(colon + 1);
    const auto* known = kTypes.begin();
    while (known != kTypes.end() && known->text != name) ++known;
    if (known == kTypes.end()) return Wrong(spec, "f32, f64, i64 or bool after the sizes");
    type = known->type;
    rest = rest.substr(0, colon);
  }
  const bool is_float = type == ElementType::kFloat32 || type == ElementType::kFloat64;
  if (fill == Fill::kRandom && !is_float) return Wrong(spec, "f32 or f64 for numbers below 1");
  if (fill == Fill::kCount && type == ElementType::kBool) return Wrong(spec, "numbers to count");
  const auto sizes = SizesOf(rest);
  if (!sizes) return Wrong(spec, "sizes like 2x3");
  values::TensorRef tensor = Tensor::Allocate(type, *sizes);
  switch (type) {
    case ElementType::kFloat32:
      FillWith<float>(*tensor, fill, random);
      break;
    case ElementType::kFloat64:
      FillWith<double>(*tensor, fill, random);
      break;
    case ElementType::kInt64:
      FillWith<int64_t>(*tensor, fill, random);
      break;
    default:
      FillWith<uint8_t>(*tensor, fill, random);
      break;
  }
  return Value(std::move(tensor));
}

Result<Value> MakeScalar(const std::string& spec, std::string_view kind, std::string_view text) {
  if (kind == "str") return Value(text);
  if (kind == "int") {
    const auto number = NumberOf<int64_t>(text);
    if (!number) return Wrong(spec, "a whole number of 64 bits");
    return Value(*number);
  }
  if (kind == "float") {
    const auto number = NumberOf<double>(text);
    if (!number) return Wrong(spec, "a number");
    return Value(*number);
  }
  if (kind == "bool") {
    if (text != "true" && text != "false") return Wrong(spec, "true or false");
    return Value(text == "true");
  }
  return Wrong(spec, "ones:, zeros:, rand:, arange:, int:, float:, bool:, str:, none or @FILE.npy");
}

}  // namespace

double RandomNumbers::Next() {
  state_ += 0x9e3779b97f4a7c15;
  uint64_t bits = state_;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  bits ^= bits >> 31;
  constexpr int kUnusedBits = 11;
  return static_cast<double>(bits >> kUnusedBits) / static_cast<double>(uint64_t{1} << 53);
}

Result<Value> MakeInput(const std::string& spec, RandomNumbers& random) {
  if (spec.starts_with('@')) {
    const std::string path = spec.substr(1);
    HANDRAIL_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
    HANDRAIL_ASSIGN_OR_RETURN(values::TensorRef tensor, ReadNpy(file.bytes(), path));
    return Value(std::move(tensor));
  }
  if (spec == "none") return Value();
  const size_t colon = spec.find(':');
  const std::string_view kind = std::string_view(spec).substr(0, colon);
  const std::string_view rest =
      colon == std::string::npos ? std::string_view() : std::string_view(spec).substr(colon + 1);
  if (colon != std::string::npos) {
    for (const FillName& fill : kFills) {
      if (fill.text == kind) return MakeTensor(spec, fill.fill, rest, random);
    }
  }
  return MakeScalar(spec, colon == std::string::npos ? std::string_view() : kind, rest);
}

}  // namespace handrail::cli
