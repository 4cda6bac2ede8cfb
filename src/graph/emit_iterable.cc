// The part of FunctionEmitter that is about what can be iterated over or unpacked.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "graph/emit_function.h"

namespace handrail::graph {

// The submodules of a container module, in order: attributes whose types are modules.
std::optional<std::vector<StringId>> FunctionEmitter::SubmodulesOf(TypeId type) const {
  const Definition* definition = unit_.DefinitionOf(type);
  if (definition == nullptr || !definition->is_module()) return std::nullopt;
  const std::string_view name = LastAtom(unit_.text(definition->name));
  if (name != "ModuleList" && name != "Sequential" && name != "ModuleDict") return std::nullopt;
  std::vector<StringId> submodules;
  for (const AttributeDefinition& attribute : definition->attributes) {
    const Definition* inner = unit_.DefinitionOf(attribute.type);
    if (inner != nullptr && inner->is_module()) submodules.push_back(attribute.name);
  }
  return submodules;
}

Result<Meaning> FunctionEmitter::IterableOf(const Meaning& meaning, TextRange range) {
  if (meaning.kind == MeaningKind::kRange || meaning.kind == MeaningKind::kTree ||
      meaning.kind == MeaningKind::kSequence) {
    return meaning;
  }
  if (meaning.kind == MeaningKind::kClass && unit_.types.is(meaning.type, TypeKind::kEnum)) {
    HANDRAIL_ASSIGN_OR_RETURN(const Definition* definition, DefinitionOf(meaning.type, range));
    std::vector<Operand> members;
    for (const ConstantDefinition& member : definition->constants) {
      members.push_back(InsertConstant(unit_.constants.Enum(meaning.type, member.name), range));
    }
    return ValueMeaning(InsertList(meaning.type, members));
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Operand operand, AsValue(meaning, range));
  switch (unit_.types.kind(operand.type)) {
    case TypeKind::kList:
    case TypeKind::kString:
    case TypeKind::kTensor:
      return ValueMeaning(operand);
    case TypeKind::kDict: {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand keys, CallOperator("aten::keys", range, {operand}));
      return ValueMeaning(keys);
    }
    case TypeKind::kTuple: {
      std::vector<Meaning> elements;
      for (const Operand& element : UnpackTuple(operand)) elements.push_back(ValueMeaning(element));
      return ListMeaning(MeaningKind::kSequence, elements);
    }
    default:
      break;
  }
  if (const auto submodules = SubmodulesOf(operand.type)) {
    return SubmoduleSequence(operand, *submodules);
  }
  return FailAt(range, fmt::format("a {} cannot be iterated over", Name(operand.type)));
}

Meaning FunctionEmitter::SubmoduleSequence(const Operand& container,
                                           const std::vector<StringId>& submodules) {
  const Definition& definition = *unit_.DefinitionOf(container.type);
  std::vector<Meaning> elements;
  for (const StringId name : submodules) {
    const TypeId type = definition.attributes[*definition.FindAttribute(name)].type;
    elements.push_back(ValueMeaning(InsertGetAttribute(container, name, type)));
  }
  return ListMeaning(MeaningKind::kSequence, elements);
}

int64_t FunctionEmitter::StaticLength(const Meaning& iterable) const {
  switch (iterable.kind) {
    case MeaningKind::kSequence:
      return iterable.child_count;
    case MeaningKind::kRange:
    case MeaningKind::kTree:
      return iterable.number;
    default:
      return -1;
  }
}

Result<Meaning> FunctionEmitter::MakeRange(TextRange range, std::span<const Operand> inputs,
                                           int64_t static_length) {
  if (inputs.empty() || inputs.size() > 3) {
    return FailAt(range, fmt::format("need 1 to 3 arguments of range, have {}", inputs.size()));
  }
  for (const Operand& input : inputs) {
    if (input.type != types::kInt) {
      return FailAt(range,
                    fmt::format("need ints as arguments of range, have a {}", Name(input.type)));
    }
  }
  const bool has_only_end = inputs.size() == 1;
  const Operand start = has_only_end ? InsertInt(0, range) : inputs[0];
  const Operand end = has_only_end ? inputs[0] : inputs[1];
  const Operand step = inputs.size() == 3 ? inputs[2] : InsertInt(1, range);
  const Meaning parts[] = {ValueMeaning(start), ValueMeaning(end), ValueMeaning(step)};
  Meaning meaning = ListMeaning(MeaningKind::kRange, parts);
  meaning.has_only_end = has_only_end;
  meaning.number = static_length;
  return meaning;
}

// Iterables that are walked together, as long as the shortest.
Result<Meaning> FunctionEmitter::MakeTree(TextRange range, std::span<const Meaning> children) {
  int64_t length = StaticLength(children[0]);
  for (const Meaning& child : children.subspan(1)) {
    const int64_t next = StaticLength(child);
    if ((next < 0) != (length < 0)) {
      return FailAt(range,
                    "submodules or the elements of a tuple cannot be walked beside something whose "
                    "length is not known when it is compiled",
                    ErrorCode::kUnsupported);
    }
    length = std::min(length, next);
  }
  Meaning meaning = ListMeaning(MeaningKind::kTree, children);
  meaning.number = length;
  return meaning;
}

