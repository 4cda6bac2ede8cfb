// Random graphs that pass the verifier, for property tests. Header only, because tests of several
// stages use it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "handrail/base/check.h"
#include "handrail/graph/compilation_unit.h"

#include "graph/operators.h"

namespace handrail::graph {

// Adds classes, sources and call stacks to a unit, and then makes graphs of it. Equal seeds give
// equal graphs.
class RandomGraphs {
 public:
  RandomGraphs(CompilationUnit& unit, uint32_t seed) : unit_(unit), random_(seed) {
    AddDefinitions();
    AddOrigins();
    for (auto [name, overload] :
         {std::pair("aten::add", "Tensor"), std::pair("aten::add", "int"),
          std::pair("aten::relu", ""), std::pair("aten::size", ""), std::pair("aten::append", "t"),
          std::pair("aten::gt", "int"), std::pair("aten::__getitem__", "t"),
          std::pair("aten::warn", ""), std::pair("aten::max", "dim")}) {
      operators_.push_back(FindOperator(unit_, Text(name), overload));
      HANDRAIL_CHECK(!operators_.back().is_none());
    }
  }

  // About `node_count` nodes: operators, constants of every kind, containers, objects, calls, and
  // branches, loops and forks in each other.
  Graph Make(uint32_t node_count) {
    Graph graph(unit_);
    Scope scope{graph.root(), {}};
    scope.visible.push_back(graph.AddInput(module_, symbols::kSelf));
    for (uint32_t i = Below(4); i-- > 0;) {
      scope.visible.push_back(graph.AddInput(RandomType(2), RandomName()));
    }
    left_ = node_count;
    while (left_ > 0) AddNode(graph, scope, 0);
    for (uint32_t i = Below(3); i-- > 0;) graph.AddResult(Pick(scope.visible));
    graph.SetRange(graph.return_node(graph.root()), RandomRange());
    return graph;
  }

 private:
  struct Scope {
    BlockId block;
    std::vector<ValueId> visible;
  };

  uint32_t Below(uint32_t limit) {
    return limit == 0 ? 0 : static_cast<uint32_t>(random_() % limit);
  }
  template <typename T>
  T Pick(const std::vector<T>& from) {
    return from[Below(static_cast<uint32_t>(from.size()))];
  }
  StringId Text(std::string_view text) { return unit_.strings.Intern(text); }

  void AddDefinitions() {
    const auto define = [&](DefinitionKind kind, std::string_view name) -> Definition& {
      return unit_.definition(unit_.AddDefinition(kind, Text(name)).value());
    };
    Definition& tuple = define(DefinitionKind::kNamedTuple, "__torch__.Pair");
    tuple.attributes.push_back({Text("left"), types::kInt});
    tuple.attributes.push_back({Text("right"), types::kTensor});
    named_tuple_ = unit_.CompleteNamedTuple(unit_.FindDefinition(tuple.name));
    enum_ = define(DefinitionKind::kEnum, "__torch__.Color").type;
    Definition& module = define(DefinitionKind::kModule, "__torch__.___torch_mangle_3.M");
    module_ = module.type;
    module.attributes.push_back({Text("weight"), types::kTensor, true});
    module.attributes.push_back({Text("0"), module_});
    Schema schema{Text("__torch__.___torch_mangle_3.M.forward"), Text(""), {}, {}};
    schema.arguments = {{symbols::kSelf, module_}, {Text("x"), types::kTensor}};
    schema.results = {{StringId::none(), types::kTensor}};
    const SchemaId method = unit_.AddSchema(schema);
    module.methods.push_back({symbols::kForward, method, FunctionId::none()});
    schema.name = Text("__torch__.helper");
    schema.arguments.erase(schema.arguments.begin());
    const FunctionId function = unit_.AddFunction(schema.name).value();
    unit_.function(function).schema = unit_.AddSchema(schema);
    function_ = unit_.types.Function(schema.name);
  }

  void AddOrigins() {
    OriginTable& origins = unit_.origins;
    ranges_ = {OriginTable::null_range(), origins.AddGap(RangeGap::kConflict)};
    for (std::string_view text : {"def f(x):\n  return x + 1\n", "y = @ 2\n\n# z"}) {
      for (std::optional<std::string_view> name :
           {std::optional<std::string_view>("a file @ b.py"), std::optional<std::string_view>()}) {
        const SourceId source = origins.AddSource({name, 1 + Below(50), text});
        for (int i = 0; i < 4; ++i) {
          const uint32_t start = Below(30);
          ranges_.push_back(origins.AddRange(source, start, start + Below(9)));
        }
      }
    }
    ranges_.push_back(origins.AddRange(origins.AddSource({"lost\n.py", 7, {}}), 3, 4));
    stacks_.push_back(StackId::none());
    for (int i = 0; i < 12; ++i) {
      StackRow row{Pick(stacks_), Text("forward"), {}, {}, Pick(ranges_)};
      if (Below(4) == 0) row.function = StringId::none();
      if (Below(3) > 0) row.module_type = Text("__torch__.M");
      if (Below(3) > 0) row.module_name = Text(Below(2) == 0 ? "SELF" : "layer \"1\"");
      stacks_.push_back(origins.AddStack(row));
    }
  }

