// Values of expressions that need no code: defaults of parameters, members of enums, constants of
// classes. Private to emission.
#pragma once

#include "graph/emit.h"

namespace handrail::graph {

// Literals, their opposites, lists, tuples and dicts of them, `inf`, `nan` and `CONSTANTS.c0`.
// `type` is the annotation, which decides about empty lists and makes ints floats; none: there is
// none.
Result<ConstantId> LiteralValue(CompilationUnit& unit, const EmitText& text,
                                script::SyntaxId expression, TypeId type);

}  // namespace handrail::graph
