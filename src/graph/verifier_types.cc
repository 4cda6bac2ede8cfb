#include "graph/verifier_types.h"

#include <fmt/format.h>

#include "handrail/graph/compilation_unit.h"

#include "graph/structural_kinds.h"
#include "graph/subtyping.h"

namespace handrail::graph {
namespace {

class TypeCheck {
 public:
  TypeCheck(const Graph& graph, NodeId node, std::string_view what)
      : graph_(graph), unit_(graph.unit()), types_(unit_.types), node_(node), what_(what) {}

  Status Run() {
    if (FindStructuralKind(graph_.kind(node_)) == nullptr) return Operator();
    switch (graph_.kind(node_).index) {
      case symbols::kIf.index:
        return If();
      case symbols::kLoop.index:
        return Loop();
      case symbols::kFork.index:
        return Fork();
      case symbols::kConstant.index:
        return ConstantNode();
      case symbols::kListConstruct.index:
        return ListConstruct();
      case symbols::kListUnpack.index:
        return ListUnpack();
      case symbols::kDictConstruct.index:
        return DictConstruct();
      case symbols::kTupleConstruct.index:
        return TupleConstruct();
      case symbols::kTupleUnpack.index:
        return TupleUnpack();
      case symbols::kTupleIndex.index:
        HANDRAIL_RETURN_IF_ERROR(Needs(Input(0), TypeKind::kTuple, "input 0"));
        return InputIs(1, types::kInt);
      case symbols::kTupleSlice.index:
        HANDRAIL_RETURN_IF_ERROR(Needs(Input(0), TypeKind::kTuple, "input 0"));
        return Needs(Output(0), TypeKind::kTuple, "output 0");
      case symbols::kCreateObject.index:
        return Needs(Output(0), TypeKind::kClass, "output 0");
      case symbols::kGetAttr.index:
      case symbols::kSetAttr.index:
        return Attribute();
      case symbols::kCallMethod.index:
        return CallMethod();
      case symbols::kCallFunction.index:
        return CallFunction();
      case symbols::kIsInstance.index:
        if (!HasAttribute(symbols::kAttributeTypes, AttributeKind::kType)) {
          return Fault("need the attribute 'types'");
        }
        return OutputTakes(0, types::kBool);
      case symbols::kRaiseException.index:
        return InputIs(0, types::kString);
      default:
        return {};
    }
  }

 private:
  tl::unexpected<Error> Fault(std::string_view message) const {
    return tl::unexpected(ErrorAtNode(graph_, node_, what_, message));
  }
  tl::unexpected<Error> WrongType(std::string_view place, std::string_view needed,
                                  TypeId found) const {
    return Fault(fmt::format("{}: need {}, have {}", place, needed, Text(found)));
  }
  std::string Text(TypeId type) const { return unit_.ToString(type); }

  TypeId Input(size_t i) const { return graph_.type(graph_.inputs(node_)[i]); }
  TypeId Output(size_t i) const { return graph_.type(graph_.outputs(node_)[i]); }
  size_t input_count() const { return graph_.inputs(node_).size(); }
  size_t output_count() const { return graph_.outputs(node_).size(); }

  bool HasAttribute(StringId name, AttributeKind kind) const {
    for (const NodeAttribute& attribute : graph_.attributes(node_)) {
      if (attribute.name == name) return attribute.kind == kind;
    }
    return false;
  }

