#include "graph/verifier.h"

#include <gtest/gtest.h>

#include "graph/graph_text.h"
#include "graph/operators.h"
#include "graph/random_graph_testing.h"

namespace handrail::graph {
namespace {

// The verifier's words about a graph in text form; "" if it has none.
std::string Verdict(CompilationUnit& unit, std::string_view text) {
  const auto graph = ParseGraph(unit, text);
  if (!graph) return "not read: " + graph.error().message;
  const Status status = VerifyGraph(*graph, "f");
  return status ? "" : status.error().message;
}
std::string Verdict(std::string_view text) {
  CompilationUnit unit;
  RandomGraphs definitions(unit, 0);
  return Verdict(unit, text);
}

TEST(Verifier, OperatorsTakeWhatTheirSchemasSay) {
  EXPECT_EQ(Verdict("graph(%0 : Tensor):\n  %1 : Tensor = aten::relu(%0)\n  return (%1)\n"), "");
  EXPECT_EQ(Verdict("graph(%0 : int):\n  %1 : Tensor = aten::relu(%0)\n  return (%1)\n"),
            "f: aten::relu: input 0: need Tensor, have int");
  EXPECT_EQ(Verdict("graph(%0 : Tensor):\n  %1 : int = aten::relu(%0)\n  return (%1)\n"),
            "f: aten::relu: output 0: gives Tensor, but is int");
  EXPECT_EQ(Verdict("graph(%0 : Tensor):\n  %1 : Tensor = aten::relu(%0, %0)\n  return ()\n"),
            "f: aten::relu: need 1 inputs, have 2");
  EXPECT_EQ(Verdict("graph(%0 : Tensor):\n  aten::relu(%0)\n  return ()\n"),
            "f: aten::relu: need 1 outputs, have 0");
  EXPECT_EQ(Verdict("graph(%0 : int[], %1 : str):\n  %2 : int[] = aten::append.t(%0, %1)\n"
                    "  return ()\n"),
            "f: aten::append.t: input 1: need int, have str");
  EXPECT_EQ(Verdict("graph():\n  mine::op()\n  return ()\n"),
            "f: mine::op: there is no such operator");
}

TEST(Verifier, ValuesAreSeenBelowTheirDefinitionAndInside) {
  EXPECT_EQ(Verdict("graph(%0 : bool):\n"
                    "  prim::If(%0)\n"
                    "    block0():\n      %1 : int = prim::Constant[value=1]()\n      -> ()\n"
                    "    block1():\n      prim::Print(%1)\n      -> ()\n"
                    "  return ()\n"),
            "f: prim::Print: input 0: its value is not visible here");
  EXPECT_EQ(Verdict("graph(%0 : bool):\n"
                    "  %1 : Future(bool) = prim::fork()\n"
                    "    block0():\n      -> (%0)\n"
                    "  return ()\n"),
            "f: prim::Return: input 0: its value is not visible here");
  // A node moved above what it uses.
  CompilationUnit unit;
  Graph graph(unit);
  const InsertPoint end = graph.end_of(graph.root());
  const ValueId one = graph.InsertConstant(end, unit.constants.Int(1), OriginTable::null_range());
  const NodeId print =
      graph.Insert(end, symbols::kPrint, std::array{one}, OriginTable::null_range());
  EXPECT_TRUE(VerifyGraph(graph, "f"));
  graph.Move(print, graph.before(graph.producer(one)));
  EXPECT_FALSE(VerifyGraph(graph, "f"));
}

TEST(Verifier, BlocksGiveWhatTheirNodeGives) {
  EXPECT_EQ(Verdict("graph(%0 : bool):\n"
                    "  %1 : int = prim::If(%0)\n"
                    "    block0():\n      -> ()\n    block1():\n      -> ()\n"
                    "  return ()\n"),
            "f: prim::If: block 0: need 1 results, have 0");
  EXPECT_EQ(Verdict("graph(%0 : bool):\n"
                    "  %1 : int = prim::If(%0)\n"
                    "    block0():\n      -> (%0)\n    block1():\n      -> (%0)\n"
                    "  return ()\n"),
            "f: prim::If: output 0: gives bool, but is int");
  EXPECT_EQ(Verdict("graph(%0 : bool):\n  prim::If(%0)\n    block0():\n      -> ()\n"
                    "  return ()\n"),
            "f: prim::If: need 2 blocks, have 1");
  EXPECT_EQ(Verdict("graph(%0 : bool, %1 : int):\n"
                    "  %2 : int = prim::Loop(%1, %0, %1)\n"
                    "    block0(%3 : int):\n      -> (%0)\n"
                    "  return ()\n"),
            "f: prim::Loop: carries 1 values, but has 1 outputs, 1 parameters and 1 results");
  EXPECT_EQ(Verdict("graph(%0 : bool, %1 : int):\n"
                    "  prim::Loop(%1, %0)\n"
                    "    block0(%3 : int):\n      -> (%3)\n"
                    "  return ()\n"),
            "f: prim::Loop: result 0: need bool, have int");
  EXPECT_EQ(Verdict("graph(%0 : bool):\n"
                    "  %1 : Future(int) = prim::fork(%0)\n"
                    "    block0(%2 : bool):\n      -> (%2)\n"
                    "  return ()\n"),
            "f: prim::fork: result 0: need int, have bool");
}

TEST(Verifier, StructuralNodesMakeSense) {
  const auto one = [](std::string_view inputs, std::string_view node) {
    return Verdict("graph(" + std::string(inputs) + "):\n  " + std::string(node) +
                   "\n  return ()\n");
  };
  EXPECT_EQ(one("", "%0 : str = prim::Constant[value=1]()"),
            "f: prim::Constant: output 0: gives int, but is str");
  EXPECT_EQ(one("", "%0 : int = prim::Constant()"),
            "f: prim::Constant: output 0: gives NoneType, but is int");
  EXPECT_EQ(one("", "%0 : int? = prim::Constant()"), "");
  EXPECT_EQ(one("%0 : int", "%1 : str[] = prim::ListConstruct(%0)"),
            "f: prim::ListConstruct: input 0: need str, have int");
  EXPECT_EQ(one("%0 : int", "%1 : str = prim::ListConstruct(%0)"),
            "f: prim::ListConstruct: output 0: need a list, have str");
  EXPECT_EQ(one("%0 : int", "%1 : (int, int) = prim::TupleConstruct(%0)"),
            "f: prim::TupleConstruct: need 2 inputs, have 1");
  EXPECT_EQ(one("%0 : (int, str)", "%1 : int = prim::TupleUnpack(%0)"),
            "f: prim::TupleUnpack: need 2 outputs, have 1");
  EXPECT_EQ(one("%0 : int[]", "%1 : str = prim::ListUnpack(%0)"),
            "f: prim::ListUnpack: output 0: gives int, but is str");
  EXPECT_EQ(one("%0 : int", "%1 : Dict(int, int) = prim::DictConstruct(%0)"),
            "f: prim::DictConstruct: a key has no value");
  EXPECT_EQ(one("%0 : __torch__.___torch_mangle_3.M", "%1 : int = prim::GetAttr[name=\"x\"](%0)"),
            "f: prim::GetAttr: '__torch__.___torch_mangle_3.M' has no attribute 'x'");
  EXPECT_EQ(
      one("%0 : __torch__.___torch_mangle_3.M", "%1 : int = prim::GetAttr[name=\"weight\"](%0)"),
      "f: prim::GetAttr: output 0: gives Tensor, but is int");
  EXPECT_EQ(
      one("%0 : __torch__.___torch_mangle_3.M, %1 : int", "prim::SetAttr[name=\"weight\"](%0, %1)"),
      "f: prim::SetAttr: input 1: need Tensor, have int");
  EXPECT_EQ(one("%0 : int", "%1 : int = prim::GetAttr(%0)"),
            "f: prim::GetAttr: need the attribute 'name'");
  EXPECT_EQ(one("%0 : __torch__.___torch_mangle_3.M",
                "%1 : Tensor = prim::CallMethod[name=\"forward\"](%0)"),
            "f: prim::CallMethod: need 2 arguments, have 1");
  EXPECT_EQ(
      one("%0 : __torch__.___torch_mangle_3.M", "%1 : Tensor = prim::CallMethod[name=\"go\"](%0)"),
      "f: prim::CallMethod: '__torch__.___torch_mangle_3.M' has no method 'go'");
  EXPECT_EQ(one("%0 : __torch__.helper", "%1 : Tensor = prim::CallFunction(%0, %0)"),
            "f: prim::CallFunction: input 1: need Tensor, have __torch__.helper");
  EXPECT_EQ(one("%0 : int", "%1 : bool = prim::isinstance(%0)"),
            "f: prim::isinstance: need the attribute 'types'");
  EXPECT_EQ(one("%0 : int", "prim::RaiseException(%0)"),
            "f: prim::RaiseException: input 0: need str, have int");
  EXPECT_EQ(one("%0 : int", "prim::If(%0, %0)"), "f: prim::If: wrong number of inputs: 2");
}

TEST(Verifier, AFaultIsShownWithItsSourceLine) {
  CompilationUnit unit;
  Graph graph(unit);
  const SourceId source = unit.origins.AddSource({"m.py", 3, "a\nb + 1\n"});
  const ValueId text = graph.AddInput(types::kString);
  const Symbol relu = unit.strings.Intern("aten::relu");
  const NodeId node =
      graph.Insert(graph.end_of(graph.root()), relu, std::array{text},
                   unit.origins.AddRange(source, 2, 7), FindOperator(unit, relu, ""));
  graph.AddOutput(node, types::kTensor);
  EXPECT_EQ(VerifyGraph(graph, "__torch__.M.forward").error().message,
            "__torch__.M.forward: aten::relu: input 0: need Tensor, have str (m.py:4:1)");
}

}  // namespace
}  // namespace handrail::graph
