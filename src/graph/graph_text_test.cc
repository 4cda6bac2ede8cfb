#include "graph/graph_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/clone.h"
#include "graph/random_graph_testing.h"
#include "graph/verifier.h"

namespace handrail::graph {
namespace {

// The L/M/N example of the design, after inlining: `sub` is M's, called by N.
TEST(GraphText, ShowsWhereEachNodeComesFrom) {
  CompilationUnit unit;
  const DefinitionId module =
      unit.AddDefinition(DefinitionKind::kModule, unit.strings.Intern("__torch__.N")).value();
  const SourceId source = unit.origins.AddSource(
      {"model.py", 1, "def forward(self, x):\n  return x - 2\n  return self.m(x) + 3\n"});
  const auto text = [&](std::string_view word) { return unit.strings.Intern(word); };
  const StackId call = unit.origins.AddStack({StackId::none(), text("forward"), text("__torch__.M"),
                                              text("m"), unit.origins.AddRange(source, 46, 55)});
  Graph graph(unit);
  const ValueId self = graph.AddInput(unit.definition(module).type, symbols::kSelf);
  const ValueId x = graph.AddInput(types::kTensor, text("x"));
  ASSERT_FALSE(graph.is_used(self));
  const RangeId two = unit.origins.AddRange(source, 35, 36);
  const ValueId alpha =
      graph.InsertConstant(graph.end_of(graph.root()), unit.constants.Int(2), two, call);
  const NodeId sub = graph.Insert(
      graph.end_of(graph.root()), text("aten::sub"), std::array{x, alpha, alpha},
      unit.origins.AddRange(source, 31, 36), FindOperator(unit, text("aten::sub"), "Scalar"), call);
  graph.AddResult(graph.AddOutput(sub, types::kTensor));

  const std::string printed = ToString(graph);
  EXPECT_EQ(printed,
            "graph(%self.1 : __torch__.N, %x.1 : Tensor):\n"
            "  %0 : int = prim::Constant[value=2]()  # model.py:2:14 @0:[35,36) via 0\n"
            "  %1 : Tensor = aten::sub.Scalar(%x.1, %0, %0)  # model.py:2:10 @0:[31,36) via 0\n"
            "  return (%1)\n"
            "source 0 = \"model.py\" line 1 text 77af54a3b17c2754186e2897fd1ad90a\n"
            "call 0 = \"forward\" type \"__torch__.M\" as \"m\" at model.py:3:10 @0:[46,55)\n");
  EXPECT_EQ(ToString(graph, {.has_origins = false}),
            "graph(%self.1 : __torch__.N, %x.1 : Tensor):\n"
            "  %0 : int = prim::Constant[value=2]()\n"
            "  %1 : Tensor = aten::sub.Scalar(%x.1, %0, %0)\n"
            "  return (%1)\n");
  const auto parsed = ParseGraph(unit, printed);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_TRUE(IsEqual(*parsed, graph));
}

constexpr std::string_view kControlFlow = R"(graph(%x.1 : Tensor, %n.1 : int):
  %0 : bool = prim::Constant[value=True]()
  %x.2 : Tensor = prim::Loop(%n.1, %0, %x.1)
    block0(%i.1 : int, %x.3 : Tensor):
      %1 : bool = aten::gt.int(%i.1, %n.1)
      %x.4 : Tensor = prim::If(%1)
        block0():
          %2 : Tensor = aten::relu(%x.3)
          -> (%2)
        block1():
          prim::Print(%x.3)
          -> (%x.3)
      -> (%0, %x.4)
  %3 : Future(Tensor) = prim::fork(%x.2)
    block0(%y.1 : Tensor):
      -> (%y.1)
  %4 : Tensor = aten::wait(%3)
  %5 : float[] = prim::Constant[value=[0.5, inf]]()
  %6 : str? = prim::Constant()
  return (%4)
)";

TEST(GraphText, BlocksNest) {
  CompilationUnit unit;
  const auto graph = ParseGraph(unit, kControlFlow);
  ASSERT_TRUE(graph) << graph.error().message;
  const Status status = VerifyGraph(*graph, "f");
  EXPECT_TRUE(status) << status.error().message;
  EXPECT_EQ(ToString(*graph), kControlFlow);
}

TEST(GraphText, ErrorsSayWhere) {
  CompilationUnit unit;
  const auto message = [&](std::string_view text) {
    const auto graph = ParseGraph(unit, text);
    return graph ? "" : graph.error().message;
  };
  EXPECT_EQ(message("graph(%0 : int):\n  return (%1)\n"), "2:12: value '%1' is not defined above");
  EXPECT_EQ(message("graph(%0 : int, %0 : int):\n  return ()\n"),
            "1:18: value '%0' is defined twice");
  EXPECT_EQ(message("graph(%0 : int)\n  return ()\n"), "1:16: expected ':', found end of line");
  EXPECT_EQ(message("graph(%x : int):\n  return ()\n"), "1:8: value '%x' has no number");
  EXPECT_EQ(message("graph():\n  %0 : int = aten::nothing.at(%0)\n  return ()\n"),
            "2:14: there is no operator 'aten::nothing.at'");
  EXPECT_EQ(message("graph():\n  block0():\n"), "2:3: a block without a node in front of it");
  EXPECT_EQ(message("graph():\n  prim::Print()\n"), "3:1: expected a node, found end of text");
  EXPECT_EQ(message("graph():\n  prim::Print()  # here\n"),
            "2:20: expected '@' and a range, found 'here'");
  EXPECT_EQ(message("graph():\n  prim::Print()  # @0:[1,2)\n  return ()\n"),
            "2:21: there is no source 0");
  EXPECT_EQ(message("graph():\n  prim::Print()  # @kNull via 3\n  return ()\n"),
            "2:21: there is no call 3");
  EXPECT_EQ(message("graph():\n  return ()\ncall 0 = \"f\" from 0 at @kNull\n"),
            "3:20: call 0: caller 0 is not above it");
  EXPECT_EQ(message("graph():\n  return ()\nmore"), "3:1: expected end of text, found 'more'");
}

// What is printed reads back to an equal graph, and prints the same again; a copy is equal, too.
TEST(GraphText, RandomGraphsReadBack) {
  for (uint32_t seed = 0; seed < 150; ++seed) {
    CompilationUnit unit;
    RandomGraphs random(unit, seed);
    const Graph graph = random.Make(40);
    const Status status = VerifyGraph(graph, "random");
    ASSERT_TRUE(status) << "seed " << seed << ": " << status.error().message;
    const std::string text = ToString(graph);
    const auto parsed = ParseGraph(unit, text);
    ASSERT_TRUE(parsed) << "seed " << seed << ": " << parsed.error().message << "\n" << text;
    ASSERT_TRUE(IsEqual(graph, *parsed)) << "seed " << seed << "\n" << text;
    ASSERT_EQ(ToString(*parsed), text) << "seed " << seed;
    const Graph copy = CloneGraph(graph);
    ASSERT_TRUE(VerifyGraph(copy, "copy"));
    ASSERT_TRUE(IsEqual(graph, copy)) << "seed " << seed;
  }
}

// A change anywhere makes graphs unequal.
TEST(GraphText, EqualityNoticesEveryChange) {
  CompilationUnit unit;
  RandomGraphs random(unit, 7);
  const Graph graph = random.Make(60);
  uint32_t changes = 0;
  const auto expect_unequal = [&](const auto& change) {
    Graph copy = CloneGraph(graph);
    change(copy);
    EXPECT_FALSE(IsEqual(graph, copy));
    EXPECT_NE(ToString(graph), ToString(copy));
    ++changes;
  };
  const Graph first = CloneGraph(graph);
  const RangeId range = unit.origins.AddGap(RangeGap::kStripped);
  for (NodeId node : first.nodes(first.root())) {
    expect_unequal([&](Graph& copy) { copy.SetRange(node, range); });
    if (!first.outputs(node).empty()) {
      expect_unequal([&](Graph& copy) {
        copy.SetDebugName(copy.outputs(node)[0], unit.strings.Intern("other"));
      });
      expect_unequal([&](Graph& copy) { copy.SetType(copy.outputs(node)[0], types::kStorage); });
    }
    expect_unequal([&](Graph& copy) {
      copy.AddAttribute(node, unit.strings.Intern("more"), unit.strings.Intern("x"));
    });
    if (first.inputs(node).size() > 1 && first.inputs(node)[0] != first.inputs(node)[1]) {
      expect_unequal([&](Graph& copy) { copy.SetInput(node, 0, copy.inputs(node)[1]); });
    }
  }
  EXPECT_GT(changes, 30u);
}

// Damaged texts give errors or graphs, and never more than that.
TEST(GraphText, DamagedTextsAreRefusedOrRead) {
  CompilationUnit unit;
  RandomGraphs random(unit, 3);
  const std::string text = ToString(random.Make(30));
  std::mt19937 choice(1);
  uint32_t refused = 0;
  for (int i = 0; i < 2'000; ++i) {
    std::string damaged = text;
    const size_t at = choice() % damaged.size();
    switch (choice() % 3) {
      case 0:
        damaged.erase(at, choice() % 9);
        break;
      case 1:
        damaged[at] = static_cast<char>(choice());
        break;
      default:
        damaged.insert(at, text.substr(choice() % text.size(), choice() % 9));
    }
    const auto graph = ParseGraph(unit, damaged);
    if (!graph) {
      ++refused;
      continue;
    }
    if (VerifyGraph(*graph, "damaged")) {
      const auto again = ParseGraph(unit, ToString(*graph));
      ASSERT_TRUE(again) << again.error().message;
      ASSERT_TRUE(IsEqual(*graph, *again));
    }
  }
  EXPECT_GT(refused, 1'000u);
}

TEST(GraphText, DeepGraphsTakeNoStack) {
  CompilationUnit unit;
  std::string text = "graph(%0 : bool):\n";
  for (int i = 0; i < 30'000; ++i) text += "prim::If(%0)\nblock0():\n";
  for (int i = 0; i < 30'000; ++i) text += "-> ()\nblock1():\n-> ()\n";
  text += "return ()\n";
  const auto graph = ParseGraph(unit, text);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_TRUE(VerifyGraph(*graph, "deep"));
  const Graph copy = CloneGraph(*graph);
  EXPECT_TRUE(IsEqual(*graph, copy));
}

}  // namespace
}  // namespace handrail::graph
