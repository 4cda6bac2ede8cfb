// The part of FunctionEmitter that is about calls whose arguments are not evaluated as those of
// functions are.
#include <array>
#include <limits>

#include <fmt/format.h>

#include "graph/emit_function.h"
#include "script/literals.h"

namespace handrail::graph {

using script::NodeKind;

Status FunctionEmitter::ExpectArguments(SyntaxId call, std::string_view name, uint32_t least,
                                        uint32_t most) const {
  const script::CallView view = tree_.call(call);
  if (view.arguments.size() >= least && view.arguments.size() <= most && view.keywords.empty()) {
    return {};
  }
  return FailAt(call, fmt::format("need {}{} arguments of {}, and no keywords", least,
                                  least == most ? "" : fmt::format(" to {}", most), name));
}

Result<Meaning> FunctionEmitter::EmitSpecialForm(SyntaxId call, const Meaning& callee,
                                                 TypeId hint) {
  const script::CallView view = tree_.call(call);
  const TextRange range = tree_.range(call);
  const auto condition_value = [&](const Result<Condition>& condition) -> Result<Meaning> {
    if (!condition) return tl::unexpected<Error>(condition.error());
    return ValueMeaning(condition->value);
  };
  switch (callee.form) {
    case SpecialForm::kAnnotate:
      return EmitAnnotate(call);
    case SpecialForm::kUncheckedCast: {
      HANDRAIL_RETURN_IF_ERROR(ExpectArguments(call, "unchecked_cast", 2, 2));
      HANDRAIL_ASSIGN_OR_RETURN(const TypeId type, ReadType(unit_, text_, view.arguments[0]));
      HANDRAIL_ASSIGN_OR_RETURN(const Operand operand, EmitExpression(view.arguments[1]));
      const bool is_cast_already =
          !operand.is_variable && operand.type == type &&
          graph_.kind(graph_.producer(operand.value)) == symbols::kUncheckedCast;
      return ValueMeaning(is_cast_already ? operand : InsertCast(operand, type));
    }
    case SpecialForm::kUninitialized: {
      HANDRAIL_RETURN_IF_ERROR(ExpectArguments(call, "uninitialized", 1, 1));
      HANDRAIL_ASSIGN_OR_RETURN(const TypeId type, ReadType(unit_, text_, view.arguments[0]));
      return ValueMeaning(InsertUninitialized(type, RangeOf(range)));
    }
    case SpecialForm::kFork:
      return EmitFork(call);
    case SpecialForm::kIsInstance:
      HANDRAIL_RETURN_IF_ERROR(ExpectArguments(call, "isinstance", 2, 2));
      return condition_value(EmitIsInstance(view.arguments[0], view.arguments[1]));
    case SpecialForm::kHasAttr:
      HANDRAIL_RETURN_IF_ERROR(ExpectArguments(call, "hasattr", 2, 2));
      return condition_value(EmitHasAttribute(view.arguments[0], view.arguments[1]));
    case SpecialForm::kGetAttr:
      return EmitGetAttr(call);
    case SpecialForm::kTuple: {
      HANDRAIL_RETURN_IF_ERROR(ExpectArguments(call, "tuple", 1, 1));
      HANDRAIL_ASSIGN_OR_RETURN(const Meaning meaning, EmitMeaning(view.arguments[0]));
      HANDRAIL_ASSIGN_OR_RETURN(const std::vector<Meaning> elements,
                                ElementsOf(meaning, range, std::nullopt));
      std::vector<Operand> operands;
      for (const Meaning& element : elements) {
        HANDRAIL_ASSIGN_OR_RETURN(const Operand operand, AsValue(element, range));
        operands.push_back(operand);
      }
      return ValueMeaning(InsertTuple(operands));
    }
    case SpecialForm::kList:
      return EmitListCall(call, hint);
    case SpecialForm::kDict:
      return EmitDictCall(call, hint);
    case SpecialForm::kRange: {
      HANDRAIL_ASSIGN_OR_RETURN(const std::vector<Operand> inputs, EmitOperands(view.arguments));
      return MakeRange(range, inputs);
    }
    case SpecialForm::kEnumerate:
      return EmitEnumerate(call);
    case SpecialForm::kZip: {
      if (view.arguments.empty()) return FailAt(call, "need at least 1 argument of zip, have none");
      std::vector<Meaning> children;
      for (const SyntaxId argument : view.arguments) {
        HANDRAIL_ASSIGN_OR_RETURN(const Meaning meaning, EmitMeaning(argument));
        HANDRAIL_ASSIGN_OR_RETURN(const Meaning iterable, IterableOf(meaning, range));
        children.push_back(iterable);
      }
      return MakeTree(range, children);
    }
    case SpecialForm::kToList:
      if (hint.is_none()) return FailAt(call, "need an annotation of the type that tolist gives");
      return EmitToList(callee.operand, hint, range);
    case SpecialForm::kNewObject:
      HANDRAIL_RETURN_IF_ERROR(ExpectArguments(call, "__new__", 1, 1));
      return ValueMeaning(InsertValue(symbols::kCreateObject, {}, callee.type, RangeOf(range)));
  }
  return FailAt(call, "this call is not supported", ErrorCode::kUnsupported);
}

Result<Meaning> FunctionEmitter::EmitAnnotate(SyntaxId call) {
  HANDRAIL_RETURN_IF_ERROR(ExpectArguments(call, "annotate", 2, 2));
  const script::CallView view = tree_.call(call);
  const TextRange range = tree_.range(call);
  HANDRAIL_ASSIGN_OR_RETURN(const TypeId type, ReadType(unit_, text_, view.arguments[0]));
  HANDRAIL_ASSIGN_OR_RETURN(const Operand value, EmitExpression(view.arguments[1], type));
  HANDRAIL_ASSIGN_OR_RETURN(const Operand converted, Convert(range, value, type));
  if (!IsSubtypeOf(converted.type, type)) {
    return FailAt(call, fmt::format("need a {}, have a {}", Name(type), Name(converted.type)));
  }
  // None remembers what it could be.
  if (converted.type == types::kNone && !WithoutNone(type).is_none()) {
    return ValueMeaning(InsertNone(type, range));
  }
  return ValueMeaning(converted);
}

// The data, the number of dimensions and the kind of the elements.
Result<Meaning> FunctionEmitter::EmitToList(const Operand& tensor, TypeId type, TextRange range) {
  int64_t dimensions = 0;
  TypeId element = type;
  while (unit_.types.is(element, TypeKind::kList)) {
    ++dimensions;
    element = unit_.types.element(element);
  }
  int64_t kind = 0;
  if (element == types::kFloat) {
    kind = 1;
  } else if (element == types::kComplex) {
    kind = 3;
  } else if (element == types::kBool) {
    kind = 2;
  } else if (element != types::kInt) {
    return FailAt(range,
                  fmt::format("need a list of int, float, complex or bool, have a {}", Name(type)));
  }
  const ValueId inputs[] = {tensor.value, InsertInt(dimensions, range).value,
                            InsertInt(kind, range).value};
  return ValueMeaning(InsertValue(symbols::kToList, inputs, type, OriginTable::null_range()));
}

Result<Meaning> FunctionEmitter::EmitGetAttr(SyntaxId call) {
  HANDRAIL_RETURN_IF_ERROR(ExpectArguments(call, "getattr", 2, 3));
  const script::CallView view = tree_.call(call);
  const TextRange range = tree_.range(call);
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning object, EmitMeaning(view.arguments[0]));
  if (tree_.kind(view.arguments[1]) != NodeKind::kString) {
    return FailAt(view.arguments[1], "need a string literal as getattr's second argument");
  }
  const std::string name = script::StringValue(tree_, view.arguments[1]);
  if (view.arguments.size() == 3) {
    HANDRAIL_ASSIGN_OR_RETURN(const bool has, HasAttributeNamed(object, name, range));
    if (!has) return EmitMeaning(view.arguments[2]);
  }
  return EmitAttribute(object, name, range);
}