  Status Needs(TypeId type, TypeKind kind, std::string_view place) const {
    if (types_.is(type, kind)) return {};
    const std::string_view needed = kind == TypeKind::kTuple    ? "a tuple"
                                    : kind == TypeKind::kList   ? "a list"
                                    : kind == TypeKind::kDict   ? "a dict"
                                    : kind == TypeKind::kFuture ? "a future"
                                    : kind == TypeKind::kClass  ? "a class"
                                                                : "a function";
    return WrongType(place, needed, type);
  }
  Status Takes(TypeId wanted, TypeId given, std::string_view place, size_t index) const {
    if (IsSubtype(unit_, given, wanted)) return {};
    return WrongType(fmt::format("{} {}", place, index), Text(wanted), given);
  }
  Status InputIs(size_t i, TypeId wanted) const { return Takes(wanted, Input(i), "input", i); }
  // A value of `given` becomes output `i`.
  Status OutputTakes(size_t i, TypeId given) const {
    if (IsSubtype(unit_, given, Output(i))) return {};
    return Fault(fmt::format("output {}: gives {}, but is {}", i, Text(given), Text(Output(i))));
  }

  Status If() const {
    HANDRAIL_RETURN_IF_ERROR(InputIs(0, types::kBool));
    for (size_t b = 0; b < 2; ++b) {
      const BlockId block = graph_.blocks(node_)[b];
      if (!graph_.parameters(block).empty()) return Fault("its blocks need no parameters");
      const auto results = graph_.results(block);
      if (results.size() != output_count()) {
        return Fault(
            fmt::format("block {}: need {} results, have {}", b, output_count(), results.size()));
      }
      for (size_t i = 0; i < results.size(); ++i) {
        HANDRAIL_RETURN_IF_ERROR(OutputTakes(i, graph_.type(results[i])));
      }
    }
    return {};
  }

  Status Loop() const {
    HANDRAIL_RETURN_IF_ERROR(InputIs(0, types::kInt));
    HANDRAIL_RETURN_IF_ERROR(InputIs(1, types::kBool));
    const BlockId body = graph_.blocks(node_)[0];
    const auto parameters = graph_.parameters(body);
    const auto results = graph_.results(body);
    const size_t carried = input_count() - 2;
    if (output_count() != carried || parameters.size() != carried + 1 ||
        results.size() != carried + 1) {
      return Fault(
          fmt::format("carries {} values, but has {} outputs, {} parameters and {} results",
                      carried, output_count(), parameters.size(), results.size()));
    }
    if (graph_.type(parameters[0]) != types::kInt) {
      return WrongType("parameter 0", "int", graph_.type(parameters[0]));
    }
    if (graph_.type(results[0]) != types::kBool) {
      return WrongType("result 0", "bool", graph_.type(results[0]));
    }
    for (size_t i = 0; i < carried; ++i) {
      const TypeId parameter = graph_.type(parameters[i + 1]);
      HANDRAIL_RETURN_IF_ERROR(Takes(parameter, Input(i + 2), "input", i + 2));
      HANDRAIL_RETURN_IF_ERROR(Takes(parameter, graph_.type(results[i + 1]), "result", i + 1));
      HANDRAIL_RETURN_IF_ERROR(OutputTakes(i, parameter));
    }
    return {};
  }

  Status Fork() const {
    const BlockId body = graph_.blocks(node_)[0];
    const auto parameters = graph_.parameters(body);
    const auto results = graph_.results(body);
    if (parameters.size() != input_count() || results.size() != 1) {
      return Fault(fmt::format("need {} parameters and 1 result of its block, have {} and {}",
                               input_count(), parameters.size(), results.size()));
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
      HANDRAIL_RETURN_IF_ERROR(InputIs(i, graph_.type(parameters[i])));
    }
    HANDRAIL_RETURN_IF_ERROR(Needs(Output(0), TypeKind::kFuture, "output 0"));
    return Takes(types_.element(Output(0)), graph_.type(results[0]), "result", 0);
  }

  Status ConstantNode() const {
    const ConstantId constant = graph_.constant(node_);
    if (constant.is_none()) return OutputTakes(0, types::kNone);
    if (!HasAttribute(symbols::kAttributeValue, AttributeKind::kConstant) ||
        constant.index >= unit_.constants.size()) {
      return Fault("its value is no constant of the unit");
    }
    return OutputTakes(0, unit_.constants.at(constant).type);
  }