  TypeId RandomType(uint32_t depth) {
    static constexpr std::array kSimple = {types::kTensor,  types::kInt,    types::kBool,
                                           types::kFloat,   types::kString, types::kDevice,
                                           types::kComplex, types::kNone,   types::kAny};
    TypeTable& types = unit_.types;
    switch (depth == 0 ? 9 : Below(12)) {
      case 0:
        return types.List(RandomType(depth - 1));
      case 1:
        return types.Optional(RandomType(depth - 1));
      case 2: {
        const TypeId key = Below(2) == 0 ? types::kInt : types::kString;
        return types.Dict(key, RandomType(depth - 1));
      }
      case 3: {
        std::vector<TypeId> elements(Below(4));
        for (TypeId& element : elements) element = RandomType(depth - 1);
        return types.Tuple(elements);
      }
      case 4:
        return types.Future(RandomType(depth - 1));
      case 5: {
        const std::array elements = {RandomType(depth - 1), RandomType(depth - 1), types::kTensor};
        return types.Union(elements);
      }
      case 6:
        return Below(2) == 0 ? named_tuple_ : enum_;
      case 7:
        return module_;
      default:
        return kSimple[Below(kSimple.size())];
    }
  }

  // A constant of that type, or none where there are no such constants.
  ConstantId RandomConstant(TypeId type) {
    ConstantTable& constants = unit_.constants;
    const TypeTable& types = unit_.types;
    switch (types.kind(type)) {
      case TypeKind::kInt:
        return constants.Int(static_cast<int64_t>(random_()) - (int64_t{1} << 31));
      case TypeKind::kBool:
        return constants.Bool(Below(2) == 0);
      case TypeKind::kFloat:
        return constants.Float(RandomFloat());
      case TypeKind::kComplex:
        return constants.Complex({RandomFloat(), RandomFloat()});
      case TypeKind::kString:
        return constants.String(RandomText());
      case TypeKind::kDevice:
        return constants.Device(Text("cuda:1"));
      case TypeKind::kNone:
        return constants.None();
      case TypeKind::kTensor:
        return constants.External(type, Below(100));
      case TypeKind::kEnum:
        return constants.Enum(type, Text("RED"));
      case TypeKind::kOptional:
        return Below(2) == 0 ? constants.None() : RandomConstant(types.element(type));
      case TypeKind::kList: {
        std::vector<ConstantId> elements(Below(4));
        for (ConstantId& element : elements) {
          element = RandomConstant(types.element(type));
          if (element.is_none()) return element;
        }
        return constants.Compound(ConstantKind::kList, type, elements);
      }
      case TypeKind::kDict: {
        std::vector<ConstantId> elements;
        for (uint32_t i = Below(3); i-- > 0;) {
          elements.push_back(RandomConstant(types.key(type)));
          elements.push_back(RandomConstant(types.value(type)));
          if (elements.back().is_none()) return elements.back();
        }
        return constants.Compound(ConstantKind::kDict, type, elements);
      }
      case TypeKind::kTuple: {
        std::vector<ConstantId> elements;
        for (size_t i = 0; i < types.elements(type).size(); ++i) {
          elements.push_back(RandomConstant(types.elements(type)[i]));
          if (elements.back().is_none()) return elements.back();
        }
        return constants.Compound(ConstantKind::kTuple, type, elements);
      }
      default:
        return ConstantId::none();
    }
  }

  double RandomFloat() {
    static constexpr std::array kValues = {
        0.0, -0.0, 1.0, 0.1, 1e300, -2.5e-310, std::numeric_limits<double>::infinity()};
    return kValues[Below(kValues.size())];
  }
  StringId RandomText() {
    static constexpr std::array<std::string_view, 5> kTexts = {"", "x", "a \"b\" \\ \n\t", "\x01é",
                                                               "# @0:[1,2) via 3"};
    return Text(kTexts[Below(kTexts.size())]);
  }
  StringId RandomName() {
    static constexpr std::array<std::string_view, 6> kNames = {"x", "y",        "x.1",
                                                               "5", "odd name", ""};
    return Below(2) == 0 ? StringId::none() : Text(kNames[Below(kNames.size())]);
  }
  RangeId RandomRange() { return Pick(ranges_); }
  StackId RandomStack() { return Pick(stacks_); }

