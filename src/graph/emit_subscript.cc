// The part of FunctionEmitter that is about what stands in `[]` behind a value.
#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "graph/emit_function.h"
#include "graph/subtyping.h"

namespace handrail::graph {

using script::NodeKind;

// An index is compiled once. (PyTorch compiles it two or three times, so that `x[l.pop()]` pops two
// or three elements.)
Result<Meaning> FunctionEmitter::EmitSubscript(SyntaxId expression, const Meaning& meaning,
                                               TypeId hint) {
  const script::SubscriptView view = tree_.subscript(expression);
  const TextRange range = tree_.range(expression);
  const TextRange value_range = tree_.range(view.value);
  const bool is_single = view.indices.size() == 1;
  const bool is_slice = is_single && tree_.kind(view.indices[0]) == NodeKind::kSlice;
  if (meaning.kind == MeaningKind::kClass && unit_.types.is(meaning.type, TypeKind::kEnum) &&
      is_single && tree_.kind(view.indices[0]) == NodeKind::kString) {
    return FailAt(expression, "members of an enum are reached by a dot", ErrorCode::kUnsupported);
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Operand value, AsValue(meaning, value_range));
  if (const auto submodules = SubmodulesOf(value.type)) {
    return EmitSubmoduleSubscript(expression, value, *submodules);
  }
  const auto simple = [&](const Result<Operand>& result) -> Result<Meaning> {
    if (!result) return tl::unexpected<Error>(result.error());
    return ValueMeaning(*result);
  };
  if (IsTensor(value.type) && !is_slice) return simple(IndexTensor(range, value, view.indices));
  if (!is_single) {
    return FailAt(expression,
                  fmt::format("a {} cannot be indexed in several dimensions", Name(value.type)));
  }
  if (is_slice) {
    std::optional<Operand> dimension;
    if (IsTensor(value.type)) dimension = InsertInt(0, range);
    return simple(EmitSlice(range, value, dimension, view.indices[0]));
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Operand index, EmitExpression(view.indices[0]));
  switch (unit_.types.kind(value.type)) {
    case TypeKind::kTuple:
      return simple(EmitTupleIndex(range, value, index));
    case TypeKind::kList:
    case TypeKind::kString:
    case TypeKind::kDict:
      return simple(CallOperator("aten::__getitem__", range, {value, index}));
    case TypeKind::kClass: {
      static_cast<void>(hint);
      return CallMethod(value, Intern("__getitem__"), range, {{index, StringId::none()}});
    }
    default:
      return FailAt(expression, fmt::format("a {} cannot be indexed", Name(value.type)));
  }
}

// `self.layers[0]` and `self.layers[1:]`, by constants.
Result<Meaning> FunctionEmitter::EmitSubmoduleSubscript(SyntaxId expression,
                                                        const Operand& container,
                                                        const std::vector<StringId>& submodules) {
  const script::SubscriptView view = tree_.subscript(expression);
  const Definition& definition = *unit_.DefinitionOf(container.type);
  if (view.indices.size() == 1 && tree_.kind(view.indices[0]) == NodeKind::kSlice) {
    const Operand tuple = [&] {
      std::vector<Operand> elements;
      for (const Meaning& element : Children(SubmoduleSequence(container, submodules))) {
        elements.push_back(element.operand);
      }
      return InsertTuple(elements);
    }();
    HANDRAIL_ASSIGN_OR_RETURN(const Operand slice, EmitSlice(tree_.range(expression), tuple,
                                                             std::nullopt, view.indices[0]));
    return ValueMeaning(slice);
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Operand index, EmitExpression(view.indices[0]));
  const ConstantId constant = ConstantOf(index);
  StringId name;
  if (!constant.is_none() && index.type == types::kInt) {
    const int64_t count = static_cast<int64_t>(submodules.size());
    int64_t row = unit_.constants.int_value(constant);
    if (row < 0) row += count;
    if (row < 0 || row >= count) {
      return FailAt(expression, fmt::format("need an index into {} submodules, have {}", count,
                                            unit_.constants.int_value(constant)));
    }
    name = submodules[static_cast<size_t>(row)];
  } else if (!constant.is_none() && index.type == types::kString) {
    name = unit_.constants.name(constant);
  } else {
    return FailAt(expression, "submodules are indexed by literals only", ErrorCode::kUnsupported);
  }
  const auto row = definition.FindAttribute(name);
  if (!row) {
    return FailAt(expression, fmt::format("there is no submodule '{}'", unit_.text(name)));
  }
  return ValueMeaning(InsertGetAttribute(container, name, definition.attributes[*row].type));
}

// Ints, slices and None act on one dimension after the other, from the left up to an ellipsis and
// from the right down to it; tensors are left for aten::index.
Result<FunctionEmitter::Indexed> FunctionEmitter::IndexByPosition(TextRange range, Operand value,
                                                                  SyntaxIds indices) {
  struct Part {
    int64_t dimension = 0;
    std::optional<Operand> index;  // nothing: a slice or the ellipsis
  };
  std::vector<Part> parts(indices.size());
  // What the next dimension is behind this index.
  const auto place = [&](size_t row, int64_t dimension, bool is_reverse) -> Result<int64_t> {
    Part& part = parts[row];
    part.dimension = dimension;
    const int64_t step = is_reverse ? -1 : 1;
    if (tree_.kind(indices[row]) == NodeKind::kSlice) return dimension + step;
    HANDRAIL_ASSIGN_OR_RETURN(Operand index, EmitExpression(indices[row]));
    if (unit_.types.is(index.type, TypeKind::kList)) {
      const Operand dtype = InsertInt(4, range);
      HANDRAIL_ASSIGN_OR_RETURN(
          index, CallOperator(Intern("aten::tensor"), range,
                              {{index, StringId::none()}, {dtype, Intern("dtype")}}, false));
    }
    part.index = index;
    if (IsSubtypeOf(index.type, types::kNone)) return is_reverse ? dimension : dimension + 1;
    if (index.type == types::kInt) return is_reverse ? dimension - 1 : dimension;
    if (IsSubtypeOf(index.type, unit_.types.Optional(types::kTensor))) {
      if (!is_reverse) return dimension + 1;
      return FailAt(indices[row], "a tensor as an index behind '...' is not supported",
                    ErrorCode::kUnsupported);
    }
    return FailAt(indices[row], fmt::format("need an int, a slice, a list, a tensor or None as "
                                            "the index of a tensor, have a {}",
                                            Name(index.type)));
  };
  size_t dots = 0;
  int64_t dimension = 0;
  for (; dots < indices.size() && tree_.kind(indices[dots]) != NodeKind::kDots; ++dots) {
    HANDRAIL_ASSIGN_OR_RETURN(dimension, place(dots, dimension, false));
  }
  int64_t reverse_dimension = -1;
  for (size_t row = indices.size(); row-- > dots + 1;) {
    if (tree_.kind(indices[row]) == NodeKind::kDots) {
      return FailAt(indices[row], "need at most one '...'");
    }
    HANDRAIL_ASSIGN_OR_RETURN(reverse_dimension, place(row, reverse_dimension, true));
  }
  Indexed result{value, {}};
  for (size_t row = 0; row < indices.size(); ++row) {
    const Part& part = parts[row];
    const auto at = [&] { return InsertInt(part.dimension, range); };
    if (!part.index) {
      if (tree_.kind(indices[row]) != NodeKind::kSlice) continue;
      HANDRAIL_ASSIGN_OR_RETURN(result.value, EmitSlice(range, result.value, at(), indices[row]));
    } else if (IsSubtypeOf(part.index->type, types::kNone)) {
      HANDRAIL_ASSIGN_OR_RETURN(result.value,
                                CallOperator("aten::unsqueeze", range, {result.value, at()}));
    } else if (part.index->type == types::kInt) {
      HANDRAIL_ASSIGN_OR_RETURN(
          result.value, CallOperator("aten::select", range, {result.value, at(), *part.index}));
    } else {
      result.rest.resize(static_cast<size_t>(part.dimension) + 1);
      result.rest[static_cast<size_t>(part.dimension)] = part.index;
    }
  }
  return result;
}

Operand FunctionEmitter::MakeIndexList(const std::vector<std::optional<Operand>>& indices,
                                       TextRange range) {
  std::vector<Operand> elements;
  elements.reserve(indices.size());
  for (const std::optional<Operand>& index : indices) {
    elements.push_back(index ? *index : InsertConstant(unit_.constants.None(), range));
  }
  return InsertList(unit_.types.Optional(types::kTensor), elements);
}

Result<Operand> FunctionEmitter::IndexTensor(TextRange range, const Operand& value,
                                             SyntaxIds indices) {
  HANDRAIL_ASSIGN_OR_RETURN(const Indexed indexed, IndexByPosition(range, value, indices));
  if (indexed.rest.empty()) return indexed.value;
  return CallOperator("aten::index", range, {indexed.value, MakeIndexList(indexed.rest, range)});
}

Result<Operand> FunctionEmitter::EmitSlice(TextRange range, const Operand& value,
                                           std::optional<Operand> dimension, SyntaxId slice) {
  const script::SliceView view = tree_.slice(slice);
  std::optional<Operand> bounds[3];
  const SyntaxId parts[] = {view.start, view.stop, view.step};
  for (size_t row = 0; row < 3; ++row) {
    if (parts[row].is_none()) continue;
    HANDRAIL_ASSIGN_OR_RETURN(bounds[row], EmitExpression(parts[row]));
  }
  if (unit_.types.is(value.type, TypeKind::kTuple)) return EmitTupleSlice(range, value, bounds);
  Arguments arguments{{value, StringId::none()}};
  if (dimension) arguments.push_back({*dimension, StringId::none()});
  for (size_t row = 0; row < 2; ++row) {
    arguments.push_back({bounds[row] ? *bounds[row] : InsertConstant(unit_.constants.None(), range),
                         StringId::none()});
  }
  arguments.push_back({bounds[2] ? *bounds[2] : InsertInt(1, range), StringId::none()});
  return CallOperator(Intern("aten::slice"), range, arguments, false);
}

Result<Operand> FunctionEmitter::EmitTupleIndex(TextRange range, const Operand& tuple,
                                                const Operand& index) {
  if (index.type != types::kInt) {
    return FailAt(range,
                  fmt::format("need an int as the index of a tuple, have a {}", Name(index.type)));
  }
  const std::span<const TypeId> elements = unit_.types.elements(tuple.type);
  const int64_t count = static_cast<int64_t>(elements.size());
  const ConstantId constant = ConstantOf(index);
  TypeId type;
  if (constant.is_none()) {
    const bool is_alike =
        count > 0 && std::all_of(elements.begin(), elements.end(),
                                 [&](TypeId element) { return IsSubtypeOf(element, elements[0]); });
    if (!is_alike) {
      return FailAt(range, fmt::format("need a literal as the index of a {}, whose elements differ",
                                       Name(tuple.type)));
    }
    type = elements[0];
  } else {
    const int64_t wanted = unit_.constants.int_value(constant);
    const int64_t row = wanted < 0 ? wanted + count : wanted;
    if (row < 0 || row >= count) {
      return FailAt(range, fmt::format("need an index into {} elements, have {}", count, wanted));
    }
    type = elements[static_cast<size_t>(row)];
  }
  return InsertValue(symbols::kTupleIndex, std::array{tuple.value, index.value}, type,
                     OriginTable::null_range());
}

// As Python cuts: prim::TupleSlice for steps of 1, else the elements picked one by one.
Result<Operand> FunctionEmitter::EmitTupleSlice(TextRange range, const Operand& tuple,
                                                const std::optional<Operand> (&bounds)[3]) {
  const std::vector<TypeId> elements(unit_.types.elements(tuple.type).begin(),
                                     unit_.types.elements(tuple.type).end());
  const int64_t count = static_cast<int64_t>(elements.size());
  std::optional<int64_t> numbers[3];
  for (size_t row = 0; row < 3; ++row) {
    if (!bounds[row]) continue;
    if (bounds[row]->type == types::kNone) continue;
    const ConstantId constant = ConstantOf(*bounds[row]);
    if (constant.is_none() || bounds[row]->type != types::kInt) {
      return FailAt(range, "need int literals as the bounds of a tuple's slice");
    }
    numbers[row] = unit_.constants.int_value(constant);
  }
  const int64_t step = numbers[2].value_or(1);
  if (step == 0) return FailAt(range, "need a step of a slice that is not 0");
  const auto bound = [&](std::optional<int64_t> number, int64_t absent) {
    if (!number) return absent;
    const int64_t least = step > 0 ? 0 : -1;
    const int64_t most = step > 0 ? count : count - 1;
    return std::clamp(*number < 0 ? *number + count : *number, least, most);
  };
  const int64_t start = bound(numbers[0], step > 0 ? 0 : count - 1);
  const int64_t stop = bound(numbers[1], step > 0 ? count : -1);
  std::vector<TypeId> chosen;
  std::vector<int64_t> rows;
  for (int64_t row = start; step > 0 ? row < stop : row > stop; row += step) {
    chosen.push_back(elements[static_cast<size_t>(row)]);
    rows.push_back(row);
    if (step > count || -step > count) break;
  }
  if (step == 1) {
    const Operand result = InsertValue(symbols::kTupleSlice, std::array{tuple.value},
                                       unit_.types.Tuple(chosen), OriginTable::null_range());
    const NodeId node = graph_.producer(result.value);
    graph_.AddAttribute(node, symbols::kAttributeBegin, unit_.constants.Int(start));
    graph_.AddAttribute(node, symbols::kAttributeEnd, unit_.constants.Int(std::max(start, stop)));
    return result;
  }
  std::vector<Operand> picked;
  for (size_t row = 0; row < rows.size(); ++row) {
    const Operand index = InsertInt(rows[row], range);
    picked.push_back(InsertValue(symbols::kTupleIndex, std::array{tuple.value, index.value},
                                 chosen[row], OriginTable::null_range()));
  }
  return InsertTuple(picked);
}

// Into a tensor the value is copied; a number becomes a tensor of its kind first.
Status FunctionEmitter::AssignToSubscript(SyntaxId target, const Operand& value, TextRange range) {
  const script::SubscriptView view = tree_.subscript(target);
  HANDRAIL_ASSIGN_OR_RETURN(const Operand container, EmitExpression(view.value));
  if (IsTensor(container.type)) {
    HANDRAIL_ASSIGN_OR_RETURN(const Indexed indexed,
                              IndexByPosition(tree_.range(target), container, view.indices));
    Operand tensor = value;
    if (value.type == types::kNumber || value.type == types::kInt || value.type == types::kBool ||
        value.type == types::kFloat || value.type == types::kComplex) {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand dtype,
                                CallOperator("prim::dtype", range, {indexed.value}));
      HANDRAIL_ASSIGN_OR_RETURN(const Operand device,
                                CallOperator("prim::device", range, {indexed.value}));
      HANDRAIL_ASSIGN_OR_RETURN(tensor, CallOperator(Intern("aten::tensor"), range,
                                                     {{value, StringId::none()},
                                                      {dtype, Intern("dtype")},
                                                      {device, Intern("device")}},
                                                     false));
    }
    Result<Operand> result =
        indexed.rest.empty()
            ? CallOperator("aten::copy_", range, {indexed.value, tensor})
            : CallOperator("aten::index_put_", range,
                           {indexed.value, MakeIndexList(indexed.rest, range), tensor});
    if (!result) return tl::unexpected<Error>(std::move(result).error());
    return {};
  }
  if (view.indices.size() != 1 || tree_.kind(view.indices[0]) == NodeKind::kSlice) {
    return FailAt(target,
                  fmt::format("a slice of a {} cannot be assigned to", Name(container.type)),
                  ErrorCode::kUnsupported);
  }
  if (unit_.types.is(container.type, TypeKind::kTuple)) {
    return FailAt(target, "the elements of a tuple cannot be assigned to");
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Operand index, EmitExpression(view.indices[0]));
  HANDRAIL_ASSIGN_OR_RETURN(
      const Operand result,
      CallMagic("__setitem__", Intern("aten::_set_item"), range, {container, index, value}));
  static_cast<void>(result);
  return {};
}

}  // namespace handrail::graph
