// Instructions that make, take apart and ask values: everything that is neither control flow nor an
// operator. Each takes its operands off the stack's end. They throw ModelError.
#pragma once

#include <cstdint>
#include <string>

#include "handrail/bytecode/program.h"
#include "handrail/values/value.h"

#include "runtime/linked_program.h"

namespace handrail::runtime {

// Takes the last value off a stack; throws if it is empty.
values::Value Pop(values::Stack& stack);
// Throws if the stack has fewer than `count` values.
void Need(const values::Stack& stack, size_t count);

void RunValueInstruction(const LinkedFunction& function, const bytecode::Instruction& instruction,
                         values::Stack& stack);

}  // namespace handrail::runtime