  Status ListConstruct() const {
    HANDRAIL_RETURN_IF_ERROR(Needs(Output(0), TypeKind::kList, "output 0"));
    for (size_t i = 0; i < input_count(); ++i) {
      HANDRAIL_RETURN_IF_ERROR(InputIs(i, types_.element(Output(0))));
    }
    return {};
  }

  Status ListUnpack() const {
    HANDRAIL_RETURN_IF_ERROR(Needs(Input(0), TypeKind::kList, "input 0"));
    for (size_t i = 0; i < output_count(); ++i) {
      HANDRAIL_RETURN_IF_ERROR(OutputTakes(i, types_.element(Input(0))));
    }
    return {};
  }

  Status DictConstruct() const {
    HANDRAIL_RETURN_IF_ERROR(Needs(Output(0), TypeKind::kDict, "output 0"));
    if (input_count() % 2 != 0) return Fault("a key has no value");
    for (size_t i = 0; i < input_count(); ++i) {
      const TypeId wanted = i % 2 == 0 ? types_.key(Output(0)) : types_.value(Output(0));
      HANDRAIL_RETURN_IF_ERROR(InputIs(i, wanted));
    }
    return {};
  }

  Status TupleConstruct() const {
    HANDRAIL_RETURN_IF_ERROR(Needs(Output(0), TypeKind::kTuple, "output 0"));
    const auto elements = types_.elements(Output(0));
    if (elements.size() != input_count()) {
      return Fault(fmt::format("need {} inputs, have {}", elements.size(), input_count()));
    }
    for (size_t i = 0; i < elements.size(); ++i) {
      HANDRAIL_RETURN_IF_ERROR(InputIs(i, elements[i]));
    }
    return {};
  }

  Status TupleUnpack() const {
    HANDRAIL_RETURN_IF_ERROR(Needs(Input(0), TypeKind::kTuple, "input 0"));
    const auto elements = types_.elements(Input(0));
    if (elements.size() != output_count()) {
      return Fault(fmt::format("need {} outputs, have {}", elements.size(), output_count()));
    }
    for (size_t i = 0; i < elements.size(); ++i) {
      HANDRAIL_RETURN_IF_ERROR(OutputTakes(i, elements[i]));
    }
    return {};
  }

  // Of prim::GetAttr and SetAttr.
  Status Attribute() const {
    if (!HasAttribute(symbols::kAttributeName, AttributeKind::kString)) {
      return Fault("need the attribute 'name'");
    }
    HANDRAIL_RETURN_IF_ERROR(Needs(Input(0), TypeKind::kClass, "input 0"));
    const Definition& owner = *unit_.DefinitionOf(Input(0));
    const auto found = owner.FindAttribute(graph_.name(node_));
    if (!found) {
      return Fault(fmt::format("'{}' has no attribute '{}'", unit_.text(owner.name),
                               unit_.text(graph_.name(node_))));
    }
    const TypeId type = owner.attributes[*found].type;
    return graph_.kind(node_) == symbols::kGetAttr ? OutputTakes(0, type) : InputIs(1, type);
  }

  Status CallMethod() const {
    if (!HasAttribute(symbols::kAttributeName, AttributeKind::kString)) {
      return Fault("need the attribute 'name'");
    }
    const Definition* owner = unit_.DefinitionOf(Input(0));
    if (owner == nullptr) return WrongType("input 0", "a class or interface", Input(0));
    const auto found = owner->FindMethod(graph_.name(node_));
    if (!found) {
      return Fault(fmt::format("'{}' has no method '{}'", unit_.text(owner->name),
                               unit_.text(graph_.name(node_))));
    }
    return Call(owner->methods[*found].schema, 0);
  }

  Status CallFunction() const {
    HANDRAIL_RETURN_IF_ERROR(Needs(Input(0), TypeKind::kFunction, "input 0"));
    const StringId name = types_.at(Input(0)).name;
    const FunctionId function = unit_.FindFunction(name);
    if (function.is_none()) {
      return Fault(fmt::format("there is no function '{}'", unit_.text(name)));
    }
    return Call(unit_.function(function).schema, 1);
  }

