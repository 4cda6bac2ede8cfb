// Everything that the code of one model shares: names, types, definitions, functions, schemas,
// constants, and where nodes come from.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/base/string_pool.h"
#include "handrail/graph/constant.h"
#include "handrail/graph/definition.h"
#include "handrail/graph/graph.h"
#include "handrail/graph/origin.h"
#include "handrail/graph/schema.h"
#include "handrail/graph/symbol.h"
#include "handrail/graph/type.h"

namespace handrail::graph {

struct Function {
  StringId name;       // qualified; of a method, its class's name and its own
  DefinitionId owner;  // of a method; else none
  SchemaId schema;     // none until the function's head was read
  // Its body, `self` first; null until the function was compiled.
  std::unique_ptr<Graph> graph;
};

// Owns all tables; graphs name their rows by id. Rows stay where they are, and references to
// definitions, functions and schemas stay valid as long as the unit lives. Not thread-safe to add
// to; safe to read from many threads.
class CompilationUnit {
 public:
  CompilationUnit();
  CompilationUnit(const CompilationUnit&) = delete;
  CompilationUnit& operator=(const CompilationUnit&) = delete;
  ~CompilationUnit();

  StringPool strings;
  TypeTable types;
  ConstantTable constants;
  OriginTable origins;

  std::string_view text(StringId id) const { return strings.at(id); }
  std::string ToString(TypeId type) const { return graph::ToString(types, strings, type); }

  // A new definition and its type (NamedTuples get theirs from CompleteNamedTuple). Fails with
  // kConflict if the name is taken.
  Result<DefinitionId> AddDefinition(DefinitionKind kind, StringId qualified_name);
  // Makes the type of a NamedTuple once its fields (attributes) are known.
  TypeId CompleteNamedTuple(DefinitionId id);
  // By qualified name; none: there is none.
  DefinitionId FindDefinition(StringId qualified_name) const;
  Definition& definition(DefinitionId id) { return definitions_[id.index]; }
  const Definition& definition(DefinitionId id) const { return definitions_[id.index]; }
  uint32_t definition_count() const { return static_cast<uint32_t>(definitions_.size()); }
  // The definition behind a class, interface, enum or NamedTuple; null for other types.
  const Definition* DefinitionOf(TypeId type) const;

  // Fails with kConflict if the name is taken.
  Result<FunctionId> AddFunction(StringId qualified_name,
                                 DefinitionId owner = DefinitionId::none());
  FunctionId FindFunction(StringId qualified_name) const;
  Function& function(FunctionId id) { return functions_[id.index]; }
  const Function& function(FunctionId id) const { return functions_[id.index]; }
  uint32_t function_count() const { return static_cast<uint32_t>(functions_.size()); }

  SchemaId AddSchema(Schema schema);
  const Schema& schema(SchemaId id) const { return schemas_[id.index]; }
  uint32_t schema_count() const { return static_cast<uint32_t>(schemas_.size()); }
  // The operators of a name, as they were first asked for; graph/operators.h fills it.
  using OperatorMap = std::unordered_map<Symbol, std::vector<SchemaId>>;
  OperatorMap& operators() { return operators_; }
  const OperatorMap& operators() const { return operators_; }

 private:
  std::deque<Definition> definitions_;
  std::unordered_map<StringId, DefinitionId> definitions_by_name_;
  std::deque<Function> functions_;
  std::unordered_map<StringId, FunctionId> functions_by_name_;
  std::deque<Schema> schemas_;
  OperatorMap operators_;
};

}  // namespace handrail::graph
