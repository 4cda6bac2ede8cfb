// The code files of an archive, read when a name in them is met: what PyTorch's SourceImporter is.
//
// In:  records `code/__torch__/a/b.py`, each with classes and functions named `__torch__.a.b.C`.
// Out: definitions, declared functions, and graphs of functions, in the unit.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/graph/compilation_unit.h"
#include "handrail/values/object_graph.h"

#include "archive/archive.h"
#include "graph/emit.h"
#include "graph/load_ranges.h"
#include "script/syntax_tree.h"

namespace handrail::graph {

class CodeLoader final : public Resolver {
 public:
  // All must outlive the loader. `constants` are the archive's constants.pkl.
  CodeLoader(CompilationUnit& unit, const Archive& archive, MemoryBudget& budget,
             const values::ObjectGraph& constants)
      : unit_(unit), archive_(archive), budget_(budget), constants_(constants) {}

  Result<TypeId> ResolveType(std::string_view name) override;
  Result<FunctionId> ResolveFunction(std::string_view name) override;
  Result<ConstantId> ResolveConstant(uint32_t index) override;
  Status Complete(DefinitionId definition) override;
  Status CompleteSchema(FunctionId function) override;

  // Compiles and cleans up a function, unless that was done.
  Status Compile(FunctionId function);
  // What is wrong with records of source ranges.
  std::vector<Error> Warnings() const;

 private:
  struct CodeFile {
    std::string record_name;
    RecordBytes bytes;
    script::SyntaxTree tree;
    RecordedRanges ranges;
    std::unordered_map<std::string_view, script::SyntaxId> names;
    std::optional<Error> fault;  // of the record of ranges as a whole
  };
  enum class Progress : uint8_t { kDeclared, kRunning, kDone };
  struct Place {
    CodeFile* file;
    script::SyntaxId syntax;
    Progress progress = Progress::kDeclared;
  };

  // The file of a qualifier ("__torch__.a.b"); null: there is none.
  Result<CodeFile*> FileOf(std::string_view qualifier);
  Result<std::unique_ptr<CodeFile>> ReadFile(const ArchiveRecord& record);
  void ReadRanges(CodeFile& file);
  // Where a qualified name is defined; `file` null: nowhere.
  Result<Place> Find(std::string_view name);
  Result<TypeId> AddType(std::string_view name, const Place& place, DefinitionKind kind);
  // A NamedTuple, and before it those that its fields are made of.
  Result<TypeId> AddNamedTuple(std::string_view name, const Place& place);
  // The names in a class that may be types of this archive.
  static std::vector<std::string_view> NamesIn(const Place& place);
  // The definition of a name that was met before, or none.
  DefinitionId Known(std::string_view name) const;
  Result<TypeId> AddCustomClass(std::string_view name);
  // The constant of a value of constants.pkl; `row` is the row of its table that holds it.
  Result<ConstantId> ConstantOf(values::ValueId value, uint32_t row, uint32_t depth);
  EmitText TextOf(CodeFile& file) { return {file.tree, *this, file.ranges}; }

  CompilationUnit& unit_;
  const Archive& archive_;
  MemoryBudget& budget_;
  const values::ObjectGraph& constants_;
  std::unordered_map<std::string, std::unique_ptr<CodeFile>> files_;  // by qualifier
  std::unordered_map<DefinitionId, Place> definitions_;
  std::unordered_map<FunctionId, Place> functions_;
  uint32_t depth_ = 0;  // of definitions and functions that wait for others
};

}  // namespace handrail::graph
