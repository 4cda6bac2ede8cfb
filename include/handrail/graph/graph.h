// A function's body as a graph: nodes that take values and give values, in blocks.
//
// In:  built by emission from a syntax tree, read from text, or cloned by inlining.
// Out: what passes edit, backends lower, and bytecode is made from.
//
// Flat tables; nodes, values and blocks are rows named by typed ids, which stay valid until the
// row's thing is erased and are never reused. Values are assigned once. A block's parameters are
// the outputs of its prim::Param node and its results are the inputs of its prim::Return node, so
// that every value has a producer and every use is a node's input; the nodes of a block stand
// between the two, in a linked list. A node sees the values above it in its own block and in the
// blocks around it.
#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "handrail/base/id.h"
#include "handrail/graph/constant.h"
#include "handrail/graph/origin.h"
#include "handrail/graph/schema.h"
#include "handrail/graph/symbol.h"
#include "handrail/graph/type.h"

namespace handrail::graph {

class CompilationUnit;

using NodeId = Id<struct GraphNodeTag>;
using ValueId = Id<struct GraphValueTag>;
using BlockId = Id<struct GraphBlockTag>;
// One input of one node, as a link in the list of its value's uses.
using UseId = Id<struct GraphUseTag>;

enum class AttributeKind : uint8_t { kConstant, kString, kType };

// A fact about a node that is not an input.
struct NodeAttribute {
  StringId name;  // symbols::kAttributeValue and so on
  AttributeKind kind;
  // The index of a ConstantId, StringId or TypeId. Several types are the elements of a Tuple type.
  uint32_t index;

  friend bool operator==(const NodeAttribute&, const NodeAttribute&) = default;
};

// Where a node is inserted: before `before`, which is a node of a block or its return node.
struct InsertPoint {
  NodeId before;
};

class NodeRange;

// Spans that the accessors return are valid until the graph is changed. Not thread-safe to change;
// safe to read from many threads. `unit` owns all names, types, schemas, constants and origins, and
// must outlive the graph. All ids given to a graph must be its own or its unit's.
class Graph {
 public:
  explicit Graph(CompilationUnit& unit);
  Graph(Graph&&) noexcept = default;
  Graph& operator=(Graph&&) noexcept = default;

  CompilationUnit& unit() const { return *unit_; }
  BlockId root() const { return BlockId{0}; }
  // The graph's own inputs and results: those of the root block.
  std::span<const ValueId> inputs() const { return parameters(root()); }
  std::span<const ValueId> results() const { return results(root()); }
  ValueId AddInput(TypeId type, StringId name = StringId::none()) {
    return AddParameter(root(), type, name);
  }
  void AddResult(ValueId value) { AddResult(root(), value); }

  // Blocks.
  NodeId param_node(BlockId block) const { return blocks_[block.index].param_node; }
  NodeId return_node(BlockId block) const { return blocks_[block.index].return_node; }
  // The node that the block belongs to; none for the root.
  NodeId owner(BlockId block) const { return blocks_[block.index].owner; }
  std::span<const ValueId> parameters(BlockId block) const { return outputs(param_node(block)); }
  std::span<const ValueId> results(BlockId block) const { return inputs(return_node(block)); }
  ValueId AddParameter(BlockId block, TypeId type, StringId name = StringId::none()) {
    return AddOutput(param_node(block), type, name);
  }
  void AddResult(BlockId block, ValueId value) { AddOperand(return_node(block), value); }
  // The nodes between param and return node, in order. Erasing or moving the node an iterator
  // stands on invalidates it: step first.
  NodeRange nodes(BlockId block) const;
  InsertPoint end_of(BlockId block) const { return {return_node(block)}; }
  InsertPoint before(NodeId node) const { return {node}; }
  InsertPoint after(NodeId node) const { return {next(node)}; }

