// The modules of an archive as its data.pkl has them: which attribute of which module is which
// other one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "handrail/base/result.h"

#include "archive/pickle.h"

namespace handrail {

class ModuleTree {
 public:
  struct Attribute {
    std::string_view name;
    uint32_t object;
  };
  struct Object {
    PickleValue value;
    std::string class_name;  // qualified
    bool has_dict_state = false;
    std::vector<Attribute> attributes;  // those that are objects, too
  };

  // All objects that are reached from the root by attributes, each once; the root is the first.
  // `pickle` must outlive the tree.
  static Result<ModuleTree> Read(const Pickle& pickle);

  const std::vector<Object>& objects() const { return objects_; }
  // The row of an object of the pickle, or nothing.
  const uint32_t* Find(PickleValue object) const;
  // The object that a dotted path leads to; "" is the root. Names the step that leads nowhere.
  Result<uint32_t> At(std::string_view path) const;
  // Rows such that each object comes after those in its attributes. Fails with kUnsupported if an
  // object contains itself.
  Result<std::vector<uint32_t>> PartsFirst() const;

 private:
  std::vector<Object> objects_;
  std::unordered_map<uint64_t, uint32_t> rows_;  // by identity
};

}  // namespace handrail
