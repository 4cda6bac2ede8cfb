// A program made ready to run: operators became kernels, types became tests.
//
// In:  a bytecode::Program.   Out: what the interpreter walks.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "handrail/bytecode/bytecode.h"
#include "handrail/bytecode/program.h"
#include "handrail/graph/compilation_unit.h"
#include "handrail/values/object.h"

#include "runtime/type_pattern.h"

namespace handrail::runtime {

// Takes all of an operator's arguments off the stack's end and puts its results there.
using Kernel = void (*)(values::Stack&);
// By name and overload; null: there is none.
using FindKernel = std::function<Kernel(std::string_view, std::string_view)>;

struct LinkedOperator {
  Kernel kernel = nullptr;
  size_t argument_count = 0;  // on the stack when it is called, at least
  // The arguments that calls leave out; pushed before the kernel is called.
  std::vector<values::Value> defaults;
};

struct LinkedFunction {
  const bytecode::Function* function = nullptr;
  std::vector<LinkedOperator> operators;
  std::vector<TypeTest> type_tests;      // by type
  std::vector<TypeTest> argument_tests;  // by argument, `self` first
  // By type; null where no instruction makes objects of it.
  std::vector<std::shared_ptr<const values::ObjectClass>> classes;
};

// An operator that instructions call and that has no kernel, or takes arguments that nobody knows.
struct MissingOperator {
  std::string name;                  // "aten::add.Tensor"
  std::vector<DebugHandle> handles;  // of the instructions that call it
};

class LinkedProgram {
 public:
  // `program` and `left_out` must outlive it and stay as they are.
  LinkedProgram(const bytecode::Program& program,
                const std::vector<bytecode::LeftOutFunction>& left_out,
                const FindKernel& find_kernel);

  // By qualified name; null: there is none.
  const LinkedFunction* Find(std::string_view name) const;
  // Whether the function is not there because it could not be compiled.
  bool is_left_out(std::string_view name) const;
  // What to say of a function that is not there.
  std::string WhyMissing(std::string_view name) const;
  const std::vector<MissingOperator>& missing_operators() const { return missing_; }

 private:
  void Link(graph::CompilationUnit& unit, const bytecode::Function& function,
            const FindKernel& find_kernel);

  const std::vector<bytecode::LeftOutFunction>& left_out_;
  std::vector<LinkedFunction> functions_;
  std::unordered_map<std::string_view, size_t> by_name_;
  std::vector<MissingOperator> missing_;
};

// "aten::add.Tensor", or "aten::relu" without an overload.
std::string FullName(const bytecode::Operator& op);

}  // namespace handrail::runtime
