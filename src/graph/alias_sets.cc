#include "graph/alias_sets.h"

#include "handrail/graph/compilation_unit.h"

#include "graph/block_walk.h"

namespace handrail::graph {

bool AliasSets::IsMutable(const TypeTable& types, TypeId type) {
  switch (types.kind(type)) {
    case TypeKind::kAny:
    case TypeKind::kTensor:
    case TypeKind::kAnyList:
    case TypeKind::kAnyTuple:
    case TypeKind::kAnyClass:
    case TypeKind::kList:
    case TypeKind::kFuture:
    case TypeKind::kRRef:
    case TypeKind::kDict:
    case TypeKind::kClass:
    case TypeKind::kInterface:
    case TypeKind::kCapsule:
    case TypeKind::kVariable:
      return true;
    case TypeKind::kOptional:
    case TypeKind::kTuple:
    case TypeKind::kUnion: {
      // Elements are below their user, and deep types are compared as different anyway: one level
      // at a time, by a worklist.
      std::vector<TypeId> pending{type};
      while (!pending.empty()) {
        const TypeId next = pending.back();
        pending.pop_back();
        for (const TypeId element : types.elements(next)) {
          const TypeKind kind = types.kind(element);
          if (kind == TypeKind::kOptional || kind == TypeKind::kTuple || kind == TypeKind::kUnion) {
            pending.push_back(element);
          } else if (IsMutable(types, element)) {
            return true;
          }
        }
      }
      return false;
    }
    default:
      return false;
  }
}

AliasSets::AliasSets(const Graph& graph) : graph_(graph), parents_(graph.value_count() + 1) {
  for (uint32_t row = 0; row < parents_.size(); ++row) parents_[row] = row;
  for (const ValueId input : graph.inputs()) MakeWildcard(input);
  ForEachNode(graph, [this](NodeId node) { AddNode(node); });
}

uint32_t AliasSets::Root(uint32_t row) const {
  while (parents_[row] != row) {
    parents_[row] = parents_[parents_[row]];
    row = parents_[row];
  }
  return row;
}

uint32_t AliasSets::SetOf(ValueId value) const {
  return Root(value.index);
}

void AliasSets::Join(uint32_t a, uint32_t b) {
  a = Root(a);
  b = Root(b);
  // The smaller row joins the larger, so that the wildcard stays a root.
  if (a < b) {
    parents_[a] = b;
  } else {
    parents_[b] = a;
  }
}

void AliasSets::JoinValues(ValueId a, ValueId b) {
  if (IsMutable(graph_.unit().types, graph_.type(a)) &&
      IsMutable(graph_.unit().types, graph_.type(b))) {
    Join(a.index, b.index);
  }
}

void AliasSets::AddNode(NodeId node) {
  const Symbol kind = graph_.kind(node);
  if (kind == symbols::kIf || kind == symbols::kLoop || kind == symbols::kFork) {
    return AddBlocks(node);
  }
  if (kind == symbols::kConstant || kind == symbols::kListConstruct ||
      kind == symbols::kDictConstruct || kind == symbols::kTupleConstruct ||
      kind == symbols::kCreateObject || kind == symbols::kUninitialized) {
    return;  // memory of its own
  }
  if (kind == symbols::kUncheckedCast || kind == symbols::kUncheckedUnwrapOptional ||
      kind == symbols::kUnwrapOptional) {
    return JoinValues(graph_.output(node), graph_.input(node, 0));
  }
  if (kind == symbols::kSetAttr) return MakeWildcard(graph_.input(node, 1));
  if (graph_.schema(node).is_none()) {
    // Attributes, elements, calls: from outside, and to it.
    const bool is_call = kind == symbols::kCallMethod || kind == symbols::kCallFunction;
    if (is_call) {
      for (const ValueId input : graph_.inputs(node)) MakeWildcard(input);
    }
    for (const ValueId output : graph_.outputs(node)) MakeWildcard(output);
    return;
  }
  AddSchema(node);
}

void AliasSets::AddBlocks(NodeId node) {
  const Symbol kind = graph_.kind(node);
  const auto outputs = graph_.outputs(node);
  if (kind == symbols::kFork) {
    for (const ValueId input : graph_.inputs(node)) MakeWildcard(input);
    for (const ValueId parameter : graph_.parameters(graph_.blocks(node)[0])) {
      MakeWildcard(parameter);
    }
    for (const ValueId output : outputs) MakeWildcard(output);
    return;
  }
  const bool is_loop = kind == symbols::kLoop;
  for (const BlockId block : graph_.blocks(node)) {
    const auto results = graph_.results(block).subspan(is_loop ? 1 : 0);
    for (uint32_t i = 0; i < outputs.size(); ++i) {
      JoinValues(outputs[i], results[i]);
      if (!is_loop) continue;
      JoinValues(outputs[i], graph_.input(node, i + 2));
      JoinValues(outputs[i], graph_.parameters(block)[i + 1]);
    }
  }
}

void AliasSets::AddSchema(NodeId node) {
  const CompilationUnit& unit = graph_.unit();
  const Schema& schema = unit.schema(graph_.schema(node));
  const auto inputs = graph_.inputs(node);
  const auto outputs = graph_.outputs(node);
  for (uint32_t i = 0; i < inputs.size() && i < schema.arguments.size(); ++i) {
    const StringId alias = schema.arguments[i].alias;
    // `t(c -> *)`: goes into a container.
    if (!alias.is_none() && unit.text(alias).find('*') != std::string_view::npos) {
      MakeWildcard(inputs[i]);
    }
  }
  for (uint32_t i = 0; i < outputs.size() && i < schema.results.size(); ++i) {
    const StringId alias = schema.results[i].alias;
    if (alias.is_none()) continue;
    if (unit.text(alias).find('*') != std::string_view::npos) {
      MakeWildcard(outputs[i]);
      continue;
    }
    for (uint32_t j = 0; j < inputs.size() && j < schema.arguments.size(); ++j) {
      if (schema.arguments[j].alias == alias) JoinValues(outputs[i], inputs[j]);
    }
  }
}

void AliasSets::AddWritten(const Graph& graph, NodeId node, std::vector<ValueId>& written) {
  if (graph.kind(node) == symbols::kSetAttr) {
    written.push_back(graph.input(node, 0));
    return;
  }
  if (graph.schema(node).is_none()) return;
  const Schema& schema = graph.unit().schema(graph.schema(node));
  const auto inputs = graph.inputs(node);
  for (uint32_t i = 0; i < inputs.size() && i < schema.arguments.size(); ++i) {
    if (schema.arguments[i].is_written) written.push_back(inputs[i]);
  }
}

}  // namespace handrail::graph
