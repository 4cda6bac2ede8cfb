// The entry of this stage: functions of a model -> a program, with a debug handle for each
// instruction.
//
// In:  graphs; calls are inlined here (inlining/inlining.h), and calls through interfaces stay
//      calls.
// Out: Program, which runtime/ runs; and the debug info of its handles, in a DebugInfoBuilder.
//
// The instructions are those that PyTorch 1.13 makes of the same graph: operands stay on the stack
// where they can, registers are used once, a value leaves its register at its last use, and
// arguments that equal their defaults are left out at the end of calls.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/bytecode/program.h"
#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/graph/compilation_unit.h"
#include "handrail/inlining/inlining.h"

namespace handrail::bytecode {

// The value of a row of the archive's constants (graph::ConstantKind::kExternal).
using ExternalConstant = std::function<Result<values::Value>(uint32_t row)>;

// A function that could not be compiled, by its qualified name, and why.
struct LeftOutFunction {
  std::string name;
  Error error;
};

// Compiles `functions` and every method that a call through an interface may reach, each once, in
// that order. The builder's current unit, of kind kBytecode, gets one node for each instruction.
//
// Fails with kUnsupported for what the mobile runtime cannot do (fork, wait, functions as values),
// kLimit, kExhausted, and with what `body_of` and `external` fail with; errors name the function.
// With `left_out`, such a function is told there instead, and the others are compiled all the same.
Result<Program> Compile(graph::CompilationUnit& unit, std::span<const graph::FunctionId> functions,
                        const graph::BodyOf& body_of, const ExternalConstant& external,
                        DebugInfoBuilder& debug_info,
                        std::vector<LeftOutFunction>* left_out = nullptr);

}  // namespace handrail::bytecode