Result<Meaning> FunctionEmitter::EmitEnumerate(SyntaxId call) {
  const script::CallView view = tree_.call(call);
  const TextRange range = tree_.range(call);
  if (view.arguments.empty() || view.arguments.size() + view.keywords.size() > 2) {
    return FailAt(call, "need 1 or 2 arguments of enumerate");
  }
  std::vector<Operand> bounds;
  if (view.arguments.size() == 2) {
    HANDRAIL_ASSIGN_OR_RETURN(const Operand start, EmitExpression(view.arguments[1]));
    bounds.push_back(start);
  } else if (!view.keywords.empty()) {
    const script::KeywordView keyword = tree_.keyword(view.keywords[0]);
    if (keyword.name != "start") {
      return FailAt(view.keywords[0], "need 'start' as enumerate's keyword");
    }
    HANDRAIL_ASSIGN_OR_RETURN(const Operand start, EmitExpression(keyword.value));
    bounds.push_back(start);
  }
  bounds.push_back(InsertInt(std::numeric_limits<int64_t>::max(), range));
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning source, EmitMeaning(view.arguments[0]));
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning iterable, IterableOf(source, range));
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning numbers,
                            MakeRange(range, bounds, StaticLength(iterable)));
  const Meaning children[] = {numbers, iterable};
  return MakeTree(range, children);
}

