#include "handrail/values/object_graph.h"

#include <array>
#include <bit>

namespace handrail::values {

namespace {

struct ElementTypeRow {
  uint32_t bytes = 0;
  std::string_view text;
};
// By code; codes that are none of ours have an empty row.
constexpr std::array<ElementTypeRow, 256> kElementTypes = [] {
  std::array<ElementTypeRow, 256> rows{};
#define HANDRAIL_ELEMENT_TYPE(name, code, bytes, text, storage) rows[code] = {bytes, text};
#include "handrail/values/element_types.def"
  return rows;
}();

}  // namespace

std::string_view ToString(ElementType type) {
  return kElementTypes[static_cast<uint8_t>(type)].text;
}

uint32_t SizeBytes(ElementType type) {
  return kElementTypes[static_cast<uint8_t>(type)].bytes;
}

std::string_view ToString(ValueKind kind) {
  switch (kind) {
    case ValueKind::kNone:
      return "None";
    case ValueKind::kBool:
      return "a bool";
    case ValueKind::kInt:
      return "an int";
    case ValueKind::kFloat:
      return "a float";
    case ValueKind::kComplex:
      return "a complex";
    case ValueKind::kString:
      return "a str";
    case ValueKind::kDevice:
      return "a device";
    case ValueKind::kTensor:
      return "a tensor";
    case ValueKind::kList:
      return "a list";
    case ValueKind::kTuple:
      return "a tuple";
    case ValueKind::kDict:
      return "a dict";
    case ValueKind::kObject:
      return "an object";
    case ValueKind::kEnum:
      return "an enum's member";
  }
  return "";
}

double ObjectGraph::float_value(ValueId id) const {
  return std::bit_cast<double>(at(id).bits);
}

std::string_view ObjectGraph::type_text(ValueId id) const {
  const StringId name = at(id).name;
  return name.is_none() ? std::string_view() : text(name);
}

ValueId ObjectGraph::FindAttribute(ValueId object, std::string_view name) const {
  const ValueId dict = state(object);
  ValueId found;
  if (dict.is_none() || kind(dict) != ValueKind::kDict) return found;
  const StringId wanted = strings_.Find(name);
  if (wanted.is_none()) return found;
  const std::span<const ValueId> pairs = elements(dict);
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const ValueRow& key = at(pairs[i]);
    if (key.kind == ValueKind::kString && key.name == wanted) found = pairs[i + 1];
  }
  return found;
}

}  // namespace handrail::values
