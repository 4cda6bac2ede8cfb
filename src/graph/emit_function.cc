#include "graph/emit_function.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "handrail/base/limits.h"

#include "graph/subtyping.h"

namespace handrail::graph {

using script::FunctionView;

FunctionEmitter::FunctionEmitter(CompilationUnit& unit, const EmitText& text, FunctionId function)
    : unit_(unit),
      text_(text),
      tree_(text.tree),
      function_(function),
      owned_graph_(std::make_unique<Graph>(unit)),
      graph_(*owned_graph_),
      block_(graph_.root()),
      exits_(unit),
      constant_block_(graph_.root()) {}

Status FunctionEmitter::Emit(SyntaxId function_syntax) {
  const FunctionView function = tree_.function(function_syntax);
  const Schema& schema = unit_.schema(unit_.function(function_).schema);
  syntax_ = function_syntax;
  open_functions_.push_back(
      {schema.results.empty() ? TypeId::none() : schema.results.front().type, TypeId::none()});
  scope_.Open();
  HANDRAIL_RETURN_IF_ERROR(EmitParameters(function, schema));
  HANDRAIL_RETURN_IF_ERROR(EmitStatements(function.body));
  HANDRAIL_RETURN_IF_ERROR(EmitImplicitReturn(function_syntax));
  const TypeId result = open_functions_.back().merged_result;
  if (Status status = RemoveExits(graph_, exits_, result); !status) {
    return FailAt(function.name_range, status.error().message, status.error().code);
  }
  if (schema.results.empty()) {
    Schema complete = schema;
    complete.results.push_back({.name = StringId::none(),
                                .type = result,
                                .default_value = ConstantId::none(),
                                .alias = StringId::none()});
    const SchemaId id = unit_.AddSchema(std::move(complete));
    unit_.function(function_).schema = id;
    const DefinitionId owner = unit_.function(function_).owner;
    if (!owner.is_none()) {
      for (MethodDefinition& method : unit_.definition(owner).methods) {
        if (method.function == function_) method.schema = id;
      }
    }
  }
  unit_.function(function_).graph = std::move(owned_graph_);
  return {};
}

Status FunctionEmitter::EmitParameters(const FunctionView& function, const Schema& schema) {
  if (function.parameters.size() != schema.arguments.size()) {
    return FailAt(function.name_range,
                  fmt::format("need {} parameters, have {}", schema.arguments.size(),
                              function.parameters.size()));
  }
  for (uint32_t row = 0; row < schema.arguments.size(); ++row) {
    const script::ParameterView parameter = tree_.parameter(function.parameters[row]);
    const StringId name = Intern(parameter.name);
    const TypeId type = schema.arguments[row].type;
    const ValueId input = graph_.AddInput(type, name);
    scope_.Set(name, ValueMeaning({input, type}));
  }
  return {};
}

// A body that can reach its end returns None.
Status FunctionEmitter::EmitImplicitReturn(SyntaxId function_syntax) {
  OpenFunction& open = open_functions_.back();
  if (!HasExited()) {
    if (!open.declared_result.is_none() && open.declared_result != types::kNone) {
      return FailAt(function_syntax,
                    fmt::format("need a return of a {} on every way through the body, have a way "
                                "without a return",
                                Name(open.declared_result)));
    }
    return EmitReturn(tree_.range(function_syntax), SyntaxId::none());
  }
  if (open.merged_result.is_none()) {
    open.merged_result = open.declared_result.is_none() ? types::kNone : open.declared_result;
  }
  return {};
}

tl::unexpected<Error> FunctionEmitter::FailAt(TextRange range, std::string_view message,
                                              ErrorCode code) const {
  return tl::unexpected<Error>(script::ErrorAt(code, tree_.source(), range, message));
}

Status FunctionEmitter::Descend(SyntaxId id) {
  if (depth_ >= limits::kEmitDepthMax) {
    return FailAt(id, "this is nested too deep", ErrorCode::kLimit);
  }
  ++depth_;
  return {};
}

std::string FunctionEmitter::Name(TypeId type) const {
  return ToAnnotation(unit_.types, unit_.strings, type);
}

bool FunctionEmitter::IsSubtypeOf(TypeId type, TypeId of) const {
  return type == of || IsSubtype(unit_, type, of);
}

NodeId FunctionEmitter::InsertNode(Symbol kind, std::span<const ValueId> inputs, RangeId range,
                                   SchemaId schema) {
  return graph_.Insert(graph_.end_of(block_), kind, inputs, range, schema);
}

Operand FunctionEmitter::InsertValue(Symbol kind, std::span<const ValueId> inputs, TypeId type,
                                     RangeId range, SchemaId schema) {
  const NodeId node = InsertNode(kind, inputs, range, schema);
  return {graph_.AddOutput(node, type), type};
}

// Each constant is one node, at the start of the function: a use may stand in any block.
Operand FunctionEmitter::InsertConstant(ConstantId constant, TextRange range) {
  const auto [found, is_new] = constants_.try_emplace(constant);
  if (is_new) {
    const NodeId after =
        last_constant_.is_none() ? graph_.param_node(constant_block_) : last_constant_;
    found->second = graph_.InsertConstant(graph_.after(after), constant, RangeOf(range));
    last_constant_ = graph_.producer(found->second);
  }
  return {found->second, graph_.type(found->second)};
}

Operand FunctionEmitter::InsertNone(TypeId type, TextRange range) {
  const ValueId none =
      graph_.InsertConstant(graph_.end_of(block_), unit_.constants.None(), RangeOf(range));
  graph_.SetType(none, type);
  return {none, type};
}

Operand FunctionEmitter::InsertUninitialized(TypeId type, RangeId range) {
  return InsertValue(symbols::kUninitialized, {}, type, range);
}

Operand FunctionEmitter::InsertList(TypeId element, std::span<const Operand> elements) {
  std::vector<ValueId> inputs;
  inputs.reserve(elements.size());
  for (const Operand& operand : elements) inputs.push_back(operand.value);
  return InsertValue(symbols::kListConstruct, inputs, unit_.types.List(element),
                     OriginTable::null_range());
}

Operand FunctionEmitter::InsertTuple(std::span<const Operand> elements, TypeId type,
                                     RangeId range) {
  std::vector<ValueId> inputs;
  std::vector<TypeId> element_types;
  for (const Operand& operand : elements) {
    inputs.push_back(operand.value);
    element_types.push_back(operand.type);
  }
  if (type.is_none()) type = unit_.types.Tuple(element_types);
  return InsertValue(symbols::kTupleConstruct, inputs, type, range);
}

std::vector<Operand> FunctionEmitter::UnpackTuple(const Operand& tuple) {
  const std::span<const TypeId> elements = unit_.types.elements(tuple.type);
  std::vector<Operand> operands;
  if (elements.empty()) return operands;
  const NodeId node =
      InsertNode(symbols::kTupleUnpack, std::array{tuple.value}, OriginTable::null_range());
  for (const TypeId type : elements) operands.push_back({graph_.AddOutput(node, type), type});
  return operands;
}

Operand FunctionEmitter::InsertCast(const Operand& operand, TypeId type) {
  return InsertValue(symbols::kUncheckedCast, std::array{operand.value}, type,
                     OriginTable::null_range());
}

ConstantId FunctionEmitter::ConstantOf(const Operand& operand) const {
  if (operand.is_variable) return ConstantId::none();
  const NodeId producer = graph_.producer(operand.value);
  if (graph_.kind(producer) != symbols::kConstant) return ConstantId::none();
  const ConstantId constant = graph_.constant(producer);
  return constant.is_none() ? ConstantId{0} : constant;
}

bool FunctionEmitter::IsEmptyListLiteral(const Operand& operand) const {
  return !operand.is_variable &&
         std::binary_search(empty_lists_.begin(), empty_lists_.end(), operand.value);
}

Meaning FunctionEmitter::ListMeaning(MeaningKind kind, std::span<const Meaning> children) {
  const auto first = static_cast<uint32_t>(children_.size());
  // `children` may be rows of the table itself.
  const std::vector<Meaning> copies(children.begin(), children.end());
  children_.insert(children_.end(), copies.begin(), copies.end());
  return {.kind = kind, .first_child = first, .child_count = static_cast<uint32_t>(copies.size())};
}

Status EmitFunction(CompilationUnit& unit, const EmitText& text, script::SyntaxId function_syntax,
                    FunctionId function) {
  return FunctionEmitter(unit, text, function).Emit(function_syntax);
}

}  // namespace handrail::graph
