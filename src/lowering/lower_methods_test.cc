#include "handrail/lowering/lower_methods.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/lowering/lowering.h"
#include "handrail/lowering/lowering_key.h"

#include "lowering/lowered_code.h"
#include "values/object_archive_testing.h"

namespace handrail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using values::Value;

constexpr std::string_view kCode = R"(class Part(Module):
  __parameters__ = []
  __buffers__ = []
  def forward(self: __torch__.Part,
    x: Tensor) -> Tensor:
    return torch.neg(x)
  def twice(self: __torch__.Part,
    x: Tensor) -> Tensor:
    return torch.mul(x, 2)
class Step(ModuleInterface):
  def twice(self: __torch__.Step,
    x: Tensor) -> Tensor:
    pass
class M(Module):
  __parameters__ = []
  __buffers__ = []
  part : __torch__.Part
  step : __torch__.Step
  def forward(self: __torch__.M,
    x: Tensor) -> Tensor:
    part = self.part
    return torch.add((part).forward(x, ), 1)
)";

// Its blob is the handles of all nodes that are operators.
class HandleList final : public Backend {
 public:
  Result<Value> Preprocess(const ModuleToLower& module, const Value&,
                           const GenerateDebugHandles& generate_handles) const override {
    std::vector<Value> handles;
    for (const MethodToLower& method : module.methods) {
      HANDRAIL_ASSIGN_OR_RETURN(const NodeHandles issued, generate_handles(*method.graph));
      for (const graph::NodeId node : method.graph->nodes(method.graph->root())) {
        if (!method.graph->schema(node).is_none()) handles.emplace_back(issued[node]);
      }
    }
    return values::MakeList(std::move(handles));
  }
  Result<std::vector<CompiledMethod>> Compile(const Value&, const Value&) const override {
    return std::vector<CompiledMethod>();
  }
  std::vector<Value> Execute(const Value&, std::span<const Value>) const override { return {}; }
};

class LowerMethodsTest : public testing::Test {
 protected:
  LowerMethodsTest()
      : file_(ModuleArchiveOf(
            {"__torch__.M", {{"part", {"__torch__.Part", {}}}, {"step", {"__torch__.Part", {}}}}},
            {{"__torch__", std::string(kCode)}})) {}

  Result<LoweredMethods> LowerPart(std::string_view path, std::vector<std::string> methods,
                                   const DebugInfo* others = nullptr) {
    HANDRAIL_ASSIGN_OR_RETURN(graph::LoadedModule module,
                              graph::LoadedModule::Load(BytesOf(file_), "m.pt"));
    return LowerMethods(module, HandleList(), "list", methods, Value("spec"), path, others);
  }

  std::string file_;
};

TEST_F(LowerMethodsTest, GivesBlobAndDebugInfo) {
  const Result<LoweredMethods> lowered = LowerPart("", {"forward"});
  ASSERT_TRUE(lowered) << lowered.error().message;
  ASSERT_THAT(lowered->debug_info.units, SizeIs(1));
  const Unit& unit = lowered->debug_info.units[0];
  EXPECT_EQ(unit.kind, UnitKind::kBackend);
  EXPECT_EQ(lowered->debug_info.strings.at(unit.top_type), "__torch__.M");
  std::vector<std::string_view> names;
  for (const Value& handle : lowered->blob.list().elements) {
    const auto row = HandleIndexOf(handle.int_value());
    EXPECT_EQ(unit.handles.at(row), handle.int_value());
    names.push_back(lowered->debug_info.strings.at(unit.nodes.at(row).name));
    EXPECT_EQ(lowered->debug_info.strings.at(unit.nodes.at(row).function), "__torch__.M.forward");
  }
  EXPECT_THAT(names, ElementsAre("aten::neg", "aten::add"));
}

TEST_F(LowerMethodsTest, EveryPathAndMethodHasHandlesOfItsOwn) {
  const auto key = [&](std::string_view path, std::vector<std::string> methods) {
    const Result<LoweredMethods> lowered = LowerPart(path, std::move(methods));
    EXPECT_TRUE(lowered);
    return lowered ? lowered->debug_info.units[0].key : Hash128{};
  };
  EXPECT_EQ(key("part", {"forward"}), key("part", {"forward"}));
  EXPECT_NE(key("part", {"forward"}), key("step", {"forward"}));
  EXPECT_NE(key("part", {"forward"}), key("part", {"twice"}));
}

