#include "graph/subtyping.h"

#include <algorithm>

#include "handrail/base/limits.h"

namespace handrail::graph {
namespace {

// One comparison, with what is left of its limits. Where they end, the answer is "no".
class SubtypeCheck {
 public:
  explicit SubtypeCheck(const CompilationUnit& unit) : unit_(unit), types_(unit.types) {}

  bool IsSubtype(TypeId type, TypeId of) {
    if (type == of || of == types::kAny) return true;
    if (depth_ == limits::kTypeDepthMax || comparisons_ == limits::kTypeComparisonsMax) {
      return false;
    }
    ++comparisons_;
    ++depth_;
    const bool is_subtype = Compare(type, of);
    --depth_;
    return is_subtype;
  }

 private:
  bool Compare(TypeId type, TypeId of) {
    if (IsChoice(type)) {
      return (type != types::kNone && types_.is(type, TypeKind::kOptional)
                  ? IsSubtype(types::kNone, of)
                  : true) &&
             AllOf(types_.elements(type), of);
    }
    if (IsChoice(of)) {
      if (types_.is(of, TypeKind::kOptional) && type == types::kNone) return true;
      return AnyOf(type, types_.elements(of));
    }
    if (of == types::kNumber) {
      return type == types::kInt || type == types::kFloat || type == types::kComplex;
    }
    switch (types_.kind(type)) {
      case TypeKind::kList:
        return of == types::kAnyList;
      case TypeKind::kTuple:
        if (of == types::kAnyTuple) return true;
        return types_.is(of, TypeKind::kTuple) && IsTupleSubtype(type, of);
      case TypeKind::kEnum:
        return of == types::kAnyEnum;
      case TypeKind::kFuture:
      case TypeKind::kRRef:
        return types_.is(of, types_.kind(type)) &&
               IsSubtype(types_.element(type), types_.element(of));
      case TypeKind::kClass:
        if (of == types::kAnyClass) return true;
        [[fallthrough]];
      case TypeKind::kInterface:
        return types_.is(of, TypeKind::kInterface) && HasMethodsOf(type, of);
      default:
        return false;
    }
  }

  bool IsChoice(TypeId type) const {
    return types_.is(type, TypeKind::kOptional) || types_.is(type, TypeKind::kUnion);
  }
  bool AllOf(std::span<const TypeId> parts, TypeId of) {
    return std::all_of(parts.begin(), parts.end(),
                       [&](TypeId part) { return IsSubtype(part, of); });
  }
  bool AnyOf(TypeId type, std::span<const TypeId> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](TypeId part) { return IsSubtype(type, part); });
  }

  // Also of NamedTuples, if the fields have the same names; they are tuples, but tuples are no
  // NamedTuples.
  bool IsTupleSubtype(TypeId type, TypeId of) {
    if (types_.is_named_tuple(of)) {
      if (!types_.is_named_tuple(type)) return false;
      const auto& own_fields = unit_.DefinitionOf(type)->attributes;
      const auto& wanted_fields = unit_.DefinitionOf(of)->attributes;
      if (!std::equal(own_fields.begin(), own_fields.end(), wanted_fields.begin(),
                      wanted_fields.end(),
                      [](const auto& a, const auto& b) { return a.name == b.name; })) {
        return false;
      }
    }
    const auto own = types_.elements(type);
    const auto wanted = types_.elements(of);
    return std::equal(own.begin(), own.end(), wanted.begin(), wanted.end(),
                      [&](TypeId a, TypeId b) { return IsSubtype(a, b); });
  }

  bool HasMethodsOf(TypeId type, TypeId of) {
    const Definition& own = *unit_.DefinitionOf(type);
    const Definition& interface = *unit_.DefinitionOf(of);
    if (interface.is_module() && !own.is_module()) return false;
    return std::all_of(interface.methods.begin(), interface.methods.end(), [&](const auto& wanted) {
      const auto found = own.FindMethod(wanted.name);
      if (!found) return false;
      const SchemaId schema = own.methods[*found].schema;
      return !schema.is_none() && !wanted.schema.is_none() &&
             IsSchemaSubtype(unit_.schema(schema), unit_.schema(wanted.schema));
    });
  }

  // The same arguments by name, each of a type at least as wide, and results at least as narrow.
  // `self` is what the two differ in.
  bool IsSchemaSubtype(const Schema& own, const Schema& wanted) {
    if (own.arguments.empty() || wanted.arguments.empty()) return false;
    return std::equal(own.arguments.begin() + 1, own.arguments.end(), wanted.arguments.begin() + 1,
                      wanted.arguments.end(),
                      [&](const Argument& a, const Argument& b) {
                        return a.name == b.name && IsSubtype(b.type, a.type);
                      }) &&
           std::equal(
               own.results.begin(), own.results.end(), wanted.results.begin(), wanted.results.end(),
               [&](const Argument& a, const Argument& b) { return IsSubtype(a.type, b.type); });
  }

  const CompilationUnit& unit_;
  const TypeTable& types_;
  uint32_t depth_ = 0;
  uint32_t comparisons_ = 0;
};

std::vector<TypeId> ElementsOf(const TypeTable& types, TypeId type) {
  const auto elements = types.elements(type);
  return {elements.begin(), elements.end()};
}

