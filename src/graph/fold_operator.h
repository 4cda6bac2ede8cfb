// Operators on plain constants, evaluated while compiling.
#pragma once

#include <optional>
#include <span>

#include "handrail/graph/compilation_unit.h"

namespace handrail::graph {

// What an operator gives for constant arguments, as PyTorch computes it; nothing where it would
// fail, where we do not evaluate it (PyTorch's optimizer does more of that than loading needs), or
// where the result is no constant.
std::optional<ConstantId> FoldOperator(CompilationUnit& unit, Symbol kind, TypeId result,
                                       std::span<const ConstantId> arguments);

}  // namespace handrail::graph
