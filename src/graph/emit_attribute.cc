// The part of FunctionEmitter that is about names behind a dot.
#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "graph/emit_function.h"
#include "graph/operators.h"
#include "graph/subtyping.h"

namespace handrail::graph {
namespace {

struct Cast {
  std::string_view name;
  int64_t type_code;  // c10::ScalarType
};
constexpr Cast kTensorCasts[] = {
    {"byte", 0}, {"char", 1},  {"short", 2},  {"int", 3},    {"long", 4},
    {"half", 5}, {"float", 6}, {"double", 7}, {"cfloat", 9}, {"cdouble", 10},
};

// What is written without parentheses, and is an operator.
constexpr std::string_view kTensorProperties[] = {
    "aten::imag",
    "aten::is_leaf",
    "aten::mH",
    "aten::mT",
    "aten::real",
    "aten::retains_grad",
    "prim::H",
    "prim::T",
    "prim::data",
    "prim::device",
    "prim::dtype",
    "prim::grad",
    "prim::is_cpu",
    "prim::is_cuda",
    "prim::is_ipu",
    "prim::is_meta",
    "prim::is_mkldnn",
    "prim::is_mps",
    "prim::is_nested",
    "prim::is_ort",
    "prim::is_quantized",
    "prim::is_sparse",
    "prim::is_sparse_csr",
    "prim::is_vulkan",
    "prim::is_xpu",
    "prim::layout",
    "prim::name",
    "prim::ndim",
    "prim::requires_grad",
    "prim::shape",
};
constexpr std::string_view kDeviceProperties[] = {"prim::index", "prim::type"};

struct TorchNumber {
  std::string_view name;
  int64_t value;
};
constexpr TorchNumber kTorchNumbers[] = {
#define HANDRAIL_TORCH_NUMBER(name, value) {name, value},
#include "graph/torch_numbers.def"
};

std::string_view PropertyNamed(std::span<const std::string_view> properties,
                               std::string_view name) {
  for (const std::string_view property : properties) {
    if (property.substr(6) == name) return property;
  }
  return {};
}

}  // namespace

Result<const Definition*> FunctionEmitter::DefinitionOf(TypeId type, TextRange range) {
  const DefinitionId id = unit_.types.at(type).definition;
  if (id.is_none()) {
    return FailAt(range, fmt::format("a {} has no attributes or methods", Name(type)));
  }
  HANDRAIL_RETURN_IF_ERROR(text_.resolver.Complete(id));
  return &unit_.definition(id);
}

Operand FunctionEmitter::InsertGetAttribute(const Operand& object, StringId name, TypeId type) {
  const Operand result =
      InsertValue(symbols::kGetAttr, std::array{object.value}, type, OriginTable::null_range());
  graph_.AddAttribute(graph_.producer(result.value), symbols::kAttributeName, name);
  return result;
}

Result<Meaning> FunctionEmitter::EmitAttribute(const Meaning& meaning, std::string_view name,
                                               TextRange range) {
  switch (meaning.kind) {
    case MeaningKind::kValue:
      return AttributeOfValue(meaning.operand, name, range);
    case MeaningKind::kTorch:
      return MemberOfTorch(meaning, name, range);
    case MeaningKind::kOps:
      return Meaning{.kind = MeaningKind::kTorch, .name = Intern(name)};
    case MeaningKind::kConstants: {
      uint64_t row = 0;
      bool is_number = name.size() > 1 && name.size() < 11 && name[0] == 'c';
      for (const char c : name.substr(std::min<size_t>(1, name.size()))) {
        is_number &= c >= '0' && c <= '9';
        row = row * 10 + static_cast<uint64_t>(c - '0');
      }
      if (!is_number || row > std::numeric_limits<uint32_t>::max()) {
        return FailAt(range, fmt::format("need a constant such as 'c0', have '{}'", name));
      }
      HANDRAIL_ASSIGN_OR_RETURN(const ConstantId constant,
                                text_.resolver.ResolveConstant(static_cast<uint32_t>(row)));
      return ValueMeaning(InsertConstant(constant, range));
    }
    case MeaningKind::kNamespace:
      return MeaningOfPath(fmt::format("{}.{}", unit_.text(meaning.name), name), range);
    case MeaningKind::kClass: {
      if (unit_.types.is(meaning.type, TypeKind::kEnum)) {
        return MemberOfEnum(meaning.type, name, range);
      }
      if (name == "__new__") {
        return Meaning{.kind = MeaningKind::kSpecialForm,
                       .form = SpecialForm::kNewObject,
                       .type = meaning.type};
      }
      // Hooks are called as functions of their class.
      HANDRAIL_ASSIGN_OR_RETURN(const Definition* definition, DefinitionOf(meaning.type, range));
      for (const auto* hooks : {&definition->forward_hooks, &definition->forward_pre_hooks}) {
        for (const FunctionId hook : *hooks) {
          if (LastAtom(unit_.text(unit_.function(hook).name)) == name) {
            return Meaning{.kind = MeaningKind::kFunction, .function = hook};
          }
        }
      }
      break;
    }
    default:
      break;
  }
  return FailAt(range, fmt::format("there is no attribute '{}' here", name));
}

Result<Meaning> FunctionEmitter::MemberOfTorch(const Meaning& meaning, std::string_view name,
                                               TextRange range) {
  const bool is_torch = meaning.name.is_none();
  if (is_torch) {
    // `torch.jit.annotate` and so on.
    if (name == "jit" || name == "autograd") return meaning;
    if (name == "annotate" || name == "fork" || name == "isinstance" || name == "inf" ||
        name == "nan") {
      return MeaningOfName(name, range);
    }
    for (const TorchNumber& number : kTorchNumbers) {
      if (number.name == name) return ValueMeaning(InsertInt(number.value, range));
    }
  }
  const std::string_view names_space = is_torch ? "aten" : unit_.text(meaning.name);
  return Meaning{.kind = MeaningKind::kOperator,
                 .symbol = Intern(fmt::format("{}::{}", names_space, name))};
}

// `path` starts at a root of the resolver's names: `__torch__.a.M`.
Result<Meaning> FunctionEmitter::MeaningOfPath(std::string_view path, TextRange range) {
  HANDRAIL_ASSIGN_OR_RETURN(const TypeId type, ResolveType(path, range));
  if (!type.is_none()) return MeaningOfType(type);
  HANDRAIL_ASSIGN_OR_RETURN(const FunctionId function, ResolveFunction(path, range));
  if (!function.is_none()) return Meaning{.kind = MeaningKind::kFunction, .function = function};
  return Meaning{.kind = MeaningKind::kNamespace, .name = Intern(path)};
}

Meaning FunctionEmitter::MeaningOfType(TypeId type) const {
  return {.kind = unit_.types.is(type, TypeKind::kTuple) ? MeaningKind::kNamedTuple
                                                         : MeaningKind::kClass,
          .type = type};
}

Result<TypeId> FunctionEmitter::ResolveType(std::string_view path, TextRange range) {
  Result<TypeId> type = text_.resolver.ResolveType(path);
  if (!type) return FailAt(range, type.error().message, type.error().code);
  return type;
}

Result<FunctionId> FunctionEmitter::ResolveFunction(std::string_view path, TextRange range) {
  Result<FunctionId> function = text_.resolver.ResolveFunction(path);
  if (!function) return FailAt(range, function.error().message, function.error().code);
  return function;
}

Result<Meaning> FunctionEmitter::MemberOfEnum(TypeId type, std::string_view name, TextRange range) {
  HANDRAIL_ASSIGN_OR_RETURN(const Definition* definition, DefinitionOf(type, range));
  const StringId member = Intern(name);
  if (!definition->FindConstant(member)) {
    return FailAt(range, fmt::format("{} has no member '{}'", Name(type), name));
  }
  return ValueMeaning(InsertConstant(unit_.constants.Enum(type, member), range));
}

Result<Meaning> FunctionEmitter::AttributeOfValue(const Operand& value, std::string_view name,
                                                  TextRange range) {
  const TypeKind kind = unit_.types.kind(value.type);
  const auto property = [&](std::string_view symbol) -> Result<Meaning> {
    HANDRAIL_ASSIGN_OR_RETURN(const Operand result, CallOperator(symbol, range, {value}));
    return ValueMeaning(result);
  };
  if (kind == TypeKind::kTensor) {
    for (const Cast& cast : kTensorCasts) {
      if (cast.name == name) {
        return Meaning{
            .kind = MeaningKind::kTensorCast, .operand = value, .number = cast.type_code};
      }
    }
    if (const auto symbol = PropertyNamed(kTensorProperties, name); !symbol.empty()) {
      return property(symbol);
    }
  }
  if (kind == TypeKind::kDevice) {
    if (const auto symbol = PropertyNamed(kDeviceProperties, name); !symbol.empty()) {
      return property(symbol);
    }
  }
  if (kind == TypeKind::kOptional && name == "unchecked_unwrap_optional") {
    return ValueMeaning(InsertValue(symbols::kUncheckedUnwrapOptional, std::array{value.value},
                                    unit_.types.element(value.type), RangeOf(range)));
  }
  HANDRAIL_ASSIGN_OR_RETURN(const std::optional<Meaning> defined,
                            AttributeOfDefined(value, name, range));
  if (defined) return *defined;
  // `x.type(...)` of a tensor is a conversion.
  const Symbol symbol = Intern(name == "type" ? "aten::to" : fmt::format("aten::{}", name));
  if (IsMethodOf(symbol, value.type)) {
    return Meaning{
        .kind = MeaningKind::kOperator, .has_receiver = true, .operand = value, .symbol = symbol};
  }
  if (kind == TypeKind::kTensor && name == "tolist") {
    return Meaning{
        .kind = MeaningKind::kSpecialForm, .form = SpecialForm::kToList, .operand = value};
  }
  return FailAt(range, fmt::format("a {} has no attribute or method '{}'", Name(value.type), name));
}

// What classes, interfaces, enums and NamedTuples define themselves; nothing: they do not.
Result<std::optional<Meaning>> FunctionEmitter::AttributeOfDefined(const Operand& value,
                                                                   std::string_view name,
                                                                   TextRange range) {
  const StringId id = Intern(name);
  switch (unit_.types.kind(value.type)) {
    case TypeKind::kTuple: {
      if (!unit_.types.is_named_tuple(value.type)) return FieldOfResults(value, name, range);
      HANDRAIL_ASSIGN_OR_RETURN(const Definition* definition, DefinitionOf(value.type, range));
      const auto row = definition->FindAttribute(id);
      if (!row) return std::nullopt;
      const Operand index = InsertInt(*row, range);
      return ValueMeaning(InsertValue(symbols::kTupleIndex, std::array{value.value, index.value},
                                      unit_.types.elements(value.type)[*row],
                                      OriginTable::null_range()));
    }
    case TypeKind::kClass:
    case TypeKind::kInterface: {
      HANDRAIL_ASSIGN_OR_RETURN(const Definition* definition, DefinitionOf(value.type, range));
      if (definition->FindMethod(id)) {
        return Meaning{.kind = MeaningKind::kMethod, .operand = value, .name = id};
      }
      if (const auto row = definition->FindAttribute(id)) {
        return ValueMeaning(InsertGetAttribute(value, id, definition->attributes[*row].type));
      }
      if (const auto row = definition->FindConstant(id)) {
        return ValueMeaning(InsertConstant(definition->constants[*row].value, range));
      }
      return std::nullopt;
    }
    case TypeKind::kEnum: {
      if (name != "name" && name != "value") return std::nullopt;
      HANDRAIL_ASSIGN_OR_RETURN(const Definition* definition, DefinitionOf(value.type, range));
      const TypeId type = name == "name" ? types::kString : definition->enum_value_type;
      std::string_view overload;
      if (name == "value") {
        overload = type == types::kInt ? "int" : type == types::kFloat ? "float" : "str";
      }
      const Symbol kind = name == "name" ? symbols::kEnumName : symbols::kEnumValue;
      return ValueMeaning(InsertValue(kind, std::array{value.value}, type,
                                      OriginTable::null_range(),
                                      FindOperator(unit_, kind, overload)));
    }
    default:
      return std::nullopt;
  }
}

// `torch.max(x, 1).values`: operators name their results.
Result<std::optional<Meaning>> FunctionEmitter::FieldOfResults(const Operand& value,
                                                               std::string_view name,
                                                               TextRange range) {
  const NodeId tuple = graph_.producer(value.value);
  if (graph_.kind(tuple) != symbols::kTupleConstruct || graph_.inputs(tuple).empty()) {
    return std::nullopt;
  }
  const NodeId source = graph_.producer(graph_.input(tuple, 0));
  if (graph_.schema(source).is_none()) return std::nullopt;
  const Schema& schema = unit_.schema(graph_.schema(source));
  for (uint32_t row = 0; row < schema.results.size(); ++row) {
    if (schema.results[row].name.is_none() || unit_.text(schema.results[row].name) != name) {
      continue;
    }
    const Operand index = InsertInt(row, range);
    return ValueMeaning(InsertValue(symbols::kTupleIndex, std::array{value.value, index.value},
                                    unit_.types.elements(value.type)[row],
                                    OriginTable::null_range()));
  }
  return std::nullopt;
}

// True if an operator of that name takes such a value as its `self`.
bool FunctionEmitter::IsMethodOf(Symbol symbol, TypeId type) {
  for (const SchemaId id : OperatorsNamed(unit_, symbol)) {
    const Schema& schema = unit_.schema(id);
    const auto row = schema.Find(symbols::kSelf);
    if (row && CanBe(type, schema.arguments[*row].type)) return true;
  }
  for (const Wrapper& wrapper : WrappersNamed(unit_.text(symbol))) {
    const Result<SchemaId> id = SchemaOf(wrapper);
    if (!id) continue;
    const Schema& schema = unit_.schema(*id);
    const auto row = schema.Find(symbols::kSelf);
    if (row && CanBe(type, schema.arguments[*row].type)) return true;
  }
  return false;
}

bool FunctionEmitter::CanBe(TypeId type, TypeId formal) {
  if (!unit_.types.has_variables(formal)) return IsSubtypeOf(type, formal);
  TypeBindings bindings;
  if (!bindings.Match(unit_, formal, type)) return false;
  const auto concrete = bindings.Substitute(unit_, formal);
  return concrete && IsSubtypeOf(type, *concrete);
}

Result<bool> FunctionEmitter::HasAttributeNamed(const Meaning& meaning, std::string_view name,
                                                TextRange range) {
  if (meaning.kind == MeaningKind::kValue &&
      unit_.types.at(meaning.operand.type).definition != DefinitionId::none()) {
    HANDRAIL_ASSIGN_OR_RETURN(const Definition* definition,
                              DefinitionOf(meaning.operand.type, range));
    const StringId id = Intern(name);
    return definition->FindMethod(id) || definition->FindAttribute(id) ||
           definition->FindConstant(id);
  }
  return FailAt(range, "need an object or a NamedTuple as hasattr's first argument");
}

}  // namespace handrail::graph
