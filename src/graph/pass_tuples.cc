#include "graph/pass_tuples.h"

#include <optional>
#include <vector>

#include "handrail/graph/compilation_unit.h"

#include "graph/block_walk.h"

namespace handrail::graph {
namespace {

int64_t IntAttribute(const Graph& graph, NodeId node, StringId name) {
  return graph.unit().constants.int_value({graph.attribute(node, name)});
}

// The constant number that a value is, or nothing.
std::optional<int64_t> ConstantInt(const Graph& graph, ValueId value) {
  const NodeId producer = graph.producer(value);
  if (graph.kind(producer) != symbols::kConstant) return std::nullopt;
  const ConstantId constant = graph.constant(producer);
  const ConstantTable& constants = graph.unit().constants;
  if (constant.is_none() || constants.at(constant).kind != ConstantKind::kInt) return std::nullopt;
  return constants.int_value(constant);
}

void LowerNode(Graph& graph, NodeId node) {
  const Symbol kind = graph.kind(node);
  if (kind != symbols::kTupleUnpack && kind != symbols::kTupleIndex &&
      kind != symbols::kTupleSlice) {
    return;
  }
  const NodeId made = graph.producer(graph.input(node, 0));
  if (graph.kind(made) != symbols::kTupleConstruct) return;
  const auto size = static_cast<int64_t>(graph.inputs(made).size());
  if (kind == symbols::kTupleUnpack) {
    for (uint32_t i = 0; i < graph.outputs(node).size() && i < size; ++i) {
      graph.ReplaceAllUses(graph.outputs(node)[i], graph.input(made, i));
    }
  } else if (kind == symbols::kTupleIndex) {
    std::optional<int64_t> row = ConstantInt(graph, graph.input(node, 1));
    if (row && *row < 0) *row += size;
    if (!row || *row < 0 || *row >= size) return;
    graph.ReplaceAllUses(graph.output(node), graph.input(made, static_cast<uint32_t>(*row)));
  } else {
    const int64_t begin = IntAttribute(graph, node, symbols::kAttributeBegin);
    const int64_t end = IntAttribute(graph, node, symbols::kAttributeEnd);
    std::vector<ValueId> elements;
    for (int64_t row = begin; row < end && row < size; ++row) {
      elements.push_back(graph.input(made, static_cast<uint32_t>(row)));
    }
    const TypeId type = graph.type(graph.output(node));
    const NodeId part = graph.Insert(graph.before(node), symbols::kTupleConstruct, elements,
                                     graph.range(node), SchemaId::none(), graph.stack(node));
    graph.ReplaceAllUses(graph.output(node), graph.AddOutput(part, type));
  }
}

}  // namespace

void LowerSimpleTuples(Graph& graph) {
  ForEachNode(graph, [&](NodeId node) { LowerNode(graph, node); });
}

}  // namespace handrail::graph
