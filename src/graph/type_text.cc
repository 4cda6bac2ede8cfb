// Texts of types. Types nest as deep as input says, so they are written with a stack.
#include <array>
#include <variant>

#include "handrail/graph/type.h"

namespace handrail::graph {
namespace {

enum class Style { kSchema, kAnnotation };

// What types without parts are called, in graphs and in annotations.
struct SimpleTexts {
  std::string_view schema;
  std::string_view annotation;
};

constexpr std::array<SimpleTexts, 64> kSimpleTexts = [] {
  std::array<SimpleTexts, 64> texts{};
#define HANDRAIL_SIMPLE_TYPE(kind, text, annotation) \
  texts[static_cast<size_t>(TypeKind::kind)] = {text, annotation};
#include "handrail/graph/type_kinds.def"
  return texts;
}();

// How a compound type is written around its elements.
struct Brackets {
  std::string_view open;
  std::string_view close;
};

Brackets BracketsOf(TypeKind kind, uint32_t element_count, Style style) {
  const bool is_schema = style == Style::kSchema;
  switch (kind) {
    case TypeKind::kOptional:
      return is_schema ? Brackets{"", "?"} : Brackets{"Optional[", "]"};
    case TypeKind::kList:
      return is_schema ? Brackets{"", "[]"} : Brackets{"List[", "]"};
    case TypeKind::kFuture:
      return is_schema ? Brackets{"Future(", ")"} : Brackets{"Future[", "]"};
    case TypeKind::kRRef:
      return is_schema ? Brackets{"RRef(", ")"} : Brackets{"RRef[", "]"};
    case TypeKind::kDict:
      return is_schema ? Brackets{"Dict(", ")"} : Brackets{"Dict[", "]"};
    case TypeKind::kUnion:
      return is_schema ? Brackets{"Union(", ")"} : Brackets{"Union[", "]"};
    default:  // kTuple
      if (is_schema) return {"(", element_count == 1 ? ",)" : ")"};
      return element_count == 0 ? Brackets{"Tuple[()", "]"} : Brackets{"Tuple[", "]"};
  }
}

bool HasNoParts(const TypeRow& row) {
  return row.element_count == 0 || !row.name.is_none();
}

std::string Write(const TypeTable& types, const StringPool& strings, TypeId type, Style style) {
  std::string out;
  std::vector<std::variant<TypeId, std::string_view>> pending{type};
  while (!pending.empty()) {
    const auto next = pending.back();
    pending.pop_back();
    if (const auto* text = std::get_if<std::string_view>(&next)) {
      out += *text;
      continue;
    }
    const TypeId id = std::get<TypeId>(next);
    const TypeRow& row = types.at(id);
    if (!row.name.is_none()) {
      out += strings.at(row.name);
      continue;
    }
    if (HasNoParts(row) && row.kind != TypeKind::kTuple) {
      const SimpleTexts& texts = kSimpleTexts[static_cast<size_t>(row.kind)];
      out += style == Style::kSchema ? texts.schema : texts.annotation;
      continue;
    }
    const Brackets brackets = BracketsOf(row.kind, row.element_count, style);
    out += brackets.open;
    pending.push_back(brackets.close);
    const auto elements = types.elements(id);
    for (size_t i = elements.size(); i-- > 0;) {
      pending.push_back(elements[i]);
      if (i > 0) pending.push_back(std::string_view(", "));
    }
  }
  return out;
}

}  // namespace

std::string ToString(const TypeTable& types, const StringPool& strings, TypeId type) {
  return Write(types, strings, type, Style::kSchema);
}

std::string ToAnnotation(const TypeTable& types, const StringPool& strings, TypeId type) {
  return Write(types, strings, type, Style::kAnnotation);
}

}  // namespace handrail::graph
