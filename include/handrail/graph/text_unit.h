// Models given as text: module types whose methods are written in TorchScript, functions and
// classes. What PyTorch's Module::define is.
//
//   TextUnit code;
//   const DefinitionId m = *code.AddModule("__torch__.M");
//   code.Define(m, "def forward(self, x):\n  return x - 2\n");
//   const DefinitionId n = *code.AddModule("__torch__.N");
//   code.AddSubmodule(n, "m", m);
//   code.Define(n, "def forward(self, x):\n  return self.m(x) + 3\n");
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "handrail/base/result.h"
#include "handrail/graph/compilation_unit.h"

namespace handrail::graph {

// What traces and messages call a text.
struct TextName {
  std::string_view file_name = "<string>";
  uint32_t first_line = 1;
};

// Owns a compilation unit. Bodies are compiled, and cleaned up as PyTorch does, by the Define that
// brings them, so what they use must be there: types, and functions of earlier texts or of the same
// one, in any order. Parameters without an annotation are tensors, and a result's type may be left
// open. After a failure the unit may hold part of what the text defines, and must not be used on.
// Texts are copied. Not thread-safe; once all is defined, the unit is safe to read from many
// threads.
//
// Errors show place and line: kCorrupt for what cannot be right, kUnsupported for what is left out
// on purpose, kConflict for names that are taken, kLimit where a limit of base/limits.h is
// exceeded.
class TextUnit {
 public:
  TextUnit();
  TextUnit(TextUnit&&) noexcept;
  TextUnit& operator=(TextUnit&&) noexcept;
  ~TextUnit();

  CompilationUnit& unit();
  const CompilationUnit& unit() const;

  // A module type without attributes and methods; its name may have dots.
  Result<DefinitionId> AddModule(std::string_view qualified_name);
  // `type` as annotations are written: `Tensor`, `List[int]`, `__torch__.M`.
  Status AddAttribute(DefinitionId module, std::string_view name, std::string_view type);
  Status AddParameter(DefinitionId module, std::string_view name);
  Status AddBuffer(DefinitionId module, std::string_view name);
  Status AddSubmodule(DefinitionId module, std::string_view name, DefinitionId submodule);
  // A value that methods read as `self.name`, and that is known when they are compiled.
  Status AddConstant(DefinitionId module, std::string_view name, ConstantId value);
  // What `CONSTANTS.c0` and so on mean in texts.
  void SetConstants(std::span<const ConstantId> constants);

  // Methods of a module: `def`s at the start of the line, with `self`.
  Status Define(DefinitionId module, std::string_view text, const TextName& name = {});
  // Functions, and classes as archives write them. They are named `<qualifier>.<name>`, or without
  // a qualifier as in the text.
  Status Define(std::string_view text, std::string_view qualifier = "", const TextName& name = {});

  // A method's function; none: there is no such method, or its body is not known (interfaces).
  FunctionId FindMethod(DefinitionId module, std::string_view name) const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace handrail::graph