  // Nodes.
  Symbol kind(NodeId node) const { return nodes_[node.index].kind; }
  // The operator that was chosen; none for nodes that have no schema (prim::If, prim::GetAttr, …).
  SchemaId schema(NodeId node) const { return nodes_[node.index].schema; }
  // The schema's overload name; "" without.
  std::string_view overload(NodeId node) const;
  std::string_view kind_name(NodeId node) const;
  RangeId range(NodeId node) const { return nodes_[node.index].range; }
  // The inlined call stack; none: the node was not inlined.
  StackId stack(NodeId node) const { return nodes_[node.index].stack; }
  BlockId block(NodeId node) const { return nodes_[node.index].block; }
  NodeId next(NodeId node) const { return nodes_[node.index].next; }
  NodeId previous(NodeId node) const { return nodes_[node.index].previous; }
  bool is_erased(NodeId node) const { return nodes_[node.index].block.is_none(); }
  std::span<const ValueId> inputs(NodeId node) const;
  std::span<const ValueId> outputs(NodeId node) const;
  std::span<const BlockId> blocks(NodeId node) const;
  std::span<const NodeAttribute> attributes(NodeId node) const;
  ValueId input(NodeId node, uint32_t index) const { return inputs(node)[index]; }
  // The only output.
  ValueId output(NodeId node) const { return outputs(node).front(); }
  // The attribute's index (NodeAttribute::index) under a name, or UINT32_MAX.
  uint32_t attribute(NodeId node, StringId name) const;
  // prim::GetAttr, SetAttr, CallMethod: the attribute's or method's name; none: there is none.
  StringId name(NodeId node) const { return {attribute(node, symbols::kAttributeName)}; }
  // prim::Constant: its value; none: there is none (then the constant is None).
  ConstantId constant(NodeId node) const { return {attribute(node, symbols::kAttributeValue)}; }

  // Values.
  TypeId type(ValueId value) const { return values_[value.index].type; }
  NodeId producer(ValueId value) const { return values_[value.index].producer; }
  // Its number among the producer's outputs.
  uint32_t output_index(ValueId value) const { return values_[value.index].output_index; }
  // The name that the text form prints, after which a number makes it unique; none: a number.
  StringId debug_name(ValueId value) const { return values_[value.index].debug_name; }
  bool is_used(ValueId value) const { return !values_[value.index].first_use.is_none(); }
  UseId first_use(ValueId value) const { return values_[value.index].first_use; }
  // Uses are in no particular order.
  UseId next_use(UseId use) const { return links_[use.index].next; }
  NodeId user(UseId use) const { return links_[use.index].user; }
  uint32_t input_index(UseId use) const { return use.index - nodes_[user(use).index].inputs.first; }

  // Building. Inserts a node without outputs; `schema` none for nodes that have none.
  NodeId Insert(InsertPoint at, Symbol kind, std::span<const ValueId> inputs, RangeId range,
                SchemaId schema = SchemaId::none(), StackId stack = StackId::none());
  ValueId AddOutput(NodeId node, TypeId type, StringId name = StringId::none());
  void AddOperand(NodeId node, ValueId value);
  BlockId AddBlock(NodeId node);
  void AddAttribute(NodeId node, const NodeAttribute& attribute);
  void AddAttribute(NodeId node, StringId name, ConstantId constant);
  void AddAttribute(NodeId node, StringId name, StringId text);
  void AddAttribute(NodeId node, StringId name, TypeId type);
  // A prim::Constant, with the constant's type; None has no attribute.
  ValueId InsertConstant(InsertPoint at, ConstantId value, RangeId range,
                         StackId stack = StackId::none());

