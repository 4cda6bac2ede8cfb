// The operators of PyTorch 1.13 and their schemas, as data: schemas.txt, which extract_schemas.py
// writes and the build embeds. A unit parses the schemas of the names it asks for, once.
#pragma once

#include <span>
#include <string_view>

#include "handrail/graph/compilation_unit.h"

namespace handrail::graph {

// The overloads of an operator ("aten::add"), in the order in which PyTorch tries them; empty:
// there is no such operator.
std::span<const SchemaId> OperatorsNamed(CompilationUnit& unit, Symbol name);

// One overload ("" where it has no name), or none.
SchemaId FindOperator(CompilationUnit& unit, Symbol name, std::string_view overload);

// Adds an overload behind those of its name: what a model's own operators need. Fails if the text
// is no schema, or if the overload exists.
Result<SchemaId> AddOperator(CompilationUnit& unit, std::string_view schema_text);

}  // namespace handrail::graph
