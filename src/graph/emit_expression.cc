// The part of FunctionEmitter that is about expressions and names.
#include <array>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>

#include "graph/emit_function.h"
#include "script/literals.h"

namespace handrail::graph {

using script::NodeKind;
using script::Operator;

namespace {

struct BinaryRow {
  std::string_view symbol;
  std::string_view method;  // of objects; empty: they have none
};

BinaryRow RowOf(Operator op) {
  switch (op) {
    case Operator::kAdd:
      return {"aten::add", "__add__"};
    case Operator::kSub:
      return {"aten::sub", "__sub__"};
    case Operator::kMul:
      return {"aten::mul", "__mul__"};
    case Operator::kDiv:
      return {"aten::div", "__truediv__"};
    case Operator::kFloorDiv:
      return {"aten::floordiv", ""};
    case Operator::kMod:
      return {"aten::remainder", "__mod__"};
    case Operator::kMatMul:
      return {"aten::matmul", ""};
    case Operator::kPow:
      return {"aten::pow", "__pow__"};
    case Operator::kLt:
      return {"aten::lt", "__lt__"};
    case Operator::kGt:
      return {"aten::gt", "__gt__"};
    case Operator::kLe:
      return {"aten::le", "__le__"};
    case Operator::kGe:
      return {"aten::ge", "__ge__"};
    case Operator::kEq:
      return {"aten::eq", "__eq__"};
    case Operator::kNe:
      return {"aten::ne", "__ne__"};
    case Operator::kBitAnd:
      return {"aten::__and__", "__and__"};
    case Operator::kBitOr:
      return {"aten::__or__", "__or__"};
    case Operator::kBitXor:
      return {"aten::__xor__", "__xor__"};
    case Operator::kShiftLeft:
      return {"aten::__lshift__", "__lshift__"};
    case Operator::kShiftRight:
      return {"aten::__rshift__", "__rshift__"};
    case Operator::kIn:
      return {"aten::__contains__", "__contains__"};
    default:
      return {};
  }
}

// True of operators whose left side is compiled first, and only to a value.
bool IsPlainBinary(Operator op) {
  return !RowOf(op).symbol.empty() && op != Operator::kIn;
}

struct GlobalName {
  Meaning meaning;
  std::string_view symbol;
  std::string_view method;  // of objects
};

const std::unordered_map<std::string_view, GlobalName>& GlobalNames() {
  const auto form = [](SpecialForm which) {
    return GlobalName{
        .meaning = {.kind = MeaningKind::kSpecialForm, .form = which}, .symbol = {}, .method = {}};
  };
  const auto function = [](std::string_view symbol) {
    return GlobalName{.meaning = {.kind = MeaningKind::kOperator}, .symbol = symbol, .method = {}};
  };
  const auto magic = [](std::string_view symbol, std::string_view method) {
    return GlobalName{.meaning = {.kind = MeaningKind::kMagic}, .symbol = symbol, .method = method};
  };
  const auto cast = [](std::string_view symbol, std::string_view method, TypeId type) {
    return GlobalName{
        .meaning = {.kind = MeaningKind::kCast, .type = type}, .symbol = symbol, .method = method};
  };
  const auto plain = [](MeaningKind kind) {
    return GlobalName{.meaning = {.kind = kind}, .symbol = {}, .method = {}};
  };
  static const auto* const names = new std::unordered_map<std::string_view, GlobalName>{
      {"print", plain(MeaningKind::kPrint)},
      {"torch", plain(MeaningKind::kTorch)},
      {"ops", plain(MeaningKind::kOps)},
      {"CONSTANTS", plain(MeaningKind::kConstants)},
      {"annotate", form(SpecialForm::kAnnotate)},
      {"unchecked_cast", form(SpecialForm::kUncheckedCast)},
      {"uninitialized", form(SpecialForm::kUninitialized)},
      {"fork", form(SpecialForm::kFork)},
      {"wait", function("aten::wait")},
      {"isinstance", form(SpecialForm::kIsInstance)},
      {"hasattr", form(SpecialForm::kHasAttr)},
      {"getattr", form(SpecialForm::kGetAttr)},
      {"tuple", form(SpecialForm::kTuple)},
      {"list", form(SpecialForm::kList)},
      {"dict", form(SpecialForm::kDict)},
      {"range", form(SpecialForm::kRange)},
      {"enumerate", form(SpecialForm::kEnumerate)},
      {"zip", form(SpecialForm::kZip)},
      {"float", cast("aten::Float", "__float__", types::kFloat)},
      {"int", cast("aten::Int", "__int__", types::kInt)},
      {"bool", cast("aten::Bool", "__bool__", types::kBool)},
      {"str", cast("aten::str", "__str__", types::kString)},
      {"_to_tensor", cast("prim::NumToTensor", "", types::kTensor)},
      {"len", magic("aten::len", "__len__")},
      {"hex", magic("aten::hex", "__hex__")},
      {"oct", magic("aten::oct", "__oct__")},
      {"round", magic("aten::round", "__round__")},
      {"hash", function("aten::hash")},
      {"id", function("prim::id")},
      {"min", function("prim::min")},
      {"max", function("prim::max")},
      {"abs", function("prim::abs")},
      {"all", function("aten::all")},
      {"any", function("aten::any")},
      {"divmod", function("aten::divmod")},
      {"sum", function("aten::sum")},
      {"ord", function("aten::ord")},
      {"chr", function("aten::chr")},
      {"bin", function("aten::bin")},
      {"pow", function("aten::pow")},
      {"complex", function("aten::Complex")},
      {"rangelist", function("prim::rangelist")},
      {"sorted", function("aten::sorted")},
  };
  return *names;
}

constexpr std::string_view kExceptions[] = {
    "ArithmeticError", "AssertionError", "AttributeError",      "Exception",  "IndexError",
    "KeyError",        "LookupError",    "NotImplementedError", "OSError",    "OverflowError",
    "RuntimeError",    "StopIteration",  "TypeError",           "ValueError", "ZeroDivisionError",
};

}  // namespace

Result<Operand> FunctionEmitter::EmitExpression(SyntaxId expression, TypeId hint) {
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning meaning, EmitMeaning(expression, hint));
  HANDRAIL_ASSIGN_OR_RETURN(const Operand operand, AsValue(meaning, tree_.range(expression)));
  if (hint == types::kAny && operand.type != types::kAny) return InsertCast(operand, hint);
  return operand;
}

