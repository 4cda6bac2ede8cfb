#include "graph/operator_resolution.h"

#include <vector>

#include "graph/operators.h"
#include "graph/subtyping.h"

namespace handrail::graph {
namespace {

bool Takes(CompilationUnit& unit, const Schema& schema, std::span<const TypeId> inputs) {
  if (inputs.size() < schema.arguments.size() || IsNeverChosen(unit, schema)) return false;
  if (inputs.size() > schema.arguments.size() && !schema.takes_more) return false;
  TypeBindings bindings;
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    const TypeId formal = schema.arguments[i].type;
    if (!bindings.Match(unit, formal, inputs[i])) return false;
    // A variable may be unknown still: None is a `t?`, whatever `t` is.
    if (!IsSubtype(unit, inputs[i], bindings.SubstituteKnown(unit, formal))) return false;
  }
  return true;
}

}  // namespace

bool IsNeverChosen(const CompilationUnit& unit, const Schema& schema) {
  // `x.view(1)` and `x.view(torch.int8)` have the same types.
  return unit.text(schema.name) == "aten::view" && unit.text(schema.overload) == "dtype";
}

SchemaId ResolveOperator(CompilationUnit& unit, Symbol name, std::span<const TypeId> inputs) {
  for (SchemaId id : OperatorsNamed(unit, name)) {
    if (Takes(unit, unit.schema(id), inputs)) return id;
  }
  return SchemaId::none();
}

void ResolveOperators(Graph& graph) {
  CompilationUnit& unit = graph.unit();
  std::vector<TypeId> inputs;
  for (uint32_t i = 0; i < graph.node_count(); ++i) {
    const NodeId node{i};
    if (graph.is_erased(node) || graph.schema(node).is_none()) continue;
    if (OperatorsNamed(unit, graph.kind(node)).size() < 2) continue;
    inputs.clear();
    for (ValueId input : graph.inputs(node)) inputs.push_back(graph.type(input));
    const SchemaId resolved = ResolveOperator(unit, graph.kind(node), inputs);
    if (!resolved.is_none()) graph.SetKind(node, graph.kind(node), resolved);
  }
}

}  // namespace handrail::graph
