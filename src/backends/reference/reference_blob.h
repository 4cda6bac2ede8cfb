// What the reference backend's blob holds: a program for each method, and the module's objects, as
// plain values that an archive can hold.
//
//   ({method: (instructions, handles, operators, constants, types, registers, gives_tuple)},
//    (object, ...))
//   instructions  List[int], three for each: opcode, X, N
//   operator      (name, overload, how many arguments)
//   object        (class, (attribute, ...), (value, ...), links, state): a link is a slot and the
//                 object in it, which comes before; the module is the last object. `state` is None,
//                 or what a module that was lowered before has to set itself up with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "handrail/backend/backend.h"
#include "handrail/base/result.h"
#include "handrail/bytecode/program.h"
#include "handrail/values/value.h"

namespace handrail::reference {

struct Method {
  bytecode::Function function;  // without arguments and results
  // The elements of the tuple that it returns are its outputs.
  bool gives_tuple = false;
};

// Fails with kUnsupported if the module's attributes hold objects inside of containers.
Result<values::Value> WriteBlob(const ModuleToLower& module, const std::vector<Method>& methods);

struct ReadModule {
  std::vector<Method> methods;
  values::Value self;
  // Modules in it that were lowered before, inner ones first.
  std::vector<values::ObjectState> states;
};
// Functions are verified. Fails with kCorrupt.
Result<ReadModule> ReadBlob(const values::Value& blob);

}  // namespace handrail::reference
