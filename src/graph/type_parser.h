// Reads types inside of other texts; schema_parser.h reads a type that is a whole text.
#pragma once

#include "handrail/base/result.h"
#include "handrail/graph/compilation_unit.h"

#include "graph/schema_parser.h"
#include "graph/text_cursor.h"

namespace handrail::graph {

// A type as an argument has it.
struct ArgumentType {
  TypeId type;
  StringId alias;  // as Argument's
  bool is_written = false;
  uint32_t list_size = 0;
};

// Types nest without recursion. Alias sets of parts (`Tensor(a!)[]`) are those of the whole.
Result<ArgumentType> ParseTypeAt(CompilationUnit& unit, TextCursor& cursor,
                                 TypeVariables variables);

}  // namespace handrail::graph