// Of `a.b(c)[d] + e` the innermost part that is compiled first is `a`, then `.b`, the call and so
// on: chains of any length are worked off by a loop. All else recurses.
Result<Meaning> FunctionEmitter::EmitMeaning(SyntaxId expression, TypeId hint) {
  HANDRAIL_RETURN_IF_ERROR(Descend(expression));
  const size_t base = spine_.size();
  SyntaxId inner = expression;
  while (true) {
    const SyntaxId next = InnerOf(inner);
    if (next.is_none()) break;
    spine_.push_back(inner);
    inner = next;
  }
  Result<Meaning> meaning = EmitLeaf(inner, inner == expression ? hint : TypeId::none());
  while (spine_.size() > base) {
    const SyntaxId outer = spine_.back();
    spine_.pop_back();
    if (!meaning) continue;
    meaning = EmitOuter(outer, *meaning, outer == expression ? hint : TypeId::none());
  }
  --depth_;
  return meaning;
}

// The part of an expression that is compiled first, if the rest only needs what it means.
script::SyntaxId FunctionEmitter::InnerOf(SyntaxId expression) const {
  switch (tree_.kind(expression)) {
    case NodeKind::kSelect:
    case NodeKind::kCall:
    case NodeKind::kSubscript:
      return tree_.children(expression)[0];
    case NodeKind::kBinary:
      return IsPlainBinary(tree_.at(expression).op) ? tree_.children(expression)[0]
                                                    : SyntaxId::none();
    default:
      return SyntaxId::none();
  }
}

Result<Meaning> FunctionEmitter::EmitOuter(SyntaxId expression, const Meaning& inner, TypeId hint) {
  switch (tree_.kind(expression)) {
    case NodeKind::kSelect:
      return EmitAttribute(inner, tree_.select(expression).name, tree_.range(expression));
    case NodeKind::kCall:
      return EmitApply(expression, inner, hint);
    case NodeKind::kSubscript:
      return EmitSubscript(expression, inner, hint);
    default: {
      HANDRAIL_ASSIGN_OR_RETURN(const Operand result, EmitBinary(expression, inner));
      return ValueMeaning(result);
    }
  }
}

Result<Meaning> FunctionEmitter::EmitLeaf(SyntaxId expression, TypeId hint) {
  if (tree_.kind(expression) == NodeKind::kName) {
    return MeaningOfName(tree_.text(expression), tree_.range(expression));
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Operand result, EmitSimple(expression, hint));
  return ValueMeaning(result);
}

