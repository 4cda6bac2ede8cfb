#include "handrail/graph/text_unit.h"

#include <gtest/gtest.h>

#include "graph/emit_testing.h"

namespace handrail::graph {
namespace {

class ModulesTest : public testing::Test {
 protected:
  DefinitionId Module(std::string_view name) {
    const Result<DefinitionId> module = code_.AddModule(name);
    return module ? *module : DefinitionId::none();
  }

  const Graph& GraphOf(DefinitionId module, std::string_view method) {
    return *code_.unit().function(code_.FindMethod(module, method)).graph;
  }

  TextUnit code_;
};

TEST_F(ModulesTest, MethodsCallTheMethodsOfSubmodules) {
  const DefinitionId m = Module("__torch__.M");
  ASSERT_TRUE(code_.Define(m, "def forward(self, x):\n  return x - 2\n"));
  const DefinitionId n = Module("__torch__.N");
  ASSERT_TRUE(code_.AddSubmodule(n, "m", m));
  ASSERT_TRUE(code_.Define(n, "def forward(self, x):\n  return self.m(x) + 3\n"));
  EXPECT_EQ(OperatorsOf(GraphOf(m, "forward")), "aten::sub.Scalar <x - 2>\n");
  const Graph& graph = GraphOf(n, "forward");
  EXPECT_EQ(OperatorsOf(graph), "aten::add.Scalar <self.m(x) + 3>\n");
  // The call has the range of its callee.
  uint32_t calls = 0;
  for (const NodeId node : graph.nodes(graph.root())) {
    if (graph.kind(node) != symbols::kCallMethod) continue;
    ++calls;
    const RangeRow& range = graph.unit().origins.range(graph.range(node));
    EXPECT_EQ(graph.unit()
                  .origins.source(range.source)
                  .text->substr(range.start, range.end - range.start),
              "self.m");
    EXPECT_EQ(graph.unit().text(graph.name(node)), "forward");
  }
  EXPECT_EQ(calls, 1u);
}

TEST_F(ModulesTest, AttributesAreReadAndSet) {
  const DefinitionId m = Module("__torch__.M");
  ASSERT_TRUE(code_.AddParameter(m, "weight"));
  ASSERT_TRUE(code_.AddAttribute(m, "count", "int"));
  ASSERT_TRUE(code_.Define(m,
                           "def forward(self, x):\n"
                           "  self.count += 1\n"
                           "  return x * self.weight + self.count\n"));
  EXPECT_EQ(OperatorsOf(GraphOf(m, "forward")),
            "aten::add.int <self.count += 1>\n"
            "aten::mul.Tensor <x * self.weight>\n"
            "aten::add.Scalar <x * self.weight + self.count>\n");
}

TEST_F(ModulesTest, ContainersAreUnrolled) {
  const DefinitionId layer = Module("__torch__.L");
  ASSERT_TRUE(code_.Define(layer, "def forward(self, x):\n  return x * 5\n"));
  const DefinitionId list = Module("__torch__.torch.nn.modules.container.ModuleList");
  ASSERT_TRUE(code_.AddSubmodule(list, "0", layer));
  ASSERT_TRUE(code_.AddSubmodule(list, "1", layer));
  const DefinitionId m = Module("__torch__.M");
  ASSERT_TRUE(code_.AddSubmodule(m, "layers", list));
  ASSERT_TRUE(code_.Define(m,
                           "def forward(self, x):\n"
                           "  for layer in self.layers:\n"
                           "    x = layer(x)\n"
                           "  return self.layers[1](x)\n"));
  const Graph& graph = GraphOf(m, "forward");
  uint32_t calls = 0;
  for (const NodeId node : graph.nodes(graph.root())) {
    if (graph.kind(node) == symbols::kCallMethod) ++calls;
  }
  EXPECT_EQ(calls, 3u);
}

TEST_F(ModulesTest, MethodsOfOneTextMayStandInAnyOrder) {
  const DefinitionId m = Module("__torch__.M");
  ASSERT_TRUE(code_.Define(m,
                           "def forward(self, x):\n"
                           "  return self.helper(x, k=2)\n"
                           "\n"
                           "def helper(self, x, k: int = 3):\n"
                           "  return x * k\n"));
  EXPECT_EQ(OperatorsOf(GraphOf(m, "helper")), "aten::mul.Scalar <x * k>\n");
}

TEST(TextUnitTest, FunctionsCallFunctions) {
  EXPECT_EQ(Compiled("def f(x):\n  return g(x) + 1\n\ndef g(x):\n  return x.neg()\n"),
            "aten::add.Scalar <g(x) + 1>\n");
}

TEST(TextUnitTest, AFunctionThatCallsItselfNeedsAResultType) {
  EXPECT_EQ(Compiled("def f(x):\n  return f(x)\n"),
            "f.py:2:10: 'f' calls itself, so its result needs a type: annotate it with '-> T'\n"
            "  return f(x)\n"
            "         ~ <--- HERE");
  EXPECT_EQ(Compiled("def f(x) -> Tensor:\n  return f(x) + 1\n"), "aten::add.Scalar <f(x) + 1>\n");
}

TEST(TextUnitTest, ManyFunctionsThatWaitForEachOtherAreALimit) {
  std::string text = "def f(x):\n  return f0(x)\n";
  for (int row = 0; row < 2000; ++row) {
    text += fmt::format("def f{}(x):\n  return f{}(x)\n", row, row + 1);
  }
  text += "def f2000(x):\n  return x\n";
  EXPECT_NE(Compiled(text).find("too many functions wait"), std::string::npos);
}

TEST(TextUnitTest, ClassesAreDefinedAndUsed) {
  EXPECT_EQ(Compiled("class P(NamedTuple):\n"
                     "  a : Tensor\n"
                     "  b : int\n"
                     "class E(Enum):\n"
                     "  RED = 1\n"
                     "  BLUE = 2\n"
                     "class C:\n"
                     "  v : int\n"
                     "  def __init__(self, v: int) -> None:\n"
                     "    self.v = v\n"
                     "  def __add__(self, o: int) -> int:\n"
                     "    return self.v + o\n"
                     "def f(x, e: E):\n"
                     "  p = P(x, 2)\n"
                     "  c = C(p.b)\n"
                     "  c.v = 5\n"
                     "  if e == E.RED:\n"
                     "    x = x * e.value\n"
                     "  return p.a + x + (c + 1)\n"),
            "aten::eq.enum <e == E.RED>\n"
            "  aten::mul.Scalar <x * e.value>\n"
            "aten::add.Tensor <p.a + x>\n"
            "aten::add.Scalar <p.a + x + (c + 1>\n");
}

TEST(TextUnitTest, NamesAreTakenOnce) {
  TextUnit code;
  ASSERT_TRUE(code.AddModule("M"));
  const Result<DefinitionId> again = code.AddModule("M");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kConflict);
  EXPECT_EQ(again.error().message, "need a new name of a module, have 'M' twice");
  EXPECT_EQ(Compiled("def f(x):\n  return x\n\ndef f(x):\n  return x\n"),
            "need a new name of a function, have 'f' twice");
}

TEST(TextUnitTest, TypesAreChecked) {
  EXPECT_EQ(Compiled("def f(x: Nonsense):\n  return x\n"),
            "f.py:1:10: unknown type 'Nonsense'\n"
            "def f(x: Nonsense):\n"
            "         ~~~~~~~~ <--- HERE");
  EXPECT_EQ(Compiled("def f(x: int) -> str:\n  return x\n"),
            "f.py:2:3: need a str, as the function's head says, have a int\n"
            "  return x\n"
            "  ~~~~~~~~ <--- HERE");
}

}  // namespace
}  // namespace handrail::graph
