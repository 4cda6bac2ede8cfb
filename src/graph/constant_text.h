// The text form of constants: as Python writes literals, and for the rest `device("cpu")`,
// `function("f")`, `enum("RED")`, `external(3)`. Where a value does not tell its type and its
// surroundings do not either, `annotate(int[], [])`.
#pragma once

#include <string>

#include "handrail/base/result.h"
#include "handrail/graph/compilation_unit.h"

#include "graph/text_cursor.h"

namespace handrail::graph {

// `expected`: the type that the surroundings give it. ParseConstantAt with the same type reads it
// back.
void WriteConstant(const CompilationUnit& unit, ConstantId constant, TypeId expected,
                   std::string& out);
Result<ConstantId> ParseConstantAt(CompilationUnit& unit, TextCursor& cursor, TypeId expected);

}  // namespace handrail::graph
