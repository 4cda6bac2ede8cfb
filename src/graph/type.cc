#include "handrail/graph/type.h"

#include <algorithm>

#include "handrail/base/check.h"
#include "handrail/base/interned_rows.h"

namespace handrail::graph {
namespace {

constexpr uint32_t kEmptySlot = UINT32_MAX;

uint64_t HashRow(TypeKind kind, StringId name, DefinitionId definition,
                 std::span<const TypeId> elements) {
  uint64_t hash = MixHash(static_cast<uint64_t>(kind), name.index);
  hash = MixHash(hash, definition.index);
  for (TypeId element : elements) hash = MixHash(hash, element.index);
  return hash;
}

}  // namespace

TypeTable::TypeTable() : slots_(64, kEmptySlot) {
#define HANDRAIL_SIMPLE_TYPE(kind, text, annotation) \
  HANDRAIL_CHECK(Intern(TypeKind::kind, {}, {}, {}) == types::kind);
#include "handrail/graph/type_kinds.def"
}

TypeId TypeTable::Intern(TypeKind kind, StringId name, DefinitionId definition,
                         std::span<const TypeId> elements) {
  const uint64_t hash = HashRow(kind, name, definition, elements);
  const size_t mask = slots_.size() - 1;
  size_t slot = static_cast<size_t>(hash) & mask;
  for (; slots_[slot] != kEmptySlot; slot = (slot + 1) & mask) {
    const uint32_t index = slots_[slot];
    if (hashes_[index] != hash) continue;
    const TypeRow& row = rows_[index];
    if (row.kind == kind && row.name == name && row.definition == definition &&
        std::ranges::equal(this->elements(TypeId{index}), elements)) {
      return TypeId{index};
    }
  }
  HANDRAIL_CHECK(rows_.size() < limits::kRowsMax);
  const TypeId id{static_cast<uint32_t>(rows_.size())};
  bool has_variables = kind == TypeKind::kVariable;
  for (TypeId element : elements) has_variables |= has_variables_[element.index];
  rows_.push_back({kind, name, definition, static_cast<uint32_t>(elements_.size()),
                   static_cast<uint32_t>(elements.size())});
  // `elements` may be a view of elements_, which push_back would move.
  const std::vector<TypeId> copied(elements.begin(), elements.end());
  elements_.insert(elements_.end(), copied.begin(), copied.end());
  hashes_.push_back(hash);
  has_variables_.push_back(has_variables);
  slots_[slot] = id.index;
  if (rows_.size() * 2 > slots_.size()) Grow();
  return id;
}

void TypeTable::Grow() {
  slots_.assign(slots_.size() * 2, kEmptySlot);
  const size_t mask = slots_.size() - 1;
  for (uint32_t index = 0; index < rows_.size(); ++index) {
    size_t slot = static_cast<size_t>(hashes_[index]) & mask;
    while (slots_[slot] != kEmptySlot) slot = (slot + 1) & mask;
    slots_[slot] = index;
  }
}

TypeId TypeTable::Optional(TypeId element) {
  if (kind(element) == TypeKind::kOptional || kind(element) == TypeKind::kNone) return element;
  if (kind(element) == TypeKind::kUnion) {
    const TypeId parts[] = {element, types::kNone};
    return Union(parts);
  }
  return Intern(TypeKind::kOptional, {}, {}, std::span(&element, 1));
}

TypeId TypeTable::List(TypeId element) {
  return Intern(TypeKind::kList, {}, {}, std::span(&element, 1));
}

TypeId TypeTable::Future(TypeId element) {
  return Intern(TypeKind::kFuture, {}, {}, std::span(&element, 1));
}

TypeId TypeTable::RRef(TypeId element) {
  return Intern(TypeKind::kRRef, {}, {}, std::span(&element, 1));
}

TypeId TypeTable::Dict(TypeId key, TypeId value) {
  const TypeId elements[] = {key, value};
  return Intern(TypeKind::kDict, {}, {}, elements);
}

TypeId TypeTable::Tuple(std::span<const TypeId> elements) {
  return Intern(TypeKind::kTuple, {}, {}, elements);
}

TypeId TypeTable::Union(std::span<const TypeId> elements) {
  std::vector<TypeId> parts;
  for (TypeId element : elements) {
    switch (kind(element)) {
      case TypeKind::kUnion: {
        const auto inner = this->elements(element);
        parts.insert(parts.end(), inner.begin(), inner.end());
        break;
      }
      case TypeKind::kOptional:
        parts.push_back(this->element(element));
        parts.push_back(types::kNone);
        break;
      default:
        parts.push_back(element);
    }
  }
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  HANDRAIL_CHECK(!parts.empty());
  if (parts.size() == 1) return parts[0];
  if (parts.size() == 2) {
    if (parts[0] == types::kNone) return Optional(parts[1]);
    if (parts[1] == types::kNone) return Optional(parts[0]);
  }
  return Intern(TypeKind::kUnion, {}, {}, parts);
}

TypeId TypeTable::Variable(StringId name) {
  return Intern(TypeKind::kVariable, name, {}, {});
}

TypeId TypeTable::Function(StringId qualified_name) {
  return Intern(TypeKind::kFunction, qualified_name, {}, {});
}

TypeId TypeTable::Named(TypeKind kind, StringId qualified_name, DefinitionId definition,
                        std::span<const TypeId> elements) {
  return Intern(kind, qualified_name, definition, elements);
}

}  // namespace handrail::graph
