#include "plugins/libtorch/values.h"

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/jit/mobile/type_parser.h>

namespace handrail::libtorch {
namespace {

using values::Value;

// Both conversions recurse over their input.
constexpr int kDepthMax = 100;

void CheckDepth(int depth) {
  TORCH_CHECK(depth < kDepthMax, "values nested more than ", kDepthMax, " deep cannot be lowered");
}

bool IsElementType(c10::ScalarType type) {
  switch (static_cast<int>(type)) {
#define HANDRAIL_ELEMENT_TYPE(name, code, bytes, text, storage) case code:
#include "handrail/values/element_types.def"
    return true;
    default:
      return false;
  }
}

Value TensorToHandrail(const at::Tensor& tensor) {
  if (!tensor.defined()) return Value();
  TORCH_CHECK(tensor.layout() == at::kStrided && tensor.is_cpu() && !tensor.is_quantized() &&
                  IsElementType(tensor.scalar_type()),
              "need a dense tensor on the CPU, found ", tensor.toString());
  const at::Storage& storage = tensor.storage();
  auto owner = std::make_shared<at::Tensor>(tensor);
  auto buffer = values::Buffer::Share({static_cast<std::byte*>(storage.data()), storage.nbytes()},
                                      std::move(owner));
  auto made = values::Tensor::View(
      std::move(buffer), static_cast<values::ElementType>(tensor.scalar_type()),
      std::span(tensor.sizes().data(), tensor.sizes().size()),
      std::span(tensor.strides().data(), tensor.strides().size()), tensor.storage_offset());
  TORCH_CHECK(made.get() != nullptr, "a tensor lies outside of its storage");
  made->set_requires_grad(tensor.requires_grad());
  return Value(std::move(made));
}

at::Tensor TensorToTorch(values::Tensor& tensor) {
  const auto options =
      at::TensorOptions().dtype(static_cast<c10::ScalarType>(tensor.element_type()));
  const auto sizes = c10::IntArrayRef(tensor.sizes().data(), tensor.sizes().size());
  const auto strides = c10::IntArrayRef(tensor.strides().data(), tensor.strides().size());
  // What PyTorch writes must not reach bytes that are only viewed.
  std::byte* const bytes = tensor.mutable_bytes();
  const values::Ref<values::Buffer> buffer = tensor.buffer();
  return at::from_blob(
      bytes, sizes, strides, [buffer](void*) {}, options);
}

Value ElementsToHandrail(const c10::List<c10::IValue>& list, int depth);

Value Convert(const c10::IValue& value, int depth) {
  CheckDepth(depth);
  if (value.isNone()) return Value();
  if (value.isBool()) return Value(value.toBool());
  if (value.isInt()) return Value(value.toInt());
  if (value.isDouble()) return Value(value.toDouble());
  if (value.isComplexDouble()) return Value(std::complex<double>(value.toComplexDouble()));
  if (value.isString()) return Value(value.toStringRef());
  if (value.isDevice()) return Value::Device(value.toDevice().str());
  if (value.isTensor()) return TensorToHandrail(value.toTensor());
  if (value.isList()) return ElementsToHandrail(value.toList(), depth);
  if (value.isTuple()) {
    std::vector<Value> elements;
    for (const c10::IValue& element : value.toTupleRef().elements()) {
      elements.push_back(Convert(element, depth + 1));
    }
    return values::MakeTuple(std::move(elements));
  }
  if (value.isGenericDict()) {
    auto dict = values::MakeRef<values::Dict>();
    const auto entries = value.toGenericDict();
    for (const auto& entry : entries) {
      dict->Set(Convert(entry.key(), depth + 1), Convert(entry.value(), depth + 1));
    }
    dict->type_text = value.type()->annotation_str();
    return Value(std::move(dict));
  }
  TORCH_CHECK(false, "a value of type ", value.tagKind(), " cannot be lowered");
}

Value ElementsToHandrail(const c10::List<c10::IValue>& list, int depth) {
  std::vector<Value> elements;
  elements.reserve(list.size());
  for (const c10::IValue& element : list) elements.push_back(Convert(element, depth + 1));
  return Value(values::MakeRef<values::List>(std::move(elements),
                                             "List[" + list.elementType()->annotation_str() + "]"));
}

// What a list holds, for its type: lists of one kind of plain value are typed in PyTorch.
c10::TypePtr ElementTypeOf(const values::List& list) {
  if (!list.type_text.empty()) {
    if (const auto type = c10::parseType(list.type_text)->cast<c10::ListType>()) {
      return type->getElementType();
    }
  }
  if (list.elements.empty()) return c10::AnyType::get();
  const Value::Kind kind = list.elements.front().kind();
  for (const Value& element : list.elements) {
    if (element.kind() != kind) return c10::AnyType::get();
  }
  switch (kind) {
    case Value::Kind::kBool:
      return c10::BoolType::get();
    case Value::Kind::kInt:
      return c10::IntType::get();
    case Value::Kind::kFloat:
      return c10::FloatType::get();
    case Value::Kind::kString:
      return c10::StringType::get();
    case Value::Kind::kTensor:
      return c10::TensorType::get();
    default:
      return c10::AnyType::get();
  }
}

c10::IValue Convert(const Value& value, int depth) {
  CheckDepth(depth);
  switch (value.kind()) {
    case Value::Kind::kNone:
      return {};
    case Value::Kind::kBool:
      return value.bool_value();
    case Value::Kind::kInt:
      return value.int_value();
    case Value::Kind::kFloat:
      return value.float_value();
    case Value::Kind::kComplex:
      return c10::complex<double>(value.complex_value());
    case Value::Kind::kString:
      return value.string();
    case Value::Kind::kDevice:
      return c10::Device(value.device());
    case Value::Kind::kTensor:
      return TensorToTorch(value.tensor());
    case Value::Kind::kTuple: {
      std::vector<c10::IValue> elements;
      for (const Value& element : value.tuple().elements) {
        elements.push_back(Convert(element, depth + 1));
      }
      return c10::ivalue::Tuple::create(std::move(elements));
    }
    case Value::Kind::kList: {
      c10::impl::GenericList list(ElementTypeOf(value.list()));
      for (const Value& element : value.list().elements)
        list.push_back(Convert(element, depth + 1));
      return list;
    }
    case Value::Kind::kDict: {
      c10::TypePtr key_type = c10::StringType::get();
      c10::TypePtr value_type = c10::AnyType::get();
      if (!value.dict().type_text.empty()) {
        if (const auto type = c10::parseType(value.dict().type_text)->cast<c10::DictType>()) {
          key_type = type->getKeyType();
          value_type = type->getValueType();
        }
      }
      c10::impl::GenericDict dict(key_type, value_type);
      for (const auto& [key, entry] : value.dict().entries()) {
        dict.insert(Convert(key, depth + 1), Convert(entry, depth + 1));
      }
      return dict;
    }
    case Value::Kind::kObject:
    case Value::Kind::kEnum:
    case Value::Kind::kCapsule:
      break;
  }
  TORCH_CHECK(false, "a value of type ", std::string(values::ToString(value.kind())),
              " has no place in PyTorch");
}

}  // namespace

Value ToHandrail(const c10::IValue& value) {
  return Convert(value, 0);
}

c10::IValue ToTorch(const Value& value) {
  return Convert(value, 0);
}

}  // namespace handrail::libtorch