Result<Operand> FunctionEmitter::EmitSimple(SyntaxId expression, TypeId hint) {
  const TextRange range = tree_.range(expression);
  switch (tree_.kind(expression)) {
    case NodeKind::kNumber:
      return EmitNumber(expression);
    case NodeKind::kTrue:
      return InsertConstant(unit_.constants.Bool(true), range);
    case NodeKind::kFalse:
      return InsertConstant(unit_.constants.Bool(false), range);
    case NodeKind::kNone:
      return InsertConstant(unit_.constants.None(), range);
    case NodeKind::kString:
      return InsertString(script::StringValue(tree_, expression), range);
    case NodeKind::kFormatString:
      return EmitFormatString(expression);
    case NodeKind::kList:
      return EmitList(expression, hint);
    case NodeKind::kTuple: {
      HANDRAIL_ASSIGN_OR_RETURN(const std::vector<Operand> elements,
                                EmitOperands(tree_.children(expression)));
      return InsertTuple(elements);
    }
    case NodeKind::kDict:
      return EmitDict(expression, hint);
    case NodeKind::kListComprehension: {
      const script::ComprehensionView view = tree_.comprehension(expression);
      return EmitListComprehension(
          range, [&](const Meaning& item) { return AssignTo(view.target, item, range, range); },
          [&] { return EmitExpression(view.element); }, [&] { return EmitMeaning(view.iterable); },
          expression, hint);
    }
    case NodeKind::kDictComprehension: {
      const script::ComprehensionView view = tree_.comprehension(expression);
      return EmitDictComprehension(
          range, [&](const Meaning& item) { return AssignTo(view.target, item, range, range); },
          [&] { return EmitExpression(view.key); }, [&] { return EmitExpression(view.element); },
          [&] { return EmitMeaning(view.iterable); }, expression, hint);
    }
    case NodeKind::kConditional:
      return EmitConditional(expression, hint);
    case NodeKind::kUnary:
      return EmitUnary(expression);
    case NodeKind::kBinary: {
      const Operator op = tree_.at(expression).op;
      if (op == Operator::kIn) return EmitIn(expression);
      HANDRAIL_ASSIGN_OR_RETURN(const Condition condition, EmitCondition(expression));
      return condition.value;
    }
    case NodeKind::kStarred:
      return FailAt(expression, "a starred expression cannot stand here");
    default:
      return FailAt(expression, "this cannot stand where a value is needed",
                    ErrorCode::kUnsupported);
  }
}

Result<Operand> FunctionEmitter::EmitBinary(SyntaxId expression, const Meaning& left_meaning) {
  const script::BinaryView view = tree_.binary(expression);
  const TextRange range = tree_.range(expression);
  HANDRAIL_ASSIGN_OR_RETURN(const Operand left, AsValue(left_meaning, tree_.range(view.left)));
  HANDRAIL_ASSIGN_OR_RETURN(const Operand right, EmitExpression(view.right));
  if (view.op == Operator::kMod && left.type == types::kString) {
    return CallOperator("aten::percentFormat", range, {left, right});
  }
  if (view.op == Operator::kAdd && unit_.types.is(left.type, TypeKind::kTuple) &&
      unit_.types.is(right.type, TypeKind::kTuple)) {
    std::vector<Operand> elements = UnpackTuple(left);
    const std::vector<Operand> more = UnpackTuple(right);
    elements.insert(elements.end(), more.begin(), more.end());
    return InsertTuple(elements);
  }
  const BinaryRow row = RowOf(view.op);
  if (row.method.empty()) return CallOperator(row.symbol, range, {left, right});
  return CallMagic(row.method, Intern(row.symbol), range, {left, right});
}

// `a in b` asks b.
Result<Operand> FunctionEmitter::EmitIn(SyntaxId expression) {
  const script::BinaryView view = tree_.binary(expression);
  HANDRAIL_ASSIGN_OR_RETURN(const Operand left, EmitExpression(view.left));
  HANDRAIL_ASSIGN_OR_RETURN(const Operand right, EmitExpression(view.right));
  const BinaryRow row = RowOf(view.op);
  return CallMagic(row.method, Intern(row.symbol), tree_.range(expression), {right, left});
}