  // Inputs from `first` on are the schema's arguments. Heads that were not read yet say nothing.
  Status Call(SchemaId id, size_t first) const {
    if (id.is_none()) return {};
    const Schema& schema = unit_.schema(id);
    if (input_count() - first != schema.arguments.size()) {
      return Fault(fmt::format("need {} arguments, have {}", schema.arguments.size(),
                               input_count() - first));
    }
    for (size_t i = 0; i < schema.arguments.size(); ++i) {
      HANDRAIL_RETURN_IF_ERROR(InputIs(i + first, schema.arguments[i].type));
    }
    // Results that were not annotated are known when the callee is compiled.
    if (schema.results.empty()) return {};
    if (output_count() != schema.results.size()) {
      return Fault(fmt::format("need {} outputs, have {}", schema.results.size(), output_count()));
    }
    for (size_t i = 0; i < schema.results.size(); ++i) {
      HANDRAIL_RETURN_IF_ERROR(OutputTakes(i, schema.results[i].type));
    }
    return {};
  }

  Status Operator() const {
    const Schema& schema = unit_.schema(graph_.schema(node_));
    const size_t arguments = schema.arguments.size();
    if (input_count() < arguments || (input_count() > arguments && !schema.takes_more)) {
      return Fault(fmt::format("need {}{} inputs, have {}", arguments,
                               schema.takes_more ? " or more" : "", input_count()));
    }
    const size_t results = schema.results.size();
    if (output_count() < results || (output_count() > results && !schema.gives_more)) {
      return Fault(fmt::format("need {}{} outputs, have {}", results,
                               schema.gives_more ? " or more" : "", output_count()));
    }
    TypeBindings bindings;
    for (size_t i = 0; i < arguments; ++i) {
      const TypeId wanted = schema.arguments[i].type;
      if (!bindings.Match(graph_.unit(), wanted, Input(i))) {
        return WrongType(fmt::format("input {}", i),
                         Text(bindings.SubstituteKnown(graph_.unit(), wanted)), Input(i));
      }
      // What a variable stands for may be unknown: of `t?` where None is given.
      HANDRAIL_RETURN_IF_ERROR(InputIs(i, bindings.SubstituteKnown(graph_.unit(), wanted)));
    }
    for (size_t i = 0; i < results; ++i) {
      const auto concrete = bindings.Substitute(graph_.unit(), schema.results[i].type);
      if (concrete) HANDRAIL_RETURN_IF_ERROR(OutputTakes(i, *concrete));
    }
    return {};
  }

  const Graph& graph_;
  const CompilationUnit& unit_;
  const TypeTable& types_;
  NodeId node_;
  std::string_view what_;
};

}  // namespace

Status CheckNodeTypes(const Graph& graph, NodeId node, std::string_view what) {
  return TypeCheck(graph, node, what).Run();
}

Error ErrorAtNode(const Graph& graph, NodeId node, std::string_view what,
                  std::string_view message) {
  std::string kind(graph.kind_name(node));
  if (!graph.overload(node).empty()) kind += fmt::format(".{}", graph.overload(node));
  std::string text = fmt::format("{}: {}: {}", what, kind, message);
  const OriginTable& origins = graph.unit().origins;
  const OriginTable::Place place = graph.range(node).index < origins.range_count()
                                       ? origins.PlaceOf(graph.range(node))
                                       : OriginTable::Place{};
  if (place.line != 0) {
    const SourceRow& source = origins.source(origins.range(graph.range(node)).source);
    text += fmt::format(" ({}:{}:{})", source.file_name.value_or(""), place.line, place.column);
  }
  return Error{ErrorCode::kCorrupt, Error::kNoOffset, std::move(text)};
}

}  // namespace handrail::graph
