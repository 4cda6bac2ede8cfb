#include "handrail/graph/graph.h"

#include <random>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/graph/compilation_unit.h"

#include "graph/clone.h"
#include "graph/graph_text.h"
#include "graph/operators.h"
#include "graph/random_graph_testing.h"
#include "graph/verifier.h"

namespace handrail::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::string Text(const Graph& graph) {
  return ToString(graph, {.has_origins = false});
}

// The nodes that use a value, with the number of the input, in no order.
std::vector<std::pair<NodeId, uint32_t>> UsesOf(const Graph& graph, ValueId value) {
  std::vector<std::pair<NodeId, uint32_t>> uses;
  for (UseId use = graph.first_use(value); !use.is_none(); use = graph.next_use(use)) {
    uses.emplace_back(graph.user(use), graph.input_index(use));
  }
  return uses;
}

class GraphEditing : public ::testing::Test {
 protected:
  NodeId Print(const std::vector<ValueId>& inputs) {
    return graph_.Insert(graph_.end_of(graph_.root()), symbols::kPrint, inputs,
                         OriginTable::null_range());
  }

  CompilationUnit unit_;
  Graph graph_{unit_};
  ValueId a_ = graph_.AddInput(types::kInt, unit_.strings.Intern("a"));
  ValueId b_ = graph_.AddInput(types::kInt, unit_.strings.Intern("b"));
};

TEST_F(GraphEditing, UsesAreListed) {
  const NodeId first = Print({a_, b_, a_});
  const NodeId second = Print({a_});
  EXPECT_THAT(UsesOf(graph_, a_), UnorderedElementsAre(std::pair(first, 0u), std::pair(first, 2u),
                                                       std::pair(second, 0u)));
  EXPECT_THAT(UsesOf(graph_, b_), ElementsAre(std::pair(first, 1u)));
  graph_.SetInput(first, 2, b_);
  EXPECT_THAT(UsesOf(graph_, b_), UnorderedElementsAre(std::pair(first, 1u), std::pair(first, 2u)));
  graph_.RemoveInput(first, 0);
  EXPECT_THAT(UsesOf(graph_, a_), ElementsAre(std::pair(second, 0u)));
  EXPECT_THAT(UsesOf(graph_, b_), UnorderedElementsAre(std::pair(first, 0u), std::pair(first, 1u)));
  graph_.ReplaceAllUses(b_, a_);
  EXPECT_FALSE(graph_.is_used(b_));
  EXPECT_THAT(graph_.inputs(first), ElementsAre(a_, a_));
  graph_.RemoveAllInputs(first);
  EXPECT_THAT(UsesOf(graph_, a_), ElementsAre(std::pair(second, 0u)));
  EXPECT_TRUE(VerifyGraph(graph_, "f"));
}

// Rows of inputs move when they grow, and links with them.
TEST_F(GraphEditing, InputsGrowOneByOne) {
  const NodeId first = Print({});
  const NodeId second = Print({});
  for (int i = 0; i < 100; ++i) {
    graph_.AddOperand(first, i % 3 == 0 ? a_ : b_);
    graph_.AddOperand(second, a_);
  }
  EXPECT_EQ(UsesOf(graph_, a_).size(), 134u);
  EXPECT_EQ(UsesOf(graph_, b_).size(), 66u);
  EXPECT_EQ(graph_.inputs(first).size(), 100u);
  EXPECT_TRUE(VerifyGraph(graph_, "f"));
}

TEST_F(GraphEditing, NodesAreInsertedMovedAndErased) {
  const NodeId first = Print({a_});
  const NodeId third = Print({});
  const NodeId second = graph_.Insert(graph_.after(first), symbols::kPrint, std::array{b_},
                                      OriginTable::null_range());
  const auto order = [&] {
    const NodeRange nodes = graph_.nodes(graph_.root());
    return std::vector<NodeId>(nodes.begin(), nodes.end());
  };
  EXPECT_THAT(order(), ElementsAre(first, second, third));
  graph_.Move(third, graph_.before(first));
  EXPECT_THAT(order(), ElementsAre(third, first, second));
  graph_.Move(third, graph_.end_of(graph_.root()));
  EXPECT_THAT(order(), ElementsAre(first, second, third));
  graph_.Erase(second);
  EXPECT_THAT(order(), ElementsAre(first, third));
  EXPECT_TRUE(graph_.is_erased(second));
  EXPECT_FALSE(graph_.is_used(b_));
  graph_.Erase(first);
  graph_.Erase(third);
  EXPECT_TRUE(graph_.nodes(graph_.root()).empty());
}

TEST_F(GraphEditing, OutputsAreRemoved) {
  const NodeId node = graph_.Insert(graph_.end_of(graph_.root()), symbols::kTupleUnpack, {},
                                    OriginTable::null_range());
  const ValueId first = graph_.AddOutput(node, types::kInt);
  const ValueId second = graph_.AddOutput(node, types::kString);
  const ValueId third = graph_.AddOutput(node, types::kBool);
  graph_.RemoveOutput(node, 1);
  EXPECT_THAT(graph_.outputs(node), ElementsAre(first, third));
  EXPECT_EQ(graph_.output_index(third), 1u);
  EXPECT_TRUE(graph_.producer(second).is_none());
}