  // Editing.
  void SetType(ValueId value, TypeId type) { values_[value.index].type = type; }
  void SetDebugName(ValueId value, StringId name) { values_[value.index].debug_name = name; }
  void SetRange(NodeId node, RangeId range) { nodes_[node.index].range = range; }
  void SetStack(NodeId node, StackId stack) { nodes_[node.index].stack = stack; }
  void SetKind(NodeId node, Symbol kind, SchemaId schema);
  void SetInput(NodeId node, uint32_t index, ValueId value);
  void RemoveInput(NodeId node, uint32_t index);
  void RemoveAllInputs(NodeId node);
  // The output must be unused.
  void RemoveOutput(NodeId node, uint32_t index);
  void ReplaceAllUses(ValueId of, ValueId with);
  // The node, with its blocks, moves before another node (or a return node), maybe of another
  // block.
  void Move(NodeId node, InsertPoint to);
  // Erases a node and its blocks. Its outputs must be unused.
  void Erase(NodeId node);
  // Removes an empty or no longer wanted block of a node, with all that is in it.
  void EraseBlock(NodeId node, uint32_t index);

  // How many rows there are, erased ones included: sizes for tables by id.
  uint32_t node_count() const { return static_cast<uint32_t>(nodes_.size()); }
  uint32_t value_count() const { return static_cast<uint32_t>(values_.size()); }
  uint32_t block_count() const { return static_cast<uint32_t>(blocks_.size()); }
  void Reserve(uint32_t node_count, uint32_t value_count);

 private:
  // Rows [first, first + count) of a table; room for the next power of two.
  struct Slice {
    uint32_t first = 0;
    uint32_t count = 0;
  };
  struct NodeRow {
    Symbol kind;
    SchemaId schema;
    BlockId block;  // none: erased
    NodeId previous;
    NodeId next;
    Slice inputs;  // of operands_ and links_
    Slice outputs;
    Slice blocks;
    Slice attributes;
    RangeId range;
    StackId stack;
  };
  struct ValueRow {
    TypeId type;
    NodeId producer;
    uint32_t output_index;
    UseId first_use;
    StringId debug_name;
  };
  struct BlockRow {
    NodeId owner;
    NodeId param_node;
    NodeId return_node;
  };
  struct UseLink {
    NodeId user;
    UseId previous;
    UseId next;
  };

  BlockId NewBlock(NodeId owner);
  NodeId NewNode(Symbol kind, SchemaId schema, BlockId block, RangeId range, StackId stack);
  void LinkBefore(NodeId node, NodeId before);
  void Unlink(NodeId node);
  void LinkUse(UseId use);
  void UnlinkUse(UseId use);
  // Makes room for one more row of the slice, moving it to the table's end if it is full.
  template <typename Row>
  static void GrowSlice(std::vector<Row>& table, Slice& slice);
  void GrowInputs(NodeId node);
  void SetBlocksOf(NodeId node, BlockId block);
  void DropRows(NodeId node);

  CompilationUnit* unit_;
  std::vector<NodeRow> nodes_;
  std::vector<ValueRow> values_;
  std::vector<BlockRow> blocks_;
  std::vector<ValueId> operands_;
  std::vector<UseLink> links_;  // parallel to operands_
  std::vector<ValueId> outputs_;
  std::vector<BlockId> child_blocks_;
  std::vector<NodeAttribute> attributes_;
};

// for (NodeId node : graph.nodes(block)) …
class NodeRange {
 public:
  class Iterator {
   public:
    using value_type = NodeId;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using pointer = const NodeId*;
    using reference = NodeId;

    Iterator() = default;
    Iterator(const Graph* graph, NodeId node) : graph_(graph), node_(node) {}
    NodeId operator*() const { return node_; }
    Iterator& operator++() {
      node_ = graph_->next(node_);
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.node_ == b.node_; }

   private:
    const Graph* graph_ = nullptr;
    NodeId node_;
  };

  NodeRange(const Graph* graph, NodeId first, NodeId end)
      : graph_(graph), first_(first), end_(end) {}
  Iterator begin() const { return {graph_, first_}; }
  Iterator end() const { return {graph_, end_}; }
  bool empty() const { return first_ == end_; }

 private:
  const Graph* graph_;
  NodeId first_;
  NodeId end_;
};

inline NodeRange Graph::nodes(BlockId block) const {
  return {this, next(param_node(block)), return_node(block)};
}

}  // namespace handrail::graph
