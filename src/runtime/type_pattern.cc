#include "runtime/type_pattern.h"

#include <algorithm>
#include <array>

#include "handrail/base/limits.h"
#include "handrail/values/object.h"

namespace handrail::runtime {
namespace {

using values::Value;

struct ScalarName {
  std::string_view text;
  Value::Kind kind;
};
constexpr std::array<ScalarName, 9> kScalars = {{{"Tensor", Value::Kind::kTensor},
                                                 {"int", Value::Kind::kInt},
                                                 {"float", Value::Kind::kFloat},
                                                 {"bool", Value::Kind::kBool},
                                                 {"str", Value::Kind::kString},
                                                 {"complex", Value::Kind::kComplex},
                                                 {"NoneType", Value::Kind::kNone},
                                                 {"Device", Value::Kind::kDevice},
                                                 {"Capsule", Value::Kind::kCapsule}}};

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// `a, B[c, d]` -> `a`, `B[c, d]`.
std::vector<std::string_view> Parts(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && (depth == 0 || i == text.size())) {
      parts.push_back(Trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  if (parts.size() == 1 && (parts[0].empty() || parts[0] == "()")) parts.clear();
  return parts;
}

// The types of `NamedTuple, [[x, Tensor], [y, int]]`; nothing for another text.
std::vector<std::string_view> FieldTypes(std::string_view inside) {
  const std::vector<std::string_view> parts = Parts(inside);
  std::vector<std::string_view> types;
  if (parts.size() != 2 || parts[0] != "NamedTuple" || parts[1].size() < 2) return types;
  for (const std::string_view field : Parts(parts[1].substr(1, parts[1].size() - 2))) {
    if (field.size() < 2) return {};
    const std::vector<std::string_view> name_and_type = Parts(field.substr(1, field.size() - 2));
    if (name_and_type.size() != 2) return {};
    types.push_back(name_and_type[1]);
  }
  return types;
}

// A list or dict that nobody annotated and that is empty is of every such type.
bool MayBe(const std::string& annotated, const std::string& wanted) {
  return annotated.empty() || annotated == wanted;
}

}  // namespace

TypeTest::TypeTest(std::string_view type) {
  AddRow(Trimmed(type), 0);
}

size_t TypeTest::AddRow(std::string_view type, int depth) {
  const size_t id = rows_.size();
  rows_.emplace_back();
  rows_[id].name = type;
  const auto* const scalar = std::find_if(
      kScalars.begin(), kScalars.end(), [&](const ScalarName& each) { return each.text == type; });
  if (scalar != kScalars.end()) {
    rows_[id].kind = Kind::kScalar;
    rows_[id].scalar = scalar->kind;
    return id;
  }
  if (type == "Any") {
    rows_[id].kind = Kind::kAny;
    return id;
  }
  const size_t bracket = type.find('[');
  if (bracket == std::string_view::npos || !type.ends_with(']') ||
      depth == static_cast<int>(limits::kTypeDepthMax)) {
    return id;
  }
  const std::string_view head = type.substr(0, bracket);
  const std::string_view inside = type.substr(bracket + 1, type.size() - bracket - 2);
  if (head == "List") {
    rows_[id].kind = Kind::kList;
  } else if (head == "Dict") {
    rows_[id].kind = Kind::kDict;
  } else if (head == "Tuple") {
    rows_[id].kind = Kind::kTuple;
  } else if (head == "Optional" || head == "Union") {
    rows_[id].kind = Kind::kOneOf;
  } else {
    // A NamedTuple's value is a tuple.
    const std::vector<std::string_view> fields = FieldTypes(inside);
    if (fields.empty()) return id;
    rows_[id].kind = Kind::kTuple;
    std::vector<size_t> parts;
    parts.reserve(fields.size());
    for (const std::string_view field : fields) parts.push_back(AddRow(field, depth + 1));
    rows_[id].parts = std::move(parts);
    return id;
  }
  std::vector<size_t> parts;
  for (const std::string_view part : Parts(inside)) parts.push_back(AddRow(part, depth + 1));
  if (head == "Optional") parts.push_back(AddRow("NoneType", depth + 1));
  rows_[id].parts = std::move(parts);
  return id;
}

bool TypeTest::Holds(const Value& value) const {
  return Holds(0, value, 0);
}

bool TypeTest::has_classes() const {
  return std::any_of(rows_.begin(), rows_.end(),
                     [](const Row& row) { return row.kind == Kind::kNamed; });
}

// Recursion follows the type, whose depth is limited, not the value.
bool TypeTest::Holds(size_t id, const Value& value, int depth) const {
  const Row& row = rows_[id];
  const auto part_holds = [&](size_t part, const Value& element) {
    return part < row.parts.size() && Holds(row.parts[part], element, depth + 1);
  };
  switch (row.kind) {
    case Kind::kAny:
      return true;
    case Kind::kScalar:
      return value.kind() == row.scalar;
    case Kind::kOneOf:
      return std::any_of(row.parts.begin(), row.parts.end(),
                         [&](size_t part) { return Holds(part, value, depth + 1); });
    case Kind::kList: {
      if (value.kind() != Value::Kind::kList) return false;
      const auto& elements = value.list().elements;
      if (elements.empty()) return MayBe(value.list().type_text, row.name);
      return std::all_of(elements.begin(), elements.end(),
                         [&](const Value& element) { return part_holds(0, element); });
    }
    case Kind::kDict: {
      if (value.kind() != Value::Kind::kDict) return false;
      const auto& entries = value.dict().entries();
      if (entries.empty()) return MayBe(value.dict().type_text, row.name);
      return std::all_of(entries.begin(), entries.end(), [&](const values::Dict::Entry& entry) {
        return part_holds(0, entry.first) && part_holds(1, entry.second);
      });
    }
    case Kind::kTuple: {
      if (value.kind() != Value::Kind::kTuple) return false;
      const auto& elements = value.tuple().elements;
      if (elements.size() != row.parts.size()) return false;
      for (size_t i = 0; i < elements.size(); ++i) {
        if (!part_holds(i, elements[i])) return false;
      }
      return true;
    }
    case Kind::kNamed:
      if (value.kind() == Value::Kind::kObject) {
        return value.object().object_class().name == row.name;
      }
      if (value.kind() == Value::Kind::kEnum) return value.enum_member().class_name == row.name;
      return false;
  }
  return false;
}

}  // namespace handrail::runtime
