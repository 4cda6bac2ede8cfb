#include "bytecode/type_text.h"

#include <fmt/format.h>

namespace handrail::bytecode {
namespace {

// NamedTuples of NamedTuples spell a text that can double with each level: beyond this many bytes
// or levels a field's type is named.
constexpr size_t kSpeltBytesMax = 1U << 16;
constexpr uint32_t kSpeltLevelsMax = 64;

void AppendNamedTuple(const graph::CompilationUnit& unit, graph::TypeId type, uint32_t level,
                      std::string& out) {
  const graph::Definition* const definition = unit.DefinitionOf(type);
  if (!unit.types.is_named_tuple(type) || definition == nullptr || level == kSpeltLevelsMax ||
      out.size() > kSpeltBytesMax) {
    out += ToAnnotation(unit.types, unit.strings, type);
    return;
  }
  out += unit.text(definition->name);
  out += "[NamedTuple, [";
  for (size_t i = 0; i < definition->attributes.size(); ++i) {
    const graph::AttributeDefinition& field = definition->attributes[i];
    out += fmt::format("{}[{}, ", i == 0 ? "" : ",", unit.text(field.name));
    AppendNamedTuple(unit, field.type, level + 1, out);
    out += "]";
  }
  out += "]]";
}

}  // namespace

std::string TypeText(const graph::CompilationUnit& unit, graph::TypeId type) {
  if (unit.types.is(type, graph::TypeKind::kDict)) {
    const auto parts = unit.types.elements(type);
    return fmt::format("Dict[{},{}]", ToAnnotation(unit.types, unit.strings, parts[0]),
                       ToAnnotation(unit.types, unit.strings, parts[1]));
  }
  std::string text;
  AppendNamedTuple(unit, type, 0, text);
  return text;
}

}  // namespace handrail::bytecode