  NodeId Insert(Graph& graph, const Scope& scope, Symbol kind, const std::vector<ValueId>& inputs,
                SchemaId schema = SchemaId::none()) {
    if (left_ > 0) --left_;
    return graph.Insert(graph.end_of(scope.block), kind, inputs, RandomRange(), schema,
                        RandomStack());
  }
  ValueId Add(Graph& graph, Scope& scope, NodeId node, TypeId type) {
    return scope.visible.emplace_back(graph.AddOutput(node, type, RandomName()));
  }

  // A visible value of the type, or a constant or an uninitialized value.
  ValueId ValueOf(Graph& graph, Scope& scope, TypeId type) {
    std::vector<ValueId> fitting;
    for (ValueId value : scope.visible) {
      if (graph.type(value) == type) fitting.push_back(value);
    }
    if (!fitting.empty() && Below(4) > 0) return Pick(fitting);
    const ConstantId constant = RandomConstant(type);
    if (constant.is_none()) {
      return Add(graph, scope, Insert(graph, scope, symbols::kUninitialized, {}), type);
    }
    const NodeId node = Insert(graph, scope, symbols::kConstant, {});
    if (constant != unit_.constants.None()) {
      graph.AddAttribute(node, symbols::kAttributeValue, constant);
    }
    return Add(graph, scope, node, type);
  }

  void AddNode(Graph& graph, Scope& scope, uint32_t depth) {
    switch (Below(depth < 4 ? 9 : 6)) {
      case 0:
      case 1:
        return AddOperator(graph, scope);
      case 2:
      case 3:
        return AddContainer(graph, scope);
      case 4:
        return AddObjectNode(graph, scope);
      case 5:
        ValueOf(graph, scope, RandomType(3));
        return;
      case 6:
        return AddIf(graph, scope, depth);
      case 7:
        return AddLoop(graph, scope, depth);
      default:
        return AddFork(graph, scope, depth);
    }
  }

  void AddOperator(Graph& graph, Scope& scope) {
    const SchemaId id = Pick(operators_);
    const Schema& schema = unit_.schema(id);
    const TypeId element = RandomType(1);
    const auto concrete = [&](TypeId type) {
      if (!unit_.types.has_variables(type)) return type;
      return unit_.types.is(type, TypeKind::kList) ? unit_.types.List(element) : element;
    };
    std::vector<ValueId> inputs;
    for (const Argument& argument : schema.arguments) {
      TypeId type = concrete(argument.type);
      if (type == types::kNumber) type = types::kInt;
      inputs.push_back(ValueOf(graph, scope, type));
    }
    const NodeId node = Insert(graph, scope, schema.name, inputs, id);
    for (const Argument& result : schema.results) Add(graph, scope, node, concrete(result.type));
  }

  void AddContainer(Graph& graph, Scope& scope) {
    const TypeId type = RandomType(1);
    std::vector<ValueId> inputs;
    switch (Below(4)) {
      case 0:
        for (uint32_t i = Below(6); i-- > 0;) inputs.push_back(ValueOf(graph, scope, type));
        Add(graph, scope, Insert(graph, scope, symbols::kListConstruct, inputs),
            unit_.types.List(type));
        return;
      case 1: {
        inputs = {Pick(scope.visible), Pick(scope.visible)};
        const std::array elements = {graph.type(inputs[0]), graph.type(inputs[1])};
        const TypeId tuple = unit_.types.Tuple(elements);
        const NodeId made = Insert(graph, scope, symbols::kTupleConstruct, inputs);
        const ValueId value = Add(graph, scope, made, tuple);
        const NodeId unpacked = Insert(graph, scope, symbols::kTupleUnpack, {value});
        for (TypeId element : elements) Add(graph, scope, unpacked, element);
        return;
      }
      case 2:
        inputs = {ValueOf(graph, scope, types::kString), ValueOf(graph, scope, type)};
        Add(graph, scope, Insert(graph, scope, symbols::kDictConstruct, inputs),
            unit_.types.Dict(types::kString, type));
        return;
      default:
        for (uint32_t i = Below(3); i-- > 0;) inputs.push_back(Pick(scope.visible));
        Insert(graph, scope, symbols::kPrint, inputs);
    }
  }

