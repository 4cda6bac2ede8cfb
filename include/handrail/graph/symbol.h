// Names in graphs: kinds of nodes, operators, attributes, methods, qualified names. All are strings
// of the compilation unit's pool, so that equal names are equal numbers.
#pragma once

#include <cstdint>

#include "handrail/base/string_pool.h"

namespace handrail::graph {

// The kind of a node, with its namespace: "aten::add".
using Symbol = StringId;

namespace symbols {

namespace internal {
enum Order : uint32_t {
#define HANDRAIL_SYMBOL(name, text) name,
#include "handrail/graph/symbols.def"
};
}  // namespace internal

// symbols::kConstant and so on: valid in the pool of every CompilationUnit.
#define HANDRAIL_SYMBOL(name, text) inline constexpr Symbol name{internal::name};
#include "handrail/graph/symbols.def"

}  // namespace symbols

// Puts the names of symbols.def at their places. `strings` must be empty.
void AddSymbols(StringPool& strings);

}  // namespace handrail::graph