// The same constructor around other elements.
TypeId WithElements(TypeTable& types, TypeId type, std::span<const TypeId> elements) {
  switch (types.kind(type)) {
    case TypeKind::kOptional:
      return types.Optional(elements[0]);
    case TypeKind::kList:
      return types.List(elements[0]);
    case TypeKind::kFuture:
      return types.Future(elements[0]);
    case TypeKind::kRRef:
      return types.RRef(elements[0]);
    case TypeKind::kDict:
      return types.Dict(elements[0], elements[1]);
    case TypeKind::kUnion:
      return types.Union(elements);
    default:
      return types.Tuple(elements);
  }
}

std::optional<TypeId> Unify(CompilationUnit& unit, TypeId a, TypeId b, bool or_union,
                            uint32_t depth) {
  TypeTable& types = unit.types;
  const auto fallback = [&]() -> std::optional<TypeId> {
    if (!or_union) return std::nullopt;
    const TypeId both[] = {a, b};
    return types.Union(both);
  };
  if (IsSubtype(unit, a, b)) return b;
  if (IsSubtype(unit, b, a)) return a;
  if (depth == limits::kTypeDepthMax) return fallback();
  if (a == types::kNone) return types.Optional(b);
  if (b == types::kNone) return types.Optional(a);
  for (const auto& [optional, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (!types.is(optional, TypeKind::kOptional)) continue;
    const auto inner = Unify(unit, types.element(optional), other, false, depth + 1);
    if (inner) return types.Optional(*inner);
    break;
  }
  if (types.is(a, TypeKind::kTuple) && types.is(b, TypeKind::kTuple)) {
    const std::vector<TypeId> left = ElementsOf(types, a);
    const std::vector<TypeId> right = ElementsOf(types, b);
    if (left.size() != right.size()) return fallback();
    std::vector<TypeId> elements;
    for (size_t i = 0; i < left.size(); ++i) {
      const auto element = Unify(unit, left[i], right[i], or_union, depth + 1);
      if (!element) return fallback();
      elements.push_back(*element);
    }
    return types.Tuple(elements);
  }
  if (types.is(a, TypeKind::kFuture) && types.is(b, TypeKind::kFuture)) {
    const auto element = Unify(unit, types.element(a), types.element(b), false, depth + 1);
    if (element) return types.Future(*element);
  }
  return fallback();
}

}  // namespace

bool IsSubtype(const CompilationUnit& unit, TypeId type, TypeId of) {
  return type == of || SubtypeCheck(unit).IsSubtype(type, of);
}

std::optional<TypeId> UnifyTypes(CompilationUnit& unit, TypeId a, TypeId b, bool or_union) {
  return Unify(unit, a, b, or_union, 0);
}

std::optional<TypeId> UnifyTypes(CompilationUnit& unit, std::span<const TypeId> types,
                                 bool or_union) {
  // They may be a view of the table of types, which grows.
  const std::vector<TypeId> all(types.begin(), types.end());
  if (all.empty()) return std::nullopt;
  TypeId unified = all[0];
  for (size_t i = 1; i < all.size(); ++i) {
    const auto next = UnifyTypes(unit, unified, all[i], or_union);
    if (!next) return std::nullopt;
    unified = *next;
  }
  return unified;
}

TypeId TypeBindings::Find(StringId variable) const {
  for (const Binding& binding : bindings_) {
    if (binding.variable == variable) return binding.type;
  }
  return TypeId::none();
}

bool TypeBindings::Match(CompilationUnit& unit, TypeId formal, TypeId actual) {
  const TypeTable& types = unit.types;
  if (!types.has_variables(formal)) return true;
  // Formal types are those of schemas, and nest no deeper than their authors wrote them.
  switch (types.kind(formal)) {
    case TypeKind::kVariable: {
      const StringId variable = types.at(formal).name;
      const TypeId bound = Find(variable);
      if (!bound.is_none()) return UnifyTypes(unit, bound, actual).has_value();
      bindings_.push_back({variable, actual});
      return true;
    }
    case TypeKind::kList: {
      const TypeId element = types.element(formal);
      if (types.is(actual, TypeKind::kList)) return Match(unit, element, types.element(actual));
      if (!types.is(actual, TypeKind::kTuple)) return false;
      const auto unified = UnifyTypes(unit, ElementsOf(types, actual));
      return unified && Match(unit, element, *unified);
    }
    case TypeKind::kOptional:
      if (actual == types::kNone) return true;  // of a type that is not known
      return Match(unit, types.element(formal), types.WithoutOptional(actual));
    default: {
      if (types.kind(formal) != types.kind(actual)) return false;
      const std::vector<TypeId> formals = ElementsOf(types, formal);
      const std::vector<TypeId> actuals = ElementsOf(types, actual);
      return std::equal(formals.begin(), formals.end(), actuals.begin(), actuals.end(),
                        [&](TypeId f, TypeId a) { return Match(unit, f, a); });
    }
  }
}

std::optional<TypeId> TypeBindings::Substitute(CompilationUnit& unit, TypeId formal) const {
  const TypeId type = SubstituteKnown(unit, formal);
  if (unit.types.has_variables(type)) return std::nullopt;
  return type;
}

TypeId TypeBindings::SubstituteKnown(CompilationUnit& unit, TypeId formal) const {
  if (!unit.types.has_variables(formal)) return formal;
  if (unit.types.is(formal, TypeKind::kVariable)) {
    const TypeId bound = Find(unit.types.at(formal).name);
    return bound.is_none() ? formal : bound;
  }
  std::vector<TypeId> elements = ElementsOf(unit.types, formal);
  for (TypeId& element : elements) element = SubstituteKnown(unit, element);
  return WithElements(unit.types, formal, elements);
}

}  // namespace handrail::graph
