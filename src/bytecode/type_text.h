// Types as bytecode names them.
#pragma once

#include <string>

#include "handrail/graph/compilation_unit.h"

namespace handrail::bytecode {

// As Python annotates it, except, as PyTorch writes them, for dicts ("Dict[int,Tuple[int, str]]")
// and NamedTuples, whose fields are spelt, since the mobile runtime knows no code:
// "__torch__.P[NamedTuple, [[x, Tensor],[n, int]]]".
std::string TypeText(const graph::CompilationUnit& unit, graph::TypeId type);

}  // namespace handrail::bytecode