  void AddObjectNode(Graph& graph, Scope& scope) {
    const ValueId self = ValueOf(graph, scope, module_);
    const ValueId tensor = ValueOf(graph, scope, types::kTensor);
    switch (Below(5)) {
      case 0: {
        const bool is_module = Below(2) == 0;
        const NodeId node = Insert(graph, scope, symbols::kGetAttr, {self});
        graph.AddAttribute(node, symbols::kAttributeName, Text(is_module ? "0" : "weight"));
        Add(graph, scope, node, is_module ? module_ : types::kTensor);
        return;
      }
      case 1: {
        const NodeId node = Insert(graph, scope, symbols::kSetAttr, {self, tensor});
        graph.AddAttribute(node, symbols::kAttributeName, Text("weight"));
        return;
      }
      case 2: {
        const NodeId node = Insert(graph, scope, symbols::kCallMethod, {self, tensor});
        graph.AddAttribute(node, symbols::kAttributeName, symbols::kForward);
        Add(graph, scope, node, types::kTensor);
        return;
      }
      case 3: {
        const NodeId constant = Insert(graph, scope, symbols::kConstant, {});
        graph.AddAttribute(constant, symbols::kAttributeValue,
                           unit_.constants.Function(function_, unit_.types.at(function_).name));
        const ValueId callee = Add(graph, scope, constant, function_);
        Add(graph, scope, Insert(graph, scope, symbols::kCallFunction, {callee, tensor}),
            types::kTensor);
        return;
      }
      default: {
        const NodeId node = Insert(graph, scope, symbols::kIsInstance, {tensor});
        const std::array checked = {RandomType(2), types::kInt};
        graph.AddAttribute(node, symbols::kAttributeTypes, unit_.types.Tuple(checked));
        Add(graph, scope, node, types::kBool);
      }
    }
  }

  void FillBlock(Graph& graph, Scope& scope, uint32_t depth) {
    for (uint32_t i = Below(5); i-- > 0;) AddNode(graph, scope, depth + 1);
  }

  void AddIf(Graph& graph, Scope& scope, uint32_t depth) {
    const NodeId node = Insert(graph, scope, symbols::kIf, {ValueOf(graph, scope, types::kBool)});
    std::vector<TypeId> outputs(Below(3));
    for (TypeId& type : outputs) type = RandomType(2);
    for (int i = 0; i < 2; ++i) {
      Scope inner{graph.AddBlock(node), scope.visible};
      FillBlock(graph, inner, depth);
      for (TypeId type : outputs) graph.AddResult(inner.block, ValueOf(graph, inner, type));
    }
    for (TypeId type : outputs) Add(graph, scope, node, type);
  }

  void AddLoop(Graph& graph, Scope& scope, uint32_t depth) {
    std::vector<TypeId> carried(Below(3));
    std::vector<ValueId> inputs = {ValueOf(graph, scope, types::kInt),
                                   ValueOf(graph, scope, types::kBool)};
    for (TypeId& type : carried) {
      type = RandomType(2);
      inputs.push_back(ValueOf(graph, scope, type));
    }
    const NodeId node = Insert(graph, scope, symbols::kLoop, inputs);
    Scope inner{graph.AddBlock(node), scope.visible};
    inner.visible.push_back(graph.AddParameter(inner.block, types::kInt, Text("i")));
    for (TypeId type : carried) {
      inner.visible.push_back(graph.AddParameter(inner.block, type, RandomName()));
    }
    FillBlock(graph, inner, depth);
    graph.AddResult(inner.block, ValueOf(graph, inner, types::kBool));
    for (TypeId type : carried) graph.AddResult(inner.block, ValueOf(graph, inner, type));
    for (TypeId type : carried) Add(graph, scope, node, type);
  }

  void AddFork(Graph& graph, Scope& scope, uint32_t depth) {
    std::vector<ValueId> inputs = {Pick(scope.visible), Pick(scope.visible)};
    const NodeId node = Insert(graph, scope, symbols::kFork, inputs);
    Scope inner{graph.AddBlock(node), {}};
    for (ValueId input : inputs) {
      inner.visible.push_back(graph.AddParameter(inner.block, graph.type(input), RandomName()));
    }
    FillBlock(graph, inner, depth);
    const ValueId result = Pick(inner.visible);
    graph.AddResult(inner.block, result);
    Add(graph, scope, node, unit_.types.Future(graph.type(result)));
  }

  CompilationUnit& unit_;
  std::mt19937 random_;
  uint32_t left_ = 0;  // nodes that are still to be made
  std::vector<SchemaId> operators_;
  std::vector<RangeId> ranges_;
  std::vector<StackId> stacks_;
  TypeId module_;
  TypeId named_tuple_;
  TypeId enum_;
  TypeId function_;
};

}  // namespace handrail::graph
