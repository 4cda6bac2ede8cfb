// Which values of a graph may share memory, and which nodes write to it: what dead-code elimination
// asks, as PyTorch's AliasDb answers it.
//
// One set per memory that may be shared; coarser than PyTorch's graph of pointers, so that a node
// may be kept that PyTorch removes, and never the reverse. Values that come from outside (inputs,
// attributes, elements of containers, results of calls) are all in one set, the wildcard.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "handrail/graph/graph.h"

namespace handrail::graph {

class AliasSets {
 public:
  // The graph must not change while this is used, but for nodes and values that are erased.
  explicit AliasSets(const Graph& graph);

  // The set of a value; equal for values that may share memory.
  uint32_t SetOf(ValueId value) const;
  bool IsWildcard(ValueId value) const { return SetOf(value) == Root(wildcard()); }
  // Appends the values that a node writes to.
  static void AddWritten(const Graph& graph, NodeId node, std::vector<ValueId>& written);

  // Types whose values can be changed: tensors, lists, objects, and what holds them.
  static bool IsMutable(const TypeTable& types, TypeId type);

 private:
  uint32_t wildcard() const { return static_cast<uint32_t>(parents_.size()) - 1; }
  uint32_t Root(uint32_t row) const;
  void Join(uint32_t a, uint32_t b);
  void JoinValues(ValueId a, ValueId b);
  void MakeWildcard(ValueId value) { Join(value.index, wildcard()); }
  void AddNode(NodeId node);
  void AddBlocks(NodeId node);
  void AddSchema(NodeId node);

  const Graph& graph_;
  mutable std::vector<uint32_t> parents_;  // by ValueId; the last row is the wildcard
};

}  // namespace handrail::graph
