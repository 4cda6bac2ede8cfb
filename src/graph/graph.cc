#include "handrail/graph/graph.h"

#include <algorithm>
#include <bit>

#include "handrail/base/check.h"
#include "handrail/base/limits.h"
#include "handrail/graph/compilation_unit.h"

namespace handrail::graph {
namespace {

// The next row's id.
template <typename RowId, typename Row>
RowId NextId(const std::vector<Row>& table) {
  HANDRAIL_CHECK(table.size() < limits::kRowsMax);
  return RowId{static_cast<uint32_t>(table.size())};
}

uint32_t Room(uint32_t count) {
  return count == 0 ? 0 : std::bit_ceil(count);
}

// Takes `count` new rows at the end of the table, with room for the next power of two.
template <typename Row>
uint32_t TakeRows(std::vector<Row>& table, uint32_t count) {
  const size_t first = table.size();
  HANDRAIL_CHECK(first + Room(count) < limits::kRowsMax);
  table.resize(first + Room(count));
  return static_cast<uint32_t>(first);
}

}  // namespace

Graph::Graph(CompilationUnit& unit) : unit_(&unit) {
  NewBlock(NodeId::none());
}

void Graph::Reserve(uint32_t node_count, uint32_t value_count) {
  nodes_.reserve(node_count);
  values_.reserve(value_count);
  operands_.reserve(size_t{value_count} * 2);
  links_.reserve(size_t{value_count} * 2);
  outputs_.reserve(value_count);
}

BlockId Graph::NewBlock(NodeId owner) {
  const auto block = NextId<BlockId>(blocks_);
  blocks_.push_back({owner, {}, {}});
  const RangeId null_range = OriginTable::null_range();
  const NodeId param = NewNode(symbols::kParam, {}, block, null_range, {});
  const NodeId result = NewNode(symbols::kReturn, {}, block, null_range, {});
  blocks_[block.index].param_node = param;
  blocks_[block.index].return_node = result;
  nodes_[param.index].next = result;
  nodes_[result.index].previous = param;
  return block;
}

NodeId Graph::NewNode(Symbol kind, SchemaId schema, BlockId block, RangeId range, StackId stack) {
  const auto node = NextId<NodeId>(nodes_);
  nodes_.push_back({kind, schema, block, {}, {}, {}, {}, {}, {}, range, stack});
  return node;
}

std::string_view Graph::kind_name(NodeId node) const {
  return unit_->text(kind(node));
}

std::string_view Graph::overload(NodeId node) const {
  const SchemaId id = schema(node);
  return id.is_none() ? std::string_view() : unit_->text(unit_->schema(id).overload);
}

std::span<const ValueId> Graph::inputs(NodeId node) const {
  const Slice& slice = nodes_[node.index].inputs;
  return std::span(operands_).subspan(slice.first, slice.count);
}
std::span<const ValueId> Graph::outputs(NodeId node) const {
  const Slice& slice = nodes_[node.index].outputs;
  return std::span(outputs_).subspan(slice.first, slice.count);
}
std::span<const BlockId> Graph::blocks(NodeId node) const {
  const Slice& slice = nodes_[node.index].blocks;
  return std::span(child_blocks_).subspan(slice.first, slice.count);
}
std::span<const NodeAttribute> Graph::attributes(NodeId node) const {
  const Slice& slice = nodes_[node.index].attributes;
  return std::span(attributes_).subspan(slice.first, slice.count);
}

uint32_t Graph::attribute(NodeId node, StringId name) const {
  for (const NodeAttribute& attribute : attributes(node)) {
    if (attribute.name == name) return attribute.index;
  }
  return UINT32_MAX;
}

// Building.

NodeId Graph::Insert(InsertPoint at, Symbol kind, std::span<const ValueId> inputs, RangeId range,
                     SchemaId schema, StackId stack) {
  const auto count = static_cast<uint32_t>(inputs.size());
  // `inputs` may be a view of operands_, which TakeRows would move.
  const bool is_own = !inputs.empty() && !std::less<>()(inputs.data(), operands_.data()) &&
                      std::less<>()(inputs.data(), operands_.data() + operands_.size());
  std::vector<ValueId> copied;
  if (is_own) {
    copied.assign(inputs.begin(), inputs.end());
    inputs = copied;
  }
  const NodeId node = NewNode(kind, schema, block(at.before), range, stack);
  const uint32_t first = TakeRows(operands_, count);
  links_.resize(operands_.size());
  nodes_[node.index].inputs = {first, count};
  for (uint32_t i = 0; i < count; ++i) {
    operands_[first + i] = inputs[i];
    links_[first + i].user = node;
    LinkUse(UseId{first + i});
  }
  LinkBefore(node, at.before);
  return node;
}

template <typename Row>
void Graph::GrowSlice(std::vector<Row>& table, Slice& slice) {
  const uint32_t room = Room(slice.count);
  if (slice.count == room) {
    const uint32_t grown = Room(slice.count + 1);
    if (slice.count > 0 && slice.first + room == table.size()) {
      HANDRAIL_CHECK(table.size() + grown < limits::kRowsMax);
      table.resize(slice.first + grown);
    } else {
      const uint32_t first = TakeRows(table, slice.count + 1);
      std::copy_n(table.begin() + slice.first, slice.count, table.begin() + first);
      slice.first = first;
    }
  }
  ++slice.count;
}

ValueId Graph::AddOutput(NodeId node, TypeId type, StringId name) {
  const auto value = NextId<ValueId>(values_);
  Slice& slice = nodes_[node.index].outputs;
  values_.push_back({type, node, slice.count, {}, name});
  GrowSlice(outputs_, slice);
  outputs_[slice.first + slice.count - 1] = value;
  return value;
}

void Graph::GrowInputs(NodeId node) {
  Slice& slice = nodes_[node.index].inputs;
  const uint32_t old_first = slice.first;
  Slice links = slice;
  GrowSlice(operands_, slice);
  GrowSlice(links_, links);
  HANDRAIL_CHECK(links.first == slice.first);
  if (slice.first == old_first) return;
  // The rows moved: those that name them are told.
  for (uint32_t i = 0; i + 1 < slice.count; ++i) {
    const UseId use{slice.first + i};
    const UseId old_use{old_first + i};
    // Two inputs of this node may be neighbours in a list; a link into the old rows is moved, too.
    UseLink& link = links_[use.index];
    for (UseId* end : {&link.previous, &link.next}) {
      if (!end->is_none() && end->index >= old_first && end->index < old_first + slice.count - 1) {
        end->index = end->index - old_first + slice.first;
      }
    }
    if (link.previous.is_none()) {
      ValueRow& value = values_[operands_[use.index].index];
      if (value.first_use == old_use) value.first_use = use;
    } else {
      links_[link.previous.index].next = use;
    }
    if (!link.next.is_none()) links_[link.next.index].previous = use;
  }
}

void Graph::AddOperand(NodeId node, ValueId value) {
  GrowInputs(node);
  const Slice& slice = nodes_[node.index].inputs;
  const UseId use{slice.first + slice.count - 1};
  operands_[use.index] = value;
  links_[use.index].user = node;
  LinkUse(use);
}

BlockId Graph::AddBlock(NodeId node) {
  const BlockId block = NewBlock(node);
  Slice& slice = nodes_[node.index].blocks;
  GrowSlice(child_blocks_, slice);
  child_blocks_[slice.first + slice.count - 1] = block;
  return block;
}

void Graph::AddAttribute(NodeId node, const NodeAttribute& attribute) {
  Slice& slice = nodes_[node.index].attributes;
  GrowSlice(attributes_, slice);
  attributes_[slice.first + slice.count - 1] = attribute;
}
void Graph::AddAttribute(NodeId node, StringId name, ConstantId constant) {
  AddAttribute(node, {name, AttributeKind::kConstant, constant.index});
}
void Graph::AddAttribute(NodeId node, StringId name, StringId text) {
  AddAttribute(node, {name, AttributeKind::kString, text.index});
}
void Graph::AddAttribute(NodeId node, StringId name, TypeId type) {
  AddAttribute(node, {name, AttributeKind::kType, type.index});
}

ValueId Graph::InsertConstant(InsertPoint at, ConstantId value, RangeId range, StackId stack) {
  const NodeId node = Insert(at, symbols::kConstant, {}, range, SchemaId::none(), stack);
  const Constant& constant = unit_->constants.at(value);
  if (constant.kind != ConstantKind::kNone) AddAttribute(node, symbols::kAttributeValue, value);
  return AddOutput(node, constant.type);
}

// Links.

void Graph::LinkBefore(NodeId node, NodeId before) {
  const NodeId previous = nodes_[before.index].previous;
  nodes_[node.index].previous = previous;
  nodes_[node.index].next = before;
  nodes_[previous.index].next = node;
  nodes_[before.index].previous = node;
}

void Graph::Unlink(NodeId node) {
  const NodeRow& row = nodes_[node.index];
  nodes_[row.previous.index].next = row.next;
  nodes_[row.next.index].previous = row.previous;
}

void Graph::LinkUse(UseId use) {
  ValueRow& value = values_[operands_[use.index].index];
  UseLink& link = links_[use.index];
  link.previous = UseId::none();
  link.next = value.first_use;
  if (!value.first_use.is_none()) links_[value.first_use.index].previous = use;
  value.first_use = use;
}

void Graph::UnlinkUse(UseId use) {
  const UseLink link = links_[use.index];
  if (link.previous.is_none()) {
    values_[operands_[use.index].index].first_use = link.next;
  } else {
    links_[link.previous.index].next = link.next;
  }
  if (!link.next.is_none()) links_[link.next.index].previous = link.previous;
}

// Editing.

void Graph::SetKind(NodeId node, Symbol kind, SchemaId schema) {
  nodes_[node.index].kind = kind;
  nodes_[node.index].schema = schema;
}

void Graph::SetInput(NodeId node, uint32_t index, ValueId value) {
  const UseId use{nodes_[node.index].inputs.first + index};
  UnlinkUse(use);
  operands_[use.index] = value;
  LinkUse(use);
}

void Graph::RemoveInput(NodeId node, uint32_t index) {
  Slice& slice = nodes_[node.index].inputs;
  HANDRAIL_CHECK(index < slice.count);
  for (uint32_t i = index; i < slice.count; ++i) UnlinkUse(UseId{slice.first + i});
  --slice.count;
  for (uint32_t i = index; i < slice.count; ++i) {
    operands_[slice.first + i] = operands_[slice.first + i + 1];
    LinkUse(UseId{slice.first + i});
  }
}

void Graph::RemoveAllInputs(NodeId node) {
  Slice& slice = nodes_[node.index].inputs;
  for (uint32_t i = 0; i < slice.count; ++i) UnlinkUse(UseId{slice.first + i});
  slice.count = 0;
}

void Graph::RemoveOutput(NodeId node, uint32_t index) {
  Slice& slice = nodes_[node.index].outputs;
  HANDRAIL_CHECK(index < slice.count);
  HANDRAIL_CHECK(!is_used(outputs_[slice.first + index]));
  values_[outputs_[slice.first + index].index].producer = NodeId::none();
  --slice.count;
  for (uint32_t i = index; i < slice.count; ++i) {
    outputs_[slice.first + i] = outputs_[slice.first + i + 1];
    values_[outputs_[slice.first + i].index].output_index = i;
  }
}

void Graph::ReplaceAllUses(ValueId of, ValueId with) {
  HANDRAIL_CHECK(of != with);
  const UseId first = first_use(of);
  if (first.is_none()) return;
  UseId last = first;
  for (UseId use = first; !use.is_none(); use = links_[use.index].next) {
    operands_[use.index] = with;
    last = use;
  }
  ValueRow& target = values_[with.index];
  links_[last.index].next = target.first_use;
  if (!target.first_use.is_none()) links_[target.first_use.index].previous = last;
  target.first_use = first;
  values_[of.index].first_use = UseId::none();
}

void Graph::Move(NodeId node, InsertPoint to) {
  if (node == to.before) return;
  Unlink(node);
  LinkBefore(node, to.before);
  nodes_[node.index].block = block(to.before);
}

// A node that is erased takes its blocks with it, however deep they nest.
void Graph::Erase(NodeId node) {
  for (ValueId output : outputs(node)) HANDRAIL_CHECK(!is_used(output));
  Unlink(node);
  std::vector<NodeId> pending{node};
  while (!pending.empty()) {
    const NodeId erased = pending.back();
    pending.pop_back();
    for (BlockId inner : blocks(erased)) {
      pending.push_back(param_node(inner));
      pending.push_back(return_node(inner));
      for (NodeId child : nodes(inner)) pending.push_back(child);
    }
    DropRows(erased);
  }
}

void Graph::DropRows(NodeId node) {
  RemoveAllInputs(node);
  NodeRow& row = nodes_[node.index];
  for (ValueId output : outputs(node)) values_[output.index].producer = NodeId::none();
  row.outputs.count = 0;
  row.blocks.count = 0;
  row.block = BlockId::none();
}

void Graph::EraseBlock(NodeId node, uint32_t index) {
  const BlockId block = blocks(node)[index];
  std::vector<NodeId> erased;
  for (NodeId child : nodes(block)) erased.push_back(child);
  RemoveAllInputs(return_node(block));
  // Uses stand below what they use.
  while (!erased.empty()) {
    Erase(erased.back());
    erased.pop_back();
  }
  DropRows(param_node(block));
  DropRows(return_node(block));
  Slice& slice = nodes_[node.index].blocks;
  std::copy(child_blocks_.begin() + slice.first + index + 1,
            child_blocks_.begin() + slice.first + slice.count,
            child_blocks_.begin() + slice.first + index);
  --slice.count;
}

}  // namespace handrail::graph