Result<Operand> FunctionEmitter::LengthOf(const Meaning& iterable, TextRange range) {
  switch (iterable.kind) {
    case MeaningKind::kValue:
      return CallOperator("aten::len", range, {iterable.operand});
    case MeaningKind::kRange: {
      if (iterable.number >= 0) return InsertInt(iterable.number, range);
      const auto part = [&](uint32_t row) { return Children(iterable)[row].operand; };
      if (iterable.has_only_end) return part(1);
      return CallOperator("aten::__range_length", range, {part(0), part(1), part(2)});
    }
    case MeaningKind::kTree: {
      std::vector<Operand> lengths;
      HANDRAIL_RETURN_IF_ERROR(LengthsOf(iterable, range, lengths));
      return CallOperator("prim::min", range, {InsertList(types::kInt, lengths)});
    }
    default:
      return FailAt(range, "this has no length");
  }
}

Status FunctionEmitter::LengthsOf(const Meaning& tree, TextRange range,
                                  std::vector<Operand>& lengths) {
  for (uint32_t row = 0; row < tree.child_count; ++row) {
    const Meaning child = Children(tree)[row];
    if (child.kind == MeaningKind::kTree) {
      HANDRAIL_RETURN_IF_ERROR(LengthsOf(child, range, lengths));
      continue;
    }
    HANDRAIL_ASSIGN_OR_RETURN(const Operand length, LengthOf(child, range));
    lengths.push_back(length);
  }
  return {};
}

Result<Meaning> FunctionEmitter::ItemOf(const Meaning& iterable, TextRange range,
                                        const Operand& index) {
  switch (iterable.kind) {
    case MeaningKind::kValue: {
      const Operand& value = iterable.operand;
      if (IsTensor(value.type)) {
        HANDRAIL_ASSIGN_OR_RETURN(
            const Operand item,
            CallOperator("aten::select", range, {value, InsertInt(0, range), index}));
        return ValueMeaning(item);
      }
      HANDRAIL_ASSIGN_OR_RETURN(const Operand item,
                                CallOperator("aten::__getitem__", range, {value, index}));
      return ValueMeaning(item);
    }
    case MeaningKind::kRange: {
      if (iterable.has_only_end) return ValueMeaning(index);
      HANDRAIL_ASSIGN_OR_RETURN(
          const Operand item,
          CallOperator("aten::__derive_index", range,
                       {index, Children(iterable)[0].operand, Children(iterable)[2].operand}));
      return ValueMeaning(item);
    }
    case MeaningKind::kTree: {
      std::vector<Meaning> items;
      for (uint32_t row = 0; row < iterable.child_count; ++row) {
        const Meaning child = Children(iterable)[row];
        HANDRAIL_ASSIGN_OR_RETURN(const Meaning item, ItemOf(child, range, index));
        items.push_back(item);
      }
      return ListMeaning(MeaningKind::kSequence, items);
    }
    case MeaningKind::kSequence: {
      const ConstantId row = ConstantOf(index);
      return Children(iterable)[static_cast<size_t>(unit_.constants.int_value(row))];
    }
    default:
      return FailAt(range, "this cannot be iterated over");
  }
}

// What stands behind `*`, or is unpacked into `count` targets (nothing: into any number).
Result<std::vector<Meaning>> FunctionEmitter::ElementsOf(const Meaning& meaning, TextRange range,
                                                         std::optional<uint32_t> count) {
  std::vector<Meaning> elements;
  if (meaning.kind == MeaningKind::kSequence) {
    elements.assign(Children(meaning).begin(), Children(meaning).end());
    return elements;
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Operand operand, AsValue(meaning, range));
  if (unit_.types.is(operand.type, TypeKind::kTuple)) {
    for (const Operand& element : UnpackTuple(operand)) elements.push_back(ValueMeaning(element));
    return elements;
  }
  if (unit_.types.is(operand.type, TypeKind::kList)) {
    if (!count) return FailAt(range, "a list cannot be unpacked here: its length is not known");
    const NodeId node =
        InsertNode(symbols::kListUnpack, std::array{operand.value}, OriginTable::null_range());
    const TypeId type = unit_.types.element(operand.type);
    for (uint32_t row = 0; row < *count; ++row) {
      elements.push_back(ValueMeaning({graph_.AddOutput(node, type), type}));
    }
    return elements;
  }
  if (const auto submodules = SubmodulesOf(operand.type)) {
    const Meaning sequence = SubmoduleSequence(operand, *submodules);
    elements.assign(Children(sequence).begin(), Children(sequence).end());
    return elements;
  }
  return FailAt(range, fmt::format("a {} cannot be unpacked", Name(operand.type)));
}

}  // namespace handrail::graph
