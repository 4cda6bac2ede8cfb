// A module as PyTorch saved it (`torch.jit.save`): its types, the graphs of its methods, and its
// objects with their weights.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/graph/compilation_unit.h"
#include "handrail/values/object_graph.h"

namespace handrail::graph {

// Code is read when it is asked for: a class's file when its name is met, a method's body when its
// graph is. Not thread-safe to ask for graphs; once all that is needed is compiled, the unit is
// safe to read from many threads.
class LoadedModule {
 public:
  // `bytes` are those of the file and must outlive the module: tensors and texts are views of them.
  // `name` is for messages. Reads the objects and the class of the top module, no code of methods,
  // no weights.
  //
  // Fails if the file is no module archive (kUnsupported), if its objects or the top module's class
  // cannot be read, or where a limit is exceeded; errors name file, record and place. What is wrong
  // with records of source ranges becomes a warning: ranges are then those of the archive's own
  // code files.
  static Result<LoadedModule> Load(std::span<const std::byte> bytes, std::string name);

  LoadedModule(LoadedModule&&) noexcept;
  LoadedModule& operator=(LoadedModule&&) noexcept;
  ~LoadedModule();

  CompilationUnit& unit();
  const CompilationUnit& unit() const;
  // The class of the top module.
  DefinitionId top() const;
  // The top module is `objects().root()`.
  const values::ObjectGraph& objects() const;
  // What ConstantKind::kExternal counts rows of: the elements of `constants().root()`.
  const values::ObjectGraph& constants() const;

  // The definition of an object's class, with its members; kNotFound if the code has no such class.
  Result<DefinitionId> ClassNamed(std::string_view qualified_name);
  // A method of the top module by its name; kNotFound, naming those there are, if there is none.
  Result<FunctionId> FindMethod(std::string_view method) const;
  // The graph of a function, compiled and cleaned up as PyTorch does it when it loads a module.
  // It stays in the unit; every pointer is valid as long as the module.
  Result<const Graph*> GraphOf(FunctionId function);
  // Compiles every method of every class that is met on the way.
  Status CompileAll();

  // What is wrong with the archive although it is used, as far as it was read.
  std::vector<Error> warnings() const;

 private:
  class State;
  explicit LoadedModule(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace handrail::graph
