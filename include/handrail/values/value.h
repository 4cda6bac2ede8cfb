// Values of a running program: what the interpreter's registers and stack hold, what kernels take
// and give, what a backend is given.
//
// In:  instantiated from an archive (values/instantiate.h), made by kernels or by a caller.
//
// Strings, tuples, complex numbers, devices and enum members are immutable. Lists, dicts, objects
// and tensors are references: a copy of the value is the same list. Counting is thread-safe,
// changing is not (values/counted.h).
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "handrail/base/check.h"
#include "handrail/values/counted.h"
#include "handrail/values/tensor.h"

namespace handrail::values {

class List;
class Tuple;
class Dict;
class Object;
class EnumMember;
class Capsule;

// 16 bytes. A copy counts a reference, a move does not.
class Value {
 public:
  enum class Kind : uint8_t {
    kNone,
    kBool,
    kInt,
    kFloat,
    // The others are counted.
    kComplex,
    kString,
    kDevice,
    kTensor,
    kList,
    kTuple,
    kDict,
    kObject,
    kEnum,
    kCapsule,
  };

  Value() noexcept : Value(Kind::kNone, Payload{.integer = 0}) {}
  template <std::integral T>
  explicit Value(T value) noexcept
      : Value(std::same_as<T, bool> ? Kind::kBool : Kind::kInt,
              Payload{.integer = static_cast<int64_t>(value)}) {}
  explicit Value(double value) noexcept : Value(Kind::kFloat, Payload{.number = value}) {}
  explicit Value(std::complex<double> value);
  explicit Value(std::string_view text);
  explicit Value(const char* text) : Value(std::string_view(text)) {}
  explicit Value(std::string text);
  explicit Value(Ref<Tensor> tensor) noexcept : Value(Kind::kTensor, std::move(tensor)) {}
  explicit Value(Ref<List> list) noexcept;
  explicit Value(Ref<Tuple> tuple) noexcept;
  explicit Value(Ref<Dict> dict) noexcept;
  explicit Value(Ref<Object> object) noexcept;
  explicit Value(Ref<EnumMember> member) noexcept;
  explicit Value(Ref<Capsule> capsule) noexcept;
  static Value Device(std::string name);  // "cpu"

  Value(const Value& other) noexcept : kind_(other.kind_), payload_(other.payload_) {
    if (is_counted()) payload_.counted->AddReference();
  }
  Value(Value&& other) noexcept
      : kind_(std::exchange(other.kind_, Kind::kNone)), payload_(other.payload_) {}
  Value& operator=(const Value& other) noexcept {
    Value copy(other);
    return *this = std::move(copy);
  }
  Value& operator=(Value&& other) noexcept {
    if (this != &other) {
      const Value old(kind_, payload_);
      kind_ = std::exchange(other.kind_, Kind::kNone);
      payload_ = other.payload_;
    }
    return *this;
  }
  ~Value() {
    if (is_counted()) payload_.counted->Release();
  }

  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::kNone; }
  bool is_counted() const { return kind_ >= Kind::kComplex; }

  // Each must be asked of a value of its own kind (checked). References live as long as a value
  // that refers to the same thing.
  bool bool_value() const { return Checked(Kind::kBool).integer != 0; }
  int64_t int_value() const { return Checked(Kind::kInt).integer; }
  double float_value() const { return Checked(Kind::kFloat).number; }
  std::complex<double> complex_value() const;
  const std::string& string() const;
  const std::string& device() const;
  Tensor& tensor() const { return *static_cast<Tensor*>(Checked(Kind::kTensor).counted); }
  List& list() const;
  const Tuple& tuple() const;
  Dict& dict() const;
  Object& object() const;
  const EnumMember& enum_member() const;
  const Capsule& capsule() const;

  // Whether both are one list, tensor and so on; None and numbers: whether they are equal.
  bool IsSame(const Value& other) const {
    return kind_ == other.kind_ &&
           (kind_ == Kind::kNone || payload_.integer == other.payload_.integer);
  }

 private:
  union Payload {
    int64_t integer;
    double number;
    Counted* counted;
  };

  Value(Kind kind, Payload payload) noexcept : kind_(kind), payload_(payload) {}
  template <typename T>
  Value(Kind kind, Ref<T> ref) noexcept : Value(kind, Payload{.counted = ref.Detach()}) {
    if (payload_.counted == nullptr) kind_ = Kind::kNone;
  }
  const Payload& Checked(Kind kind) const {
    HANDRAIL_CHECK(kind_ == kind);
    return payload_;
  }

