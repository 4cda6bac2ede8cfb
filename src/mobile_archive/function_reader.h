// An entry of bytecode.pkl -> a function of a program.
//
// In:  (name, (("instructions", ((opcode, X, N), ...)), ("operators", (operator, ...)),
//              ("constants", (value, ...)), ("types", (text, ...)), ("register_size", n))
//       [, (("arguments", (argument, ...)), ("returns", (argument, ...)))])
//        operator = (name, overload [, number of arguments: from version 6 on])
//        argument = (("name", text), ("type", text), ("default_value", value or None))
// Out: bytecode::Function without handles, not verified.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/bytecode/program.h"
#include "handrail/values/instantiate.h"

#include "archive/memory_budget.h"

namespace handrail::mobile_archive {

class FunctionReader {
 public:
  // All must outlive the reader. What functions take is taken from `budget` and stays taken: one
  // tuple of the pickle may be the code of many functions.
  FunctionReader(const values::ObjectGraph& graph, values::Instantiator& instantiator,
                 MemoryBudget& budget)
      : graph_(graph), instantiator_(instantiator), budget_(budget) {}

  // Errors name what is wrong inside of the function, and not the function.
  Result<bytecode::Function> Read(values::ValueId entry);

 private:
  using Rows = std::span<const values::ValueId>;

  // The elements of a tuple of `least` to `most` elements.
  Result<Rows> Tuple(values::ValueId value, std::string_view what, size_t least, size_t most) const;
  Result<Rows> Tuple(values::ValueId value, std::string_view what) const;
  Result<std::string_view> Text(values::ValueId value, std::string_view what) const;
  Result<int64_t> Int(values::ValueId value, std::string_view what, int64_t least,
                      int64_t most) const;
  // The value of the row (key, value).
  Result<values::ValueId> Row(values::ValueId row, std::string_view key) const;
  tl::unexpected<Error> Mismatch(values::ValueId value, std::string_view what,
                                 std::string_view need) const;
  Status Take(size_t count, size_t each, std::string_view what);
  // A copy of a text, taken from the budget.
  Result<std::string> Copy(values::ValueId value, std::string_view what);

  Status ReadCode(values::ValueId code, bytecode::Function& function);
  Status ReadInstructions(Rows rows, bytecode::Function& function);
  Result<bytecode::Instruction> ReadInstruction(values::ValueId row) const;
  Status ReadOperators(Rows rows, bytecode::Function& function);
  Result<bytecode::Operator> ReadOperator(values::ValueId row);
  Status ReadConstants(Rows rows, bytecode::Function& function);
  Status ReadTypes(Rows rows, bytecode::Function& function);
  Status ReadSchema(values::ValueId schema, bytecode::Function& function);
  Result<std::vector<bytecode::Argument>> ReadArguments(values::ValueId rows);
  Result<bytecode::Argument> ReadArgument(values::ValueId row);

  const values::ObjectGraph& graph_;
  values::Instantiator& instantiator_;
  MemoryBudget& budget_;
};

}  // namespace handrail::mobile_archive