// list(x) is aten::list of a list or string, and `[element for element in x]` of all else.
Result<Meaning> FunctionEmitter::EmitListCall(SyntaxId call, TypeId hint) {
  const script::CallView view = tree_.call(call);
  const TextRange range = tree_.range(call);
  if (view.arguments.empty()) {
    const TypeId list = HintOfKind(hint, TypeKind::kList);
    return ValueMeaning(
        InsertList(list.is_none() ? types::kTensor : unit_.types.element(list), {}));
  }
  HANDRAIL_RETURN_IF_ERROR(ExpectArguments(call, "list", 1, 1));
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning source, EmitMeaning(view.arguments[0]));
  if (source.kind == MeaningKind::kValue) {
    const TypeKind kind = unit_.types.kind(source.operand.type);
    if (kind == TypeKind::kList || kind == TypeKind::kString) {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand result,
                                CallOperator("aten::list", range, {source.operand}));
      return ValueMeaning(result);
    }
  }
  Meaning element;
  HANDRAIL_ASSIGN_OR_RETURN(const Operand result,
                            EmitListComprehension(
                                range,
                                [&](const Meaning& item) {
                                  element = item;
                                  return Status();
                                },
                                [&] { return AsValue(element, range); },
                                [&]() -> Result<Meaning> { return source; }, call, hint));
  return ValueMeaning(result);
}

// dict(x) is aten::dict of a dict, and `{key: value for key, value in x}` of all else; keywords are
// added to either.
Result<Meaning> FunctionEmitter::EmitDictCall(SyntaxId call, TypeId hint) {
  const script::CallView view = tree_.call(call);
  const TextRange range = tree_.range(call);
  if (view.arguments.size() > 1) return FailAt(call, "need at most 1 argument of dict");
  std::optional<Meaning> source;
  if (!view.arguments.empty()) {
    HANDRAIL_ASSIGN_OR_RETURN(source, EmitMeaning(view.arguments[0]));
    if (source->kind == MeaningKind::kValue && IsEmptyListLiteral(source->operand)) source.reset();
  }
  if (source && source->kind == MeaningKind::kValue &&
      unit_.types.is(source->operand.type, TypeKind::kDict)) {
    HANDRAIL_ASSIGN_OR_RETURN(const Operand dict,
                              CallOperator("aten::dict", range, {source->operand}));
    HANDRAIL_RETURN_IF_ERROR(AddKeywords(call, dict));
    return ValueMeaning(dict);
  }
  const TypeId type = HintOfKind(hint, TypeKind::kDict);
  if (!source && view.keywords.empty()) {
    return ValueMeaning(
        InsertValue(symbols::kDictConstruct, {},
                    type.is_none() ? unit_.types.Dict(types::kString, types::kTensor) : type,
                    OriginTable::null_range()));
  }
  if (!source) {
    // PyTorch makes a list of pairs of the keywords, and a dict of the list.
    std::vector<Operand> pairs;
    for (const SyntaxId keyword : view.keywords) {
      const script::KeywordView pair = tree_.keyword(keyword);
      const Operand key = InsertString(pair.name, range);
      HANDRAIL_ASSIGN_OR_RETURN(const Operand value, EmitExpression(pair.value));
      pairs.push_back(InsertTuple(std::array{key, value}));
    }
    source = ValueMeaning(InsertList(pairs[0].type, pairs));
  }
  Meaning key;
  Meaning value;
  HANDRAIL_ASSIGN_OR_RETURN(
      const Operand dict,
      EmitDictComprehension(
          range,
          [&](const Meaning& item) -> Status {
            HANDRAIL_ASSIGN_OR_RETURN(const std::vector<Meaning> pair, ElementsOf(item, range, 2));
            if (pair.size() != 2) return FailAt(range, "need pairs to make a dict of");
            key = pair[0];
            value = pair[1];
            return {};
          },
          [&] { return AsValue(key, range); }, [&] { return AsValue(value, range); },
          [&]() -> Result<Meaning> { return *source; }, call, hint));
  if (!view.arguments.empty()) HANDRAIL_RETURN_IF_ERROR(AddKeywords(call, dict));
  return ValueMeaning(dict);
}

Status FunctionEmitter::AddKeywords(SyntaxId call, const Operand& dict) {
  for (const SyntaxId keyword : tree_.call(call).keywords) {
    const script::KeywordView pair = tree_.keyword(keyword);
    const Operand key = InsertString(pair.name, tree_.range(keyword));
    HANDRAIL_ASSIGN_OR_RETURN(const Operand value, EmitExpression(pair.value));
    HANDRAIL_ASSIGN_OR_RETURN(
        const Operand result,
        CallOperator("aten::_set_item", tree_.range(keyword), {dict, key, value}));
    static_cast<void>(result);
  }
  return {};
}

}  // namespace handrail::graph