  Kind kind_;
  Payload payload_;
};
static_assert(sizeof(Value) == 16);

using Stack = std::vector<Value>;

std::string_view ToString(Value::Kind kind);  // "int", as Python says it

// Values with others inside are freed in turn (Counted::DestroyInTurn).
class List final : public Counted {
 public:
  List() = default;
  explicit List(std::vector<Value> values, std::string type = {})
      : elements(std::move(values)), type_text(std::move(type)) {}
  std::vector<Value> elements;
  std::string type_text;  // as archives write it: "List[int]"; "" if nobody said

 private:
  void Destroy() const noexcept override { DestroyInTurn(); }
};

class Tuple final : public Counted {
 public:
  explicit Tuple(std::vector<Value> values) : elements(std::move(values)) {}
  const std::vector<Value> elements;

 private:
  void Destroy() const noexcept override { DestroyInTurn(); }
};

// Keeps the order in which keys came. Keys are compared by value, tensors by identity.
class Dict final : public Counted {
 public:
  using Entry = std::pair<Value, Value>;

  const std::vector<Entry>& entries() const { return entries_; }
  const Value* Find(const Value& key) const;
  void Set(const Value& key, Value value);
  bool Erase(const Value& key);  // false: there is none
  void Clear();
  std::string type_text;  // "Dict[str, int]"; "" if nobody said

 private:
  struct KeyHash {
    size_t operator()(const Value& key) const;
  };
  struct KeyEqual {
    bool operator()(const Value& a, const Value& b) const;
  };
  std::optional<size_t> Row(const Value& key) const;
  void Destroy() const noexcept override { DestroyInTurn(); }

  static constexpr size_t kScannedMax = 8;  // up to here a look-up compares all keys

  std::vector<Entry> entries_;
  // Key -> row of `entries_`; empty while they are few, or after a key was erased.
  mutable std::unordered_map<Value, size_t, KeyHash, KeyEqual> rows_;
};

class EnumMember final : public Counted {
 public:
  EnumMember(std::string class_qualified_name, std::string member_name, Value member_value)
      : class_name(std::move(class_qualified_name)),
        name(std::move(member_name)),
        value(std::move(member_value)) {}
  const std::string class_name;  // "__torch__.Color"
  const std::string name;        // "RED"; "" where the archive does not say
  const Value value;

 private:
  void Destroy() const noexcept override { DestroyInTurn(); }
};

// Something of C++ that a program only hands on: a backend's handle of a method.
class Capsule final : public Counted {
 public:
  explicit Capsule(std::shared_ptr<void> owned) : object(std::move(owned)) {}
  const std::shared_ptr<void> object;
};

inline Value::Value(Ref<List> list) noexcept : Value(Kind::kList, std::move(list)) {}
inline Value::Value(Ref<Tuple> tuple) noexcept : Value(Kind::kTuple, std::move(tuple)) {}
inline Value::Value(Ref<Dict> dict) noexcept : Value(Kind::kDict, std::move(dict)) {}
inline Value::Value(Ref<EnumMember> member) noexcept : Value(Kind::kEnum, std::move(member)) {}
inline Value::Value(Ref<Capsule> capsule) noexcept : Value(Kind::kCapsule, std::move(capsule)) {}
inline List& Value::list() const {
  return *static_cast<List*>(Checked(Kind::kList).counted);
}
inline const Tuple& Value::tuple() const {
  return *static_cast<const Tuple*>(Checked(Kind::kTuple).counted);
}
inline Dict& Value::dict() const {
  return *static_cast<Dict*>(Checked(Kind::kDict).counted);
}
inline const EnumMember& Value::enum_member() const {
  return *static_cast<const EnumMember*>(Checked(Kind::kEnum).counted);
}
inline const Capsule& Value::capsule() const {
  return *static_cast<const Capsule*>(Checked(Kind::kCapsule).counted);
}

inline Value MakeList(std::vector<Value> elements) {
  return Value(MakeRef<List>(std::move(elements)));
}
inline Value MakeTuple(std::vector<Value> elements) {
  return Value(MakeRef<Tuple>(std::move(elements)));
}

}  // namespace handrail::values
