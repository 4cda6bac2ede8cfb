// Whether a value is of a type, as ISINSTANCE asks it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "handrail/values/value.h"

namespace handrail::runtime {

// One type, as Python annotates it: `Tensor`, `List[int]`, `Optional[Tensor]`, `__torch__.M`.
class TypeTest {
 public:
  explicit TypeTest(std::string_view type);

  bool Holds(const values::Value& value) const;
  // Whether the type names a class or interface: whose objects are of an interface is not known.
  bool has_classes() const;

 private:
  enum class Kind : uint8_t { kScalar, kAny, kList, kTuple, kDict, kOneOf, kNamed };

  // Of `kind`, with a list's elements, a tuple's fields and so on as rows of `rows_`.
  struct Row {
    Kind kind = Kind::kNamed;
    values::Value::Kind scalar = values::Value::Kind::kNone;
    std::string name;  // kNamed: of the class; kList, kDict: the whole text
    std::vector<size_t> parts;
  };
  size_t AddRow(std::string_view type, int depth);
  bool Holds(size_t row, const values::Value& value, int depth) const;

  std::vector<Row> rows_;  // parts stand above what they are part of
};

}  // namespace handrail::runtime
