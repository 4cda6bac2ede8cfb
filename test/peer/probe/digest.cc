#include "digest.h"

#include <cstdint>
#include <cstring>
#include <sstream>

#include <ATen/ATen.h>

namespace handrail_peer {
namespace {

constexpr size_t kShownBytesMax = 400;

class Digest {
 public:
  void Add(const c10::IValue& value) {
    if (value.isTensor()) {
      AddTensor(value.toTensor());
    } else if (value.isNone()) {
      shown_ << "None";
    } else if (value.isBool()) {
      shown_ << (value.toBool() ? "True" : "False");
      AddNumber(value.toBool());
    } else if (value.isInt()) {
      shown_ << value.toInt();
      AddNumber(value.toInt());
    } else if (value.isDouble()) {
      shown_ << value.toDouble();
      AddNumber(value.toDouble());
    } else if (value.isComplexDouble()) {
      shown_ << "complex";
      AddNumber(value.toComplexDouble());
    } else if (value.isString()) {
      shown_ << "'" << value.toStringRef() << "'";
      AddText(value.toStringRef());
    } else if (value.isDevice()) {
      shown_ << value.toDevice();
      AddText(value.toDevice().str());
    } else if (value.isTuple()) {
      AddAll("tuple", value.toTupleRef().elements());
    } else if (value.isList()) {
      AddAll("list", value.toListRef());
    } else if (value.isGenericDict()) {
      AddDict(value.toGenericDict());
    } else if (value.isObject()) {
      AddAll("object", value.toObjectRef().slots());
    } else {
      shown_ << value.tagKind();
      AddText(value.tagKind());
    }
  }

  std::string Text() const {
    std::ostringstream text;
    text << shown_.str().substr(0, kShownBytesMax) << " #" << std::hex << hash_;
    return text.str();
  }

 private:
  // FNV-1a.
  void AddBytes(const void* bytes, size_t count) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    for (size_t i = 0; i < count; ++i) hash_ = (hash_ ^ at[i]) * 0x100000001b3U;
  }
  template <typename T>
  void AddNumber(const T& number) {
    AddBytes(&number, sizeof number);
  }
  void AddText(const std::string& text) {
    AddNumber(text.size());
    AddBytes(text.data(), text.size());
  }

  template <typename Elements>
  void AddAll(const char* kind, const Elements& elements) {
    shown_ << kind << "(";
    AddNumber(elements.size());
    for (const c10::IValue& element : elements) {
      Add(element);
      shown_ << ",";
    }
    shown_ << ")";
  }
  void AddDict(const c10::Dict<c10::IValue, c10::IValue>& dict) {
    shown_ << "dict(";
    AddNumber(dict.size());
    for (const auto& entry : dict) {
      Add(entry.key());
      shown_ << ":";
      Add(entry.value());
      shown_ << ",";
    }
    shown_ << ")";
  }
  void AddTensor(const at::Tensor& tensor) {
    if (!tensor.defined()) {
      shown_ << "undefined";
      return;
    }
    shown_ << tensor.toString() << tensor.sizes();
    AddText(tensor.toString());
    AddNumber(tensor.dim());
    for (const int64_t size : tensor.sizes()) AddNumber(size);
    at::Tensor plain = tensor.is_quantized() ? tensor.int_repr() : tensor;
    plain = plain.to(at::kCPU).contiguous();
    AddBytes(plain.data_ptr(), plain.nbytes());
  }

  std::ostringstream shown_;
  uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace

std::string DigestOf(const c10::IValue& value) {
  Digest digest;
  digest.Add(value);
  return digest.Text();
}

}  // namespace handrail_peer
