// A program as text, for people and tests.
#pragma once

#include <string>

#include "handrail/bytecode/program.h"

namespace handrail::bytecode {

// One instruction a line, with what its numbers stand for:
//   function __torch__.M.forward, 2 registers
//     0  STOREN 1 2
//     4  OP 0            aten::add.Tensor, 2 arguments
std::string ToString(const Function& function);

}  // namespace handrail::bytecode
