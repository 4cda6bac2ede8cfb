// The classes that are written in C++, which archives name and do not define.
#pragma once

#include "handrail/base/result.h"
#include "handrail/graph/compilation_unit.h"

namespace handrail::graph {

// What the names of all such classes begin with.
inline constexpr std::string_view kCustomClasses = "__torch__.torch.classes.";

// Gives a kCustomClass definition the methods that PyTorch's class of that name has, if it has any.
Status AddCustomMethods(CompilationUnit& unit, DefinitionId definition);

}  // namespace handrail::graph
