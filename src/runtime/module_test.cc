#include "handrail/runtime/module.h"

#include <chrono>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/bytecode/bytecode.h"
#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/graph/text_unit.h"

#include "runtime/type_pattern.h"

namespace handrail::runtime {
namespace {

using testing::HasSubstr;
using values::Value;

// An object of a module type, with objects of its submodules' types in it.
Value ObjectOf(const graph::CompilationUnit& unit, graph::DefinitionId id) {
  const graph::Definition& definition = unit.definition(id);
  values::ObjectClass object_class;
  object_class.name = unit.text(definition.name);
  for (const graph::AttributeDefinition& attribute : definition.attributes) {
    object_class.attributes.emplace_back(unit.text(attribute.name));
  }
  auto object = values::MakeRef<values::Object>(
      std::make_shared<const values::ObjectClass>(std::move(object_class)));
  for (size_t i = 0; i < definition.attributes.size(); ++i) {
    const graph::DefinitionId inner = unit.types.at(definition.attributes[i].type).definition;
    if (!inner.is_none() && !unit.definition(inner).is_interface()) {
      object->slots[i] = ObjectOf(unit, inner);
    }
  }
  return Value(std::move(object));
}

// The module, ready to run its forward.
Module Load(graph::TextUnit& code, graph::DefinitionId id, bool has_map = true) {
  const graph::FunctionId forward = code.FindMethod(id, "forward");
  DebugInfoBuilder builder;
  EXPECT_TRUE(builder.BeginUnit(
      {.kind = UnitKind::kBytecode, .build_id = {1, 2}, .top_type = "__torch__.M"}));
  Result<bytecode::Program> program = bytecode::Compile(
      code.unit(), std::span(&forward, 1),
      [&](graph::FunctionId function) -> Result<const graph::Graph*> {
        return code.unit().function(function).graph.get();
      },
      [](uint32_t) -> Result<Value> { return Fail(ErrorCode::kNotFound, "no archive"); }, builder);
  EXPECT_TRUE(program) << program.error().message;
  ModuleParts parts;
  parts.program = std::move(*program);
  parts.root = ObjectOf(code.unit(), id);
  parts.build_id = {1, 2};
  if (has_map) {
    const DebugInfo info = std::move(builder).Finish();
    parts.debug_map = *DebugMap::FromBytes(*EncodeDebugMap(info), "test");
  }
  Result<Module> module = Module::Make(std::move(parts));
  EXPECT_TRUE(module) << module.error().message;
  return *std::move(module);
}

// Of a module with nothing but this forward.
RunResult<Value> RunForward(std::string_view text, std::vector<Value> inputs) {
  graph::TextUnit code;
  const graph::DefinitionId id = *code.AddModule("__torch__.M");
  const Status defined = code.Define(id, text);
  EXPECT_TRUE(defined) << defined.error().message;
  Module module = Load(code, id);
  return module.Run("forward", inputs);
}

TEST(Run, TakesAndGivesValues) {
  const RunResult<Value> result =
      RunForward("def forward(self, x: int, y: str) -> Tuple[str, int]:\n  return (y, x)\n",
                 {Value(3), Value("text")});
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_EQ(result->tuple().elements[0].string(), "text");
  EXPECT_EQ(result->tuple().elements[1].int_value(), 3);
}

TEST(Run, ChoosesBranches) {
  constexpr std::string_view kText =
      "def forward(self, b: bool, x: int) -> int:\n"
      "  if b:\n    if not b:\n      y = 1\n    else:\n      y = x\n  else:\n    y = 7\n  return "
      "y\n";
  EXPECT_EQ(RunForward(kText, {Value(true), Value(3)})->int_value(), 3);
  EXPECT_EQ(RunForward(kText, {Value(false), Value(3)})->int_value(), 7);
}

TEST(Run, CarriesValuesThroughLoops) {
  constexpr std::string_view kText =
      "def forward(self, n: int) -> Tuple[int, int]:\n"
      "  last = 0\n  before = 0\n  for i in range(n):\n    before = last\n    last = i\n"
      "  return (before, last)\n";
  const RunResult<Value> result = RunForward(kText, {Value(5)});
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_EQ(result->tuple().elements[0].int_value(), 3);
  EXPECT_EQ(result->tuple().elements[1].int_value(), 4);
}

TEST(Run, TestsTypes) {
  constexpr std::string_view kText =
      "def forward(self, x: Optional[int]) -> str:\n"
      "  if x is None:\n    return 'none'\n  return 'int {}'.format(x)\n";
  EXPECT_EQ(RunForward(kText, {Value()})->string(), "none");
  EXPECT_EQ(RunForward(kText, {Value(4)})->string(), "int 4");
}

// `%` takes any number of arguments.
TEST(Run, CallsOperatorsOfManyArguments) {
  constexpr std::string_view kText =
      "def forward(self, x: int, y: str) -> str:\n  return '%d of %s' % (x, y)\n";
  EXPECT_EQ(RunForward(kText, {Value(4), Value("five")})->string(), "4 of five");
}

TEST(TypeTest, TakesTuplesForNamedTuplesOfTheirFields) {
  const TypeTest test("__torch__.Point[NamedTuple, [[x, Tensor],[name, str], [n, List[int]]]]");
  const Value tensor(values::Tensor::Allocate(values::ElementType::kFloat32, {}));
  const Value list = values::MakeList({Value(1)});
  EXPECT_TRUE(test.Holds(values::MakeTuple({tensor, Value("a"), list})));
  EXPECT_FALSE(test.Holds(values::MakeTuple({tensor, Value(1), list})));
  EXPECT_FALSE(test.Holds(values::MakeTuple({tensor, Value("a")})));
  EXPECT_FALSE(test.Holds(tensor));
  for (const char* broken : {"P[NamedTuple, []]", "P[NamedTuple, [[]]]", "P[NamedTuple, [[x]]]",
                             "P[NamedTuple, ]", "P[NamedTuple]", "P[NamedTuple, [x, int]]"}) {
    EXPECT_FALSE(TypeTest(broken).Holds(values::MakeTuple({Value(1)}))) << broken;
  }
}

TEST(Run, FindsInDicts) {
  constexpr std::string_view kText =
      "def forward(self, key: str) -> int:\n  d = {'a': 1, 'b': 2}\n  return d[key]\n";
  EXPECT_EQ(RunForward(kText, {Value("b")})->int_value(), 2);
  const RunResult<Value> missing = RunForward(kText, {Value("c")});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "KeyError: c");
  EXPECT_THAT(missing.error().trace, HasSubstr("line 3, in forward"));
  EXPECT_THAT(missing.error().trace, HasSubstr("return d[key]"));
}

// PyTorch gives no trace for what a model raises.
TEST(Run, TracesWhatTheModelRaises) {
  graph::TextUnit code;
  const graph::DefinitionId inner = *code.AddModule("__torch__.Inner");
  ASSERT_TRUE(code.Define(inner,
                          "def check(self, x: int) -> int:\n"
                          "  if x is not None:\n    raise Exception('too bad')\n  return x\n"));
  const graph::DefinitionId outer = *code.AddModule("__torch__.M");
  ASSERT_TRUE(code.AddSubmodule(outer, "inner", inner));
  ASSERT_TRUE(code.Define(outer,
                          "def forward(self, x: int) -> int:\n"
                          "  return self.inner.check(x)\n"));
  Module module = Load(code, outer);
  const RunResult<Value> result = module.Run("forward", std::vector<Value>{Value(1)});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("too bad"));
  ASSERT_EQ(result.error().handles.size(), 1);
  EXPECT_THAT(result.error().trace,
              HasSubstr("top(M)::forward.inner(Inner)::check.prim::RaiseException"));
  EXPECT_THAT(result.error().trace, HasSubstr("raise Exception('too bad')"));

