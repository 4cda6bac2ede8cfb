// Types of values: interned, so that equal types are equal TypeIds.
//
// A type is a row with a kind, and, by kind, elements (rows of the same table), a name, or the
// definition of a class. Rows never change and an element is always above its user, so walks over
// types end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/id.h"
#include "handrail/base/string_pool.h"

namespace handrail::graph {

using TypeId = Id<struct TypeTag>;
// A class, module, interface, enum, NamedTuple or custom class; see definition.h.
using DefinitionId = Id<struct DefinitionTag>;

enum class TypeKind : uint8_t {
#define HANDRAIL_SIMPLE_TYPE(kind, text, annotation) kind,
#define HANDRAIL_COMPOUND_TYPE(kind) kind,
#include "handrail/graph/type_kinds.def"
};

// types::kTensor and so on: the types without parts, valid in every table.
namespace types {
#define HANDRAIL_SIMPLE_TYPE(kind, text, annotation) \
  inline constexpr TypeId kind{static_cast<uint32_t>(TypeKind::kind)};
#include "handrail/graph/type_kinds.def"
}  // namespace types

struct TypeRow {
  TypeKind kind;
  // The qualified name of what is defined or called, the name of a variable; else none.
  StringId name;
  DefinitionId definition;  // of kClass, kInterface, kEnum and NamedTuples; else none
  uint32_t first_element = 0;
  uint32_t element_count = 0;
};

// Spans of elements are valid until a type is added. Not thread-safe to add to; safe to read from
// many threads.
class TypeTable {
 public:
  TypeTable();

  const TypeRow& at(TypeId id) const { return rows_[id.index]; }
  TypeKind kind(TypeId id) const { return at(id).kind; }
  uint32_t size() const { return static_cast<uint32_t>(rows_.size()); }
  std::span<const TypeId> elements(TypeId id) const {
    return std::span(elements_).subspan(at(id).first_element, at(id).element_count);
  }
  // The only element of a kOptional, kList, kFuture or kRRef.
  TypeId element(TypeId id) const { return elements(id).front(); }
  TypeId key(TypeId dict) const { return elements(dict)[0]; }
  TypeId value(TypeId dict) const { return elements(dict)[1]; }
  bool is(TypeId id, TypeKind wanted) const { return kind(id) == wanted; }
  bool is_named_tuple(TypeId id) const {
    return kind(id) == TypeKind::kTuple && !at(id).definition.is_none();
  }
  // The element of an Optional, else the type itself.
  TypeId WithoutOptional(TypeId id) const {
    return kind(id) == TypeKind::kOptional ? element(id) : id;
  }
  // True if a type variable occurs in it: only schemas have such types.
  bool has_variables(TypeId id) const { return has_variables_[id.index]; }

  // An Optional of an Optional, of None or of a Union that holds None is that type itself.
  TypeId Optional(TypeId element);
  TypeId List(TypeId element);
  TypeId Future(TypeId element);
  TypeId RRef(TypeId element);
  TypeId Dict(TypeId key, TypeId value);
  TypeId Tuple(std::span<const TypeId> elements);
  // Nested unions are flattened; of one type it is that type, of T and None it is Optional[T].
  TypeId Union(std::span<const TypeId> elements);
  TypeId Variable(StringId name);
  TypeId Function(StringId qualified_name);
  // CompilationUnit::AddDefinition and CompleteNamedTuple make these.
  TypeId Named(TypeKind kind, StringId qualified_name, DefinitionId definition,
               std::span<const TypeId> elements = {});

 private:
  TypeId Intern(TypeKind kind, StringId name, DefinitionId definition,
                std::span<const TypeId> elements);
  void Grow();

  std::vector<TypeRow> rows_;
  std::vector<TypeId> elements_;
  std::vector<uint64_t> hashes_;
  std::vector<bool> has_variables_;
  std::vector<uint32_t> slots_;  // open addressing; power of two; UINT32_MAX = empty
};

// As graphs and schemas write it: `Tensor?`, `int[]`, `Dict(str, int)`, `(int, Tensor)`,
// `Future(Tensor)`, `__torch__.M`. ParseType reads it back.
std::string ToString(const TypeTable& types, const StringPool& strings, TypeId type);
// As Python annotates it: `Optional[Tensor]`, `List[int]`, `Tuple[int, Tensor]`.
std::string ToAnnotation(const TypeTable& types, const StringPool& strings, TypeId type);

}  // namespace handrail::graph
