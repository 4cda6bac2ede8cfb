// Objects of a running program: modules and instances of classes.
//
// In:  instantiated from an archive (values/instantiate.h) or made by prim::CreateObject.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/values/value.h"

namespace handrail::values {

// What the objects of one class have in common. Immutable; an attribute's slot is its place.
struct ObjectClass {
  std::string name;                     // "__torch__.M"
  std::vector<std::string> attributes;  // in the order of the class's declaration

  std::optional<size_t> SlotOf(std::string_view attribute) const;
};

class Object final : public Counted {
 public:
  // All slots are None.
  explicit Object(std::shared_ptr<const ObjectClass> object_class)
      : class_(std::move(object_class)), slots(class_->attributes.size()) {}

  const ObjectClass& object_class() const { return *class_; }
  const std::shared_ptr<const ObjectClass>& shared_class() const { return class_; }
  // Null: the class has no such attribute.
  Value* FindAttribute(std::string_view attribute);

 private:
  void Destroy() const noexcept override { DestroyInTurn(); }

  std::shared_ptr<const ObjectClass> class_;

 public:
  std::vector<Value> slots;  // one for each attribute of the class
};

inline Value::Value(Ref<Object> object) noexcept : Value(Kind::kObject, std::move(object)) {}
inline Object& Value::object() const {
  return *static_cast<Object*>(Checked(Kind::kObject).counted);
}

}  // namespace handrail::values
