// From syntax trees to definitions, schemas and graphs: the compiler of TorchScript.
//
// In:  syntax trees of code files of an archive, or of texts written by hand.
// Out: rows of the CompilationUnit: definitions with their attributes and methods, functions with
//      schemas, and functions with graphs.
//
// Three steps, so that code may refer to code that stands below it or in another file:
//   DeclareClass, DeclareFunction   read heads: attributes, members, parameters, result types;
//   EmitFunction                    compiles one body.
// What a name means that a text does not define itself is asked of a Resolver, at the moment it is
// needed. Graphs are as PyTorch's compiler emits them (ir_emitter: SSA form, early exits removed,
// operator names normalized, nothing emitted for branches that types decide), before the clean-up
// passes.
//
// Errors show the place and its line (script::ErrorAt). Nothing recurses over chains such as
// `a.b().c()` or `x + y + z`; other nesting deeper than limits::kEmitDepthMax is kLimit.
#pragma once

#include <span>
#include <string_view>

#include "handrail/base/result.h"
#include "handrail/graph/compilation_unit.h"

#include "script/syntax_tree.h"

namespace handrail::graph {

// What the names of a text mean. Each function is asked while a body or head is compiled; failures
// stop the compilation, and get the place of the name put in front of them.
class Resolver {
 public:
  virtual ~Resolver() = default;

  // The class, interface, enum, NamedTuple or custom class of a dotted name, as the text writes it
  // ("__torch__.a.M"); none: there is none. Its heads need not be read yet: see Complete.
  virtual Result<TypeId> ResolveType(std::string_view name) = 0;
  // The function of a dotted name ("__torch__.f"; "f" in texts written by hand); none: there is
  // none. Its schema must be set unless CompleteSchema sets it.
  virtual Result<FunctionId> ResolveFunction(std::string_view name) = 0;
  // `CONSTANTS.c7` is 7.
  virtual Result<ConstantId> ResolveConstant(uint32_t index) = 0;

  // Called before attributes, members or methods of a definition are looked at: reads its heads
  // (DeclareClass) if that was not done.
  virtual Status Complete(DefinitionId) { return {}; }
  // Called before the schema of a function is looked at: compiles the function if its result type
  // was not annotated (its schema has no results), because then only the body tells.
  virtual Status CompleteSchema(FunctionId) { return {}; }
};

// Where ranges of a text come from: the text itself, or what an archive's debug record says.
class RangeMapper {
 public:
  virtual ~RangeMapper() = default;
  // Called once for each node that is made.
  virtual RangeId RangeOf(script::TextRange range) = 0;
};

// Ranges of the text itself.
class TextRanges final : public RangeMapper {
 public:
  TextRanges(OriginTable& origins, SourceId source) : origins_(origins), source_(source) {}
  RangeId RangeOf(script::TextRange range) override {
    return origins_.AddRange(source_, range.start, range.end);
  }

 private:
  OriginTable& origins_;
  SourceId source_;
};

// A parsed text with what its names and ranges mean. Borrowed while a call runs.
struct EmitText {
  const script::SyntaxTree& tree;
  Resolver& resolver;
  RangeMapper& ranges;
};

// The type that an annotation means.
Result<TypeId> ReadType(CompilationUnit& unit, const EmitText& text, script::SyntaxId annotation);

// What kind of definition a kClass node makes; `class M(Module)`, `class P(NamedTuple)` and so on.
Result<DefinitionKind> DefinitionKindOf(const EmitText& text, script::SyntaxId class_syntax);

// Reads a class into its definition, which must be new (CompilationUnit::AddDefinition):
// attributes, parameters and buffers, `__constants__` and other constants, members of enums, fields
// of NamedTuples (its type is made here), and a function with its schema for each method, named
// "<qualified class>.<method>". Methods of interfaces have schemas and no functions.
// For each method with a body, `on_method` gets its function and its kFunction node.
struct DeclaredMethod {
  FunctionId function;
  script::SyntaxId syntax;
};
Result<std::vector<DeclaredMethod>> DeclareClass(CompilationUnit& unit, const EmitText& text,
                                                 script::SyntaxId class_syntax,
                                                 DefinitionId definition);

// Reads the head of a function or method (then `self` gets the owner's type) into the schema of
// `function`. Without an annotation the result type stays open: the schema has no results until
// EmitFunction.
Status DeclareFunction(CompilationUnit& unit, const EmitText& text,
                       script::SyntaxId function_syntax, FunctionId function);

// Compiles the body of a declared function into its graph, and completes its schema.
Status EmitFunction(CompilationUnit& unit, const EmitText& text, script::SyntaxId function_syntax,
                    FunctionId function);

}  // namespace handrail::graph
