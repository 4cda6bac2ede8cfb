#include "handrail/graph/compilation_unit.h"

#include <algorithm>

#include <fmt/format.h>

#include "handrail/base/check.h"

namespace handrail::graph {
namespace {

template <typename Row>
std::optional<uint32_t> FindByName(const std::vector<Row>& rows, StringId name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  if (found == rows.end()) return std::nullopt;
  return static_cast<uint32_t>(found - rows.begin());
}

std::optional<TypeKind> TypeKindOf(DefinitionKind kind) {
  switch (kind) {
    case DefinitionKind::kClass:
    case DefinitionKind::kModule:
    case DefinitionKind::kCustomClass:
      return TypeKind::kClass;
    case DefinitionKind::kInterface:
    case DefinitionKind::kModuleInterface:
      return TypeKind::kInterface;
    case DefinitionKind::kEnum:
      return TypeKind::kEnum;
    case DefinitionKind::kNamedTuple:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

bool Schema::is_mutable() const {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const Argument& argument) { return argument.is_written; });
}

std::optional<uint32_t> Schema::Find(StringId argument_name) const {
  return FindByName(arguments, argument_name);
}

std::optional<uint32_t> Definition::FindAttribute(StringId attribute) const {
  return FindByName(attributes, attribute);
}
std::optional<uint32_t> Definition::FindConstant(StringId constant) const {
  return FindByName(constants, constant);
}
std::optional<uint32_t> Definition::FindMethod(StringId method) const {
  return FindByName(methods, method);
}

std::string_view LastAtom(std::string_view qualified_name) {
  return qualified_name.substr(qualified_name.rfind('.') + 1);  // npos + 1 is 0
}

CompilationUnit::CompilationUnit() {
  AddSymbols(strings);
}

CompilationUnit::~CompilationUnit() = default;

Result<DefinitionId> CompilationUnit::AddDefinition(DefinitionKind kind, StringId qualified_name) {
  HANDRAIL_CHECK(definitions_.size() < limits::kRowsMax);
  const DefinitionId id{static_cast<uint32_t>(definitions_.size())};
  if (!definitions_by_name_.emplace(qualified_name, id).second) {
    return Fail(ErrorCode::kConflict, fmt::format("'{}' is defined twice", text(qualified_name)));
  }
  TypeId type;
  if (const auto type_kind = TypeKindOf(kind)) type = types.Named(*type_kind, qualified_name, id);
  Definition& added = definitions_.emplace_back();
  added.kind = kind;
  added.name = qualified_name;
  added.type = type;
  return id;
}

TypeId CompilationUnit::CompleteNamedTuple(DefinitionId id) {
  Definition& tuple = definition(id);
  HANDRAIL_CHECK(tuple.kind == DefinitionKind::kNamedTuple);
  std::vector<TypeId> elements;
  for (const AttributeDefinition& field : tuple.attributes) elements.push_back(field.type);
  tuple.type = types.Named(TypeKind::kTuple, tuple.name, id, elements);
  return tuple.type;
}

DefinitionId CompilationUnit::FindDefinition(StringId qualified_name) const {
  const auto found = definitions_by_name_.find(qualified_name);
  return found == definitions_by_name_.end() ? DefinitionId::none() : found->second;
}

const Definition* CompilationUnit::DefinitionOf(TypeId type) const {
  const DefinitionId id = types.at(type).definition;
  return id.is_none() ? nullptr : &definition(id);
}

Result<FunctionId> CompilationUnit::AddFunction(StringId qualified_name, DefinitionId owner) {
  HANDRAIL_CHECK(functions_.size() < limits::kRowsMax);
  const FunctionId id{static_cast<uint32_t>(functions_.size())};
  if (!functions_by_name_.emplace(qualified_name, id).second) {
    return Fail(ErrorCode::kConflict,
                fmt::format("function '{}' is defined twice", text(qualified_name)));
  }
  functions_.push_back({qualified_name, owner, SchemaId::none(), nullptr});
  return id;
}

FunctionId CompilationUnit::FindFunction(StringId qualified_name) const {
  const auto found = functions_by_name_.find(qualified_name);
  return found == functions_by_name_.end() ? FunctionId::none() : found->second;
}

SchemaId CompilationUnit::AddSchema(Schema schema) {
  HANDRAIL_CHECK(schemas_.size() < limits::kRowsMax);
  schemas_.push_back(std::move(schema));
  return SchemaId{static_cast<uint32_t>(schemas_.size() - 1)};
}

}  // namespace handrail::graph