TEST_F(GraphEditing, AnErasedNodeTakesItsBlocksWithIt) {
  const ValueId condition = graph_.AddInput(types::kBool);
  const NodeId branch = graph_.Insert(graph_.end_of(graph_.root()), symbols::kIf,
                                      std::array{condition}, OriginTable::null_range());
  for (ValueId printed : {a_, b_}) {
    const BlockId block = graph_.AddBlock(branch);
    graph_.Insert(graph_.end_of(block), symbols::kPrint, std::array{printed},
                  OriginTable::null_range());
  }
  EXPECT_TRUE(VerifyGraph(graph_, "f"));
  EXPECT_EQ(graph_.owner(graph_.blocks(branch)[1]), branch);
  graph_.EraseBlock(branch, 0);
  EXPECT_EQ(graph_.blocks(branch).size(), 1u);
  EXPECT_FALSE(graph_.is_used(a_));
  EXPECT_TRUE(graph_.is_used(b_));
  graph_.Erase(branch);
  EXPECT_FALSE(graph_.is_used(b_));
  EXPECT_FALSE(graph_.is_used(condition));
  EXPECT_TRUE(VerifyGraph(graph_, "f"));
}

// Inlining's copy: the callee's nodes go in front of a node of another graph, with its values for
// the parameters and a longer call stack.
TEST(GraphClone, NodesGoIntoAnotherGraph) {
  CompilationUnit unit;
  const StackId inner = unit.origins.AddStack(
      {StackId::none(), unit.strings.Intern("g"), {}, {}, OriginTable::null_range()});
  const StackId site = unit.origins.AddStack(
      {StackId::none(), unit.strings.Intern("f"), {}, {}, OriginTable::null_range()});
  auto callee = ParseGraph(unit,
                           "graph(%x.1 : bool):\n"
                           "  prim::If(%x.1)  # @kNull via 0\n"
                           "    block0():\n"
                           "      prim::Print(%x.1)\n"
                           "      -> ()\n"
                           "    block1():\n"
                           "      -> ()\n"
                           "  return (%x.1)\n"
                           "call 0 = \"g\" at @kNull\n");
  ASSERT_TRUE(callee) << callee.error().message;
  Graph caller(unit);
  const ValueId y = caller.AddInput(types::kBool, unit.strings.Intern("y"));
  ValueMap map(callee->value_count());
  map[callee->inputs()[0].index] = y;
  StackPrefixer prefix(unit.origins, site);
  CloneNodes(*callee, callee->root(), caller, caller.end_of(caller.root()), map,
             [&](StackId stack) { return prefix(stack); });
  EXPECT_EQ(Text(caller),
            "graph(%y.1 : bool):\n"
            "  prim::If(%y.1)\n"
            "    block0():\n"
            "      prim::Print(%y.1)\n"
            "      -> ()\n"
            "    block1():\n"
            "      -> ()\n"
            "  return ()\n");
  const NodeId branch = *caller.nodes(caller.root()).begin();
  const StackRow& stack = unit.origins.stack(caller.stack(branch));
  EXPECT_EQ(stack.caller, site);
  EXPECT_EQ(stack.function, unit.origins.stack(inner).function);
  const NodeId print = *caller.nodes(caller.blocks(branch)[0]).begin();
  EXPECT_EQ(caller.stack(print), site);
}

TEST(StackPrefixer, KeepsCallersInFront) {
  CompilationUnit unit;
  OriginTable& origins = unit.origins;
  const auto call = [&](StackId caller, std::string_view name) {
    return origins.AddStack({caller, unit.strings.Intern(name), {}, {}, OriginTable::null_range()});
  };
  StackId deep;
  for (int i = 0; i < 100'000; ++i) deep = call(deep, i % 2 == 0 ? "even" : "odd");
  const StackId site = call(call(StackId::none(), "top"), "site");
  StackPrefixer prefix(origins, site);
  EXPECT_EQ(prefix(StackId::none()), site);
  const StackId result = prefix(deep);
  EXPECT_EQ(prefix(deep), result);
  uint32_t depth = 0;
  StackId last;
  for (StackId at = result; !at.is_none(); at = origins.stack(at).caller) {
    ASSERT_TRUE(last.is_none() || at < last);
    last = at;
    ++depth;
  }
  EXPECT_EQ(depth, 100'002u);
  EXPECT_EQ(unit.text(origins.stack(last).function), "top");
}

// Random edits keep the graph's tables in order.
TEST(GraphEditingRandom, LinksHold) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    CompilationUnit unit;
    RandomGraphs graphs(unit, seed);
    Graph graph = graphs.Make(60);
    std::mt19937 random(seed);
    for (int edit = 0; edit < 60; ++edit) {
      std::vector<NodeId> nodes;
      for (uint32_t i = 0; i < graph.node_count(); ++i) {
        const NodeId node{i};
        const bool is_end =
            graph.kind(node) == symbols::kParam || graph.kind(node) == symbols::kReturn;
        if (!graph.is_erased(node) && !is_end) nodes.push_back(node);
      }
      if (nodes.empty()) break;
      const NodeId node = nodes[random() % nodes.size()];
      bool is_used = false;
      for (ValueId output : graph.outputs(node)) is_used |= graph.is_used(output);
      switch (random() % 3) {
        case 0:
          if (!is_used) graph.Erase(node);
          break;
        case 1:  // Uses go to an equal constant above them.
          for (uint32_t i = 0; i < graph.outputs(node).size(); ++i) {
            const ValueId output = graph.outputs(node)[i];
            const NodeId made =
                graph.Insert(graph.before(node), symbols::kUninitialized, {}, graph.range(node));
            graph.ReplaceAllUses(output, graph.AddOutput(made, graph.type(output)));
          }
          break;
        default:
          if (!graph.attributes(node).empty() || !graph.blocks(node).empty()) break;
          graph.Move(node, graph.before(node));  // to itself: nothing happens
      }
    }
    const Status status = VerifyGraph(graph, "edited");
    ASSERT_TRUE(status) << "seed " << seed << ": " << status.error().message << "\n"
                        << ToString(graph);
  }
}

}  // namespace
}  // namespace handrail::graph
