#include "graph/clone.h"

#include "handrail/base/check.h"

namespace handrail::graph {
namespace {

// A block that is being copied: what is left of it, and where its copy grows.
struct OpenBlock {
  BlockId from;
  NodeId next;
  NodeId end;
  InsertPoint to;
  bool is_inner;  // it has a copy of its own, whose results are added at its end
};

// The places of a block's ends.
void CopyOrigin(const Graph& from, NodeId node, Graph& to, NodeId copy,
                const std::function<StackId(StackId)>& stack_of) {
  to.SetRange(copy, from.range(node));
  if (!from.stack(node).is_none()) to.SetStack(copy, stack_of(from.stack(node)));
}

}  // namespace

void CloneNodes(const Graph& from, BlockId block, Graph& to, InsertPoint at, ValueMap& map,
                const std::function<StackId(StackId)>& stack_of) {
  HANDRAIL_CHECK(&from.unit() == &to.unit());
  HANDRAIL_CHECK(map.size() >= from.value_count());
  const auto mapped = [&](ValueId value) {
    const ValueId copy = map[value.index];
    HANDRAIL_CHECK(!copy.is_none());
    return copy;
  };
  const auto open = [&](BlockId opened, InsertPoint where, bool is_inner) {
    return OpenBlock{opened, from.next(from.param_node(opened)), from.return_node(opened), where,
                     is_inner};
  };
  std::vector<ValueId> inputs;
  std::vector<OpenBlock> pending{open(block, at, false)};
  while (!pending.empty()) {
    OpenBlock& current = pending.back();
    if (current.next == current.end) {
      if (current.is_inner) {
        const BlockId copy = to.block(current.to.before);
        for (ValueId result : from.results(current.from)) to.AddResult(copy, mapped(result));
      }
      pending.pop_back();
      continue;
    }
    const NodeId node = current.next;
    current.next = from.next(node);
    inputs.clear();
    for (ValueId input : from.inputs(node)) inputs.push_back(mapped(input));
    const NodeId copy = to.Insert(current.to, from.kind(node), inputs, from.range(node),
                                  from.schema(node), stack_of(from.stack(node)));
    // By index: where both graphs are one, adding rows moves what spans show.
    for (uint32_t i = 0; i < from.attributes(node).size(); ++i) {
      to.AddAttribute(copy, NodeAttribute(from.attributes(node)[i]));
    }
    for (uint32_t i = 0; i < from.outputs(node).size(); ++i) {
      const ValueId output = from.outputs(node)[i];
      map[output.index] = to.AddOutput(copy, from.type(output), from.debug_name(output));
    }
    std::vector<OpenBlock> inner;
    for (uint32_t i = 0; i < from.blocks(node).size(); ++i) {
      const BlockId child = from.blocks(node)[i];
      const BlockId child_copy = to.AddBlock(copy);
      CopyOrigin(from, from.param_node(child), to, to.param_node(child_copy), stack_of);
      CopyOrigin(from, from.return_node(child), to, to.return_node(child_copy), stack_of);
      for (uint32_t p = 0; p < from.parameters(child).size(); ++p) {
        const ValueId parameter = from.parameters(child)[p];
        map[parameter.index] =
            to.AddParameter(child_copy, from.type(parameter), from.debug_name(parameter));
      }
      inner.push_back(open(child, to.end_of(child_copy), true));
    }
    pending.insert(pending.end(), inner.rbegin(), inner.rend());
  }
}

Graph CloneGraph(const Graph& graph) {
  Graph copy(graph.unit());
  copy.Reserve(graph.node_count(), graph.value_count());
  ValueMap map(graph.value_count());
  for (ValueId input : graph.inputs()) {
    map[input.index] = copy.AddInput(graph.type(input), graph.debug_name(input));
  }
  const auto same = [](StackId stack) { return stack; };
  CloneNodes(graph, graph.root(), copy, copy.end_of(copy.root()), map, same);
  for (ValueId result : graph.results()) copy.AddResult(map[result.index]);
  CopyOrigin(graph, graph.param_node(graph.root()), copy, copy.param_node(copy.root()), same);
  CopyOrigin(graph, graph.return_node(graph.root()), copy, copy.return_node(copy.root()), same);
  return copy;
}

}  // namespace handrail::graph
