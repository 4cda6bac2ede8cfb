// Reads the text of schemas and types as PyTorch writes them:
//   aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
#pragma once

#include <string_view>

#include "handrail/base/result.h"
#include "handrail/graph/compilation_unit.h"

namespace handrail::graph {

// What a lower-case name that is no type means.
enum class TypeVariables { kAllowed, kRefused };

// Fails with the byte offset in `text`. Names of classes that the unit does not know: those of
// custom classes (`__torch__.torch.classes.…`) are defined, others refused.
Result<Schema> ParseSchema(CompilationUnit& unit, std::string_view text);

// A type as graphs and schemas write it (ToString).
Result<TypeId> ParseType(CompilationUnit& unit, std::string_view text,
                         TypeVariables variables = TypeVariables::kRefused);

// The text that ParseSchema reads back to an equal schema.
std::string ToString(const CompilationUnit& unit, const Schema& schema);

}  // namespace handrail::graph
