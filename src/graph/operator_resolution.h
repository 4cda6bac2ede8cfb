// Which overload a node is, by the types of its inputs alone.
//
// PyTorch keeps no overload in a node: it looks for it when it is needed, takes the first that the
// inputs fit, and looks anew when an input's type changes. That may be another overload than the
// one by which the call was matched: `len` of a list that conversions made was matched as len.any
// and is len.t. So whoever changes the inputs of nodes, such as inlining, resolves them again.
#pragma once

#include <span>

#include "handrail/graph/compilation_unit.h"

namespace handrail::graph {

// The first overload of `name` that takes exactly these inputs, without conversions or defaults;
// none: there is none.
SchemaId ResolveOperator(CompilationUnit& unit, Symbol name, std::span<const TypeId> inputs);

// Resolves every node that has a schema; one that fits no overload keeps its own.
void ResolveOperators(Graph& graph);

// True for overloads that PyTorch leaves out when it chooses: it cannot tell them from others.
bool IsNeverChosen(const CompilationUnit& unit, const Schema& schema);

}  // namespace handrail::graph