  Module stripped = Load(code, outer, false);
  const RunResult<Value> bare = stripped.Run("forward", std::vector<Value>{Value(1)});
  ASSERT_FALSE(bare);
  EXPECT_EQ(bare.error().handles, result.error().handles);
  EXPECT_THAT(bare.error().trace, HasSubstr("{{{hdh:"));
}

// A call through an interface is a frame of its own: one handle for each.
TEST(Run, CallsMethodsOfInterfaces) {
  graph::TextUnit code;
  ASSERT_TRUE(code.Define("class I(ModuleInterface):\n  def one(self, x: int) -> int:\n    pass\n",
                          "__torch__"));
  const graph::DefinitionId inner = *code.AddModule("__torch__.Inner");
  ASSERT_TRUE(code.Define(inner,
                          "def one(self, x: int) -> int:\n"
                          "  if x is not None:\n    raise Exception('inside')\n"
                          "  return x\n"));
  const graph::DefinitionId id = *code.AddModule("__torch__.M");
  ASSERT_TRUE(code.AddAttribute(id, "inner", "__torch__.I"));
  ASSERT_TRUE(code.Define(id, "def forward(self, x: int) -> int:\n  return self.inner.one(x)\n"));
  Module module = Load(code, id);
  const_cast<values::Object&>(module.root()).slots[0] = ObjectOf(code.unit(), inner);
  const RunResult<Value> result = module.Run("forward", std::vector<Value>{Value(1)});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().handles.size(), 2);
  EXPECT_THAT(result.error().trace, HasSubstr("return self.inner.one(x)"));
  EXPECT_THAT(result.error().trace, HasSubstr("raise Exception('inside')"));
}

