#include "handrail/values/value.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "handrail/values/object.h"

namespace handrail::values {

namespace {

class StringBody final : public Counted {
 public:
  explicit StringBody(std::string value) : text(std::move(value)) {}
  const std::string text;
};

class ComplexBody final : public Counted {
 public:
  explicit ComplexBody(std::complex<double> number) : value(number) {}
  const std::complex<double> value;
};

}  // namespace

void Counted::DestroyInTurn() const noexcept {
  static thread_local std::vector<const Counted*> waiting;
  static thread_local bool is_destroying = false;
  if (is_destroying) {
    waiting.push_back(this);
    return;
  }
  is_destroying = true;
  delete this;
  while (!waiting.empty()) {
    const Counted* next = waiting.back();
    waiting.pop_back();
    delete next;
  }
  is_destroying = false;
}

Value::Value(std::complex<double> value) : Value(Kind::kComplex, MakeRef<ComplexBody>(value)) {}
Value::Value(std::string_view text) : Value(std::string(text)) {}
Value::Value(std::string text) : Value(Kind::kString, MakeRef<StringBody>(std::move(text))) {}
Value Value::Device(std::string name) {
  return {Kind::kDevice, MakeRef<StringBody>(std::move(name))};
}

std::complex<double> Value::complex_value() const {
  return static_cast<const ComplexBody*>(Checked(Kind::kComplex).counted)->value;
}
const std::string& Value::string() const {
  return static_cast<const StringBody*>(Checked(Kind::kString).counted)->text;
}
const std::string& Value::device() const {
  return static_cast<const StringBody*>(Checked(Kind::kDevice).counted)->text;
}

std::string_view ToString(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::kNone:
      return "NoneType";
    case Value::Kind::kBool:
      return "bool";
    case Value::Kind::kInt:
      return "int";
    case Value::Kind::kFloat:
      return "float";
    case Value::Kind::kComplex:
      return "complex";
    case Value::Kind::kString:
      return "str";
    case Value::Kind::kDevice:
      return "Device";
    case Value::Kind::kTensor:
      return "Tensor";
    case Value::Kind::kList:
      return "List";
    case Value::Kind::kTuple:
      return "Tuple";
    case Value::Kind::kDict:
      return "Dict";
    case Value::Kind::kObject:
      return "Object";
    case Value::Kind::kEnum:
      return "Enum";
    case Value::Kind::kCapsule:
      return "Capsule";
  }
  return "";
}

size_t Dict::KeyHash::operator()(const Value& key) const {
  switch (key.kind()) {
    case Value::Kind::kString:
      return std::hash<std::string>()(key.string());
    case Value::Kind::kBool:
      return std::hash<bool>()(key.bool_value());
    case Value::Kind::kInt:
      return std::hash<int64_t>()(key.int_value());
    case Value::Kind::kFloat:
      return std::hash<double>()(key.float_value());
    case Value::Kind::kTensor:
      return std::hash<const void*>()(&key.tensor());
    default:
      return 0;
  }
}

bool Dict::KeyEqual::operator()(const Value& a, const Value& b) const {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Value::Kind::kString:
      return a.string() == b.string();
    case Value::Kind::kFloat:
      return a.float_value() == b.float_value();
    case Value::Kind::kComplex:
      return a.complex_value() == b.complex_value();
    case Value::Kind::kDevice:
      return a.device() == b.device();
    default:
      return a.IsSame(b);
  }
}

std::optional<size_t> Dict::Row(const Value& key) const {
  if (entries_.size() <= kScannedMax) {
    for (size_t row = 0; row < entries_.size(); ++row) {
      if (KeyEqual()(entries_[row].first, key)) return row;
    }
    return std::nullopt;
  }
  if (rows_.empty()) {
    for (size_t row = 0; row < entries_.size(); ++row) rows_.emplace(entries_[row].first, row);
  }
  const auto found = rows_.find(key);
  if (found == rows_.end()) return std::nullopt;
  return found->second;
}

const Value* Dict::Find(const Value& key) const {
  const std::optional<size_t> row = Row(key);
  return row ? &entries_[*row].second : nullptr;
}

void Dict::Set(const Value& key, Value value) {
  if (const std::optional<size_t> row = Row(key)) {
    entries_[*row].second = std::move(value);
    return;
  }
  if (!rows_.empty()) rows_.emplace(key, entries_.size());
  entries_.emplace_back(key, std::move(value));
}

bool Dict::Erase(const Value& key) {
  const std::optional<size_t> row = Row(key);
  if (!row) return false;
  rows_.clear();
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(*row));
  return true;
}

void Dict::Clear() {
  rows_.clear();
  entries_.clear();
}

std::optional<size_t> ObjectClass::SlotOf(std::string_view attribute) const {
  const auto found = std::find(attributes.begin(), attributes.end(), attribute);
  if (found == attributes.end()) return std::nullopt;
  return static_cast<size_t>(found - attributes.begin());
}

Value* Object::FindAttribute(std::string_view attribute) {
  const std::optional<size_t> slot = class_->SlotOf(attribute);
  return slot ? &slots[*slot] : nullptr;
}

}  // namespace handrail::values