Result<Operand> FunctionEmitter::EmitUnary(SyntaxId expression) {
  const script::UnaryView view = tree_.unary(expression);
  const TextRange range = tree_.range(expression);
  if (view.op == Operator::kNot) {
    HANDRAIL_ASSIGN_OR_RETURN(const Condition condition, EmitCondition(expression));
    return condition.value;
  }
  if (view.op == Operator::kStar) {
    return FailAt(expression, "a starred expression cannot stand here");
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Operand operand, EmitExpression(view.operand));
  const bool is_negation = view.op == Operator::kNegate;
  // The opposite of a number that is written there is a number, too.
  if (const ConstantId constant = ConstantOf(operand); is_negation && !constant.is_none()) {
    switch (unit_.constants.at(constant).kind) {
      case ConstantKind::kInt: {
        const int64_t value = unit_.constants.int_value(constant);
        if (value != std::numeric_limits<int64_t>::min()) return InsertInt(-value, range);
        break;
      }
      case ConstantKind::kFloat:
        return InsertConstant(unit_.constants.Float(-unit_.constants.float_value(constant)), range);
      case ConstantKind::kComplex:
        return InsertConstant(unit_.constants.Complex(-unit_.constants.complex_value(constant)),
                              range);
      default:
        break;
    }
  }
  return CallMagic(is_negation ? "__neg__" : "__invert__",
                   Intern(is_negation ? "aten::neg" : "aten::bitwise_not"), range, {operand});
}

Result<Operand> FunctionEmitter::AsValue(const Meaning& meaning, TextRange range) {
  switch (meaning.kind) {
    case MeaningKind::kValue:
      return meaning.operand;
    case MeaningKind::kNothing:
      return InsertConstant(unit_.constants.None(), range);
    case MeaningKind::kSequence: {
      std::vector<Operand> elements;
      for (uint32_t row = 0; row < meaning.child_count; ++row) {
        const Meaning child = children_[meaning.first_child + row];
        HANDRAIL_ASSIGN_OR_RETURN(const Operand element, AsValue(child, range));
        elements.push_back(element);
      }
      return InsertTuple(elements);
    }
    case MeaningKind::kFunction: {
      const StringId name = unit_.function(meaning.function).name;
      return InsertConstant(unit_.constants.Function(unit_.types.Function(name), name), range);
    }
    default:
      return FailAt(range, "this is no value");
  }
}

Result<Meaning> FunctionEmitter::MeaningOfName(std::string_view name, TextRange range) {
  const StringId id = Intern(name);
  if (const Scope::Variable* variable = scope_.Find(id)) {
    Meaning meaning = variable->meaning;
    if (meaning.kind == MeaningKind::kValue) meaning.operand.is_variable = true;
    return meaning;
  }
  if (const auto found = GlobalNames().find(name); found != GlobalNames().end()) {
    Meaning meaning = found->second.meaning;
    if (!found->second.symbol.empty()) meaning.symbol = Intern(found->second.symbol);
    if (!found->second.method.empty()) meaning.name = Intern(found->second.method);
    return meaning;
  }
  if (name == "inf" || name == "nan") {
    return ValueMeaning(InsertConstant(
        unit_.constants.Float(name == "inf" ? std::numeric_limits<double>::infinity()
                                            : std::numeric_limits<double>::quiet_NaN()),
        range));
  }
  if (name == "infj" || name == "nanj") {
    const double imaginary = name == "infj" ? std::numeric_limits<double>::infinity()
                                            : std::numeric_limits<double>::quiet_NaN();
    return ValueMeaning(InsertConstant(unit_.constants.Complex({0.0, imaginary}), range));
  }
  if (name == "__torch__") return Meaning{.kind = MeaningKind::kNamespace, .name = id};
  HANDRAIL_ASSIGN_OR_RETURN(const TypeId type, ResolveType(name, range));
  if (!type.is_none()) return MeaningOfType(type);
  HANDRAIL_ASSIGN_OR_RETURN(const FunctionId function, ResolveFunction(name, range));
  if (!function.is_none()) return Meaning{.kind = MeaningKind::kFunction, .function = function};
  for (const std::string_view exception : kExceptions) {
    if (exception == name) {
      return Meaning{.kind = MeaningKind::kException,
                     .name = Intern(fmt::format("builtins.{}", name))};
    }
  }
  const std::string_view reason = scope_.reason(id);
  return FailAt(range,
                fmt::format("undefined name '{}'{}{}", name, reason.empty() ? "" : ": ", reason));
}

}  // namespace handrail::graph