TEST(Run, RefusesWhatDoesNotFit) {
  graph::TextUnit code;
  const graph::DefinitionId id = *code.AddModule("__torch__.M");
  ASSERT_TRUE(code.Define(id, "def forward(self, x: int) -> int:\n  return x\n"));
  Module module = Load(code, id);
  EXPECT_EQ(module.methods(), std::vector<std::string>{"forward"});
  EXPECT_EQ(module.Run("backward", {}).error().message,
            "there is no method '__torch__.M.backward'");
  EXPECT_EQ(module.Run("forward", {}).error().message,
            "method '__torch__.M.forward': need 1 inputs, have 0");
  EXPECT_EQ(module.Run("forward", std::vector<Value>{Value("text")}).error().message,
            "method '__torch__.M.forward': input 'x': need int, have str");
  EXPECT_TRUE(module.Run("forward", {}).error().is_misuse);
  EXPECT_TRUE(module.Run("forward", {}).error().handles.empty());
}

TEST(Run, WarnsOfOperatorsWithoutKernel) {
  graph::TextUnit code;
  const graph::DefinitionId id = *code.AddModule("__torch__.M");
  ASSERT_TRUE(code.Define(id, "def forward(self, x):\n  return torch.digamma(x)\n"));
  Module module = Load(code, id);
  EXPECT_EQ(module.warnings(), std::vector<std::string>{
                                   "no kernel for operator 'aten::digamma', called at <string>:2"});
  const Value tensor(values::Tensor::Allocate(values::ElementType::kFloat32, {}));
  const RunResult<Value> result = module.Run("forward", std::vector<Value>{tensor});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "no kernel for operator 'aten::digamma'");
  EXPECT_THAT(result.error().trace, HasSubstr("torch.digamma(x)"));
}

TEST(EventRecorder, KeepsTheNewest) {
  EventRecorder recorder(2);
  for (const DebugHandle handle : {1, 2, 3}) recorder.Record(handle, 0, 0);
  EXPECT_EQ(recorder.recorded_count(), 3);
  const std::vector<Event> events = recorder.Take();
  ASSERT_EQ(events.size(), 2);
  EXPECT_EQ(events[0].handle, 2);
  EXPECT_EQ(events[1].handle, 3);
  EXPECT_TRUE(recorder.Take().empty());

  EventRecorder none(0);
  none.Record(1, 0, 0);
  EXPECT_TRUE(none.Take().empty());
}

TEST(EventRecorder, MeasuresInNanoseconds) {
  const auto steady_ns = [] {
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                 std::chrono::nanoseconds(1));
  };
  EventRecorder recorder(1);
  const uint64_t before_ns = steady_ns();
  const uint64_t start = recorder.Now();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const uint64_t end = recorder.Now();
  const uint64_t after_ns = steady_ns();
  recorder.Record(7, start, end, "gpu");
  const Event event = recorder.Take().at(0);
  constexpr uint64_t kDriftNs = 100'000;
  EXPECT_GE(event.duration_ns, 5'000'000 - kDriftNs);
  EXPECT_GE(event.start_ns, before_ns - kDriftNs);
  EXPECT_LE(event.start_ns + event.duration_ns, after_ns + kDriftNs);
  EXPECT_EQ(event.backend, "gpu");
}

TEST(EventRecorder, SeesEveryOperatorOfARun) {
  graph::TextUnit code;
  const graph::DefinitionId id = *code.AddModule("__torch__.M");
  ASSERT_TRUE(code.Define(id,
                          "def forward(self, n: int) -> int:\n"
                          "  x = 0\n  for i in range(n):\n    x = x + i\n  return x\n"));
  Module module = Load(code, id);
  EventRecorder recorder(16);
  module.set_recorder(&recorder);
  EXPECT_EQ(module.Run("forward", std::vector<Value>{Value(4)})->int_value(), 6);
  const std::vector<Event> events = recorder.Take();
  ASSERT_EQ(events.size(), 4);
  for (size_t i = 1; i < events.size(); ++i) {
    EXPECT_EQ(events[i].handle, events[0].handle);
    EXPECT_GE(events[i].start_ns, events[i - 1].start_ns + events[i - 1].duration_ns);
  }
  module.set_recorder(nullptr);
  EXPECT_TRUE(module.Run("forward", std::vector<Value>{Value(4)}));
  EXPECT_TRUE(recorder.Take().empty());
}

}  // namespace
}  // namespace handrail::runtime