TEST_F(LowerMethodsTest, AHandleSpaceThatIsTakenIsLeftToWhoHasIt) {
  const Result<LoweredMethods> first = LowerPart("part", {"forward"});
  ASSERT_TRUE(first);
  const Hash128 key = first->debug_info.units[0].key;
  // Another lowering whose key falls on the same space, and on that of the next try.
  DebugInfo others;
  for (const Hash128& taken : {key, SaltedKey(key, 1)}) {
    Unit unit;
    unit.kind = UnitKind::kBackend;
    unit.key = Hash128{taken.high, taken.low + 1};
    unit.handles = {MakeHandle(HandleSpaceForKey(taken, 0), 3)};
    unit.nodes.resize(1);
    others.units.push_back(unit);
  }
  const Result<LoweredMethods> second = LowerPart("part", {"forward"}, &others);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->debug_info.units[0].key, SaltedKey(key, 2));
  EXPECT_EQ(HandleSpaceOf(second->debug_info.units[0].handles[0]),
            HandleSpaceForKey(SaltedKey(key, 2), 0));
  // Its own handles, met again, are no clash.
  const Result<LoweredMethods> again = LowerPart("part", {"forward"}, &first->debug_info);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->debug_info.units[0].key, key);
}

TEST_F(LowerMethodsTest, SaysWhatIsNotThere) {
  EXPECT_EQ(LowerPart("part", {"run"}).error().message, "__torch__.Part has no method 'run'");
  EXPECT_EQ(LowerPart("part.x", {"forward"}).error().message,
            "module path 'part.x' leads to no module");
}

TEST_F(LowerMethodsTest, AModuleBehindAnInterfaceHasItsMethods) {
  BackendRegistry registry;
  ASSERT_TRUE(registry.Register("list", std::make_shared<const HandleList>()));
  const LowerSelection selection{.module_path = "step", .backend = "list"};
  const Result<std::string> lowered = Lower(BytesOf(file_), "m.pt", {&selection, 1}, registry);
  ASSERT_TRUE(lowered) << lowered.error().message;
  Result<graph::LoadedModule> module = graph::LoadedModule::Load(BytesOf(*lowered), "m.pt");
  ASSERT_TRUE(module) << module.error().message;
  const auto wrapper = module->ClassNamed("torch.jit.LoweredWrapper.list.__torch__.Part");
  ASSERT_TRUE(wrapper) << wrapper.error().message;
  std::vector<std::string_view> names;
  for (const auto& method : module->unit().definition(*wrapper).methods) {
    names.push_back(module->unit().text(method.name));
  }
  EXPECT_THAT(names, ElementsAre("forward", "twice"));
  // The interface says nothing of classes: the code of the top module is as it was.
  const Status all = module->CompileAll();
  EXPECT_TRUE(all) << all.error().message;
}

TEST(LoweredCodeTest, TextsOfMethodsHavePyTorchsIndentation) {
  const LoweredMethod method{.name = "forward",
                             .arguments = {{"x", "Tensor"}, {"y", "Tensor"}},
                             .result_type = "Tuple[Tensor, int]",
                             .output_types = {"Tensor", "int"},
                             .returns_tuple = true};
  const GeneratedClass code =
      LoweredModuleCode("torch.jit.LoweredModule.b.__torch__.M", "b", {method});
  EXPECT_EQ(code.texts().back(), R"(
            def forward(self, x: Tensor, y: Tensor):
                typed_inputs: List[Any] = [x, y, ]
                if self.__backend.is_available() :
                  _0, _1 = self.__backend.execute(self.__handles["forward"], typed_inputs)
                  assert isinstance(_0, Tensor)
                  assert isinstance(_1, int)
                  return _0, _1
                else:
                  raise Exception("Backend is not available.")
            )");
  EXPECT_THAT(code.code(), HasSubstr("      _13 = (_18, _20)\n"));
  const GeneratedClass wrapper = LoweredWrapperCode(
      "torch.jit.LoweredWrapper.b.__torch__.M", "torch.jit.LoweredModule.b.__torch__.M", {method});
  EXPECT_EQ(wrapper.texts().back(), R"(
            def forward(self, x: Tensor, y: Tensor):
                return self.__loweredModule__.forward(x, y)
            )");
}

}  // namespace
}  // namespace handrail
