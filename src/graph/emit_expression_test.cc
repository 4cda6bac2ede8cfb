#include <string>

#include <gtest/gtest.h>

#include "graph/emit_testing.h"

namespace handrail::graph {
namespace {

TEST(EmitExpressionTest, OperandsChooseTheOverload) {
  EXPECT_EQ(CompiledExpression("x + y"), "aten::add.Tensor <x + y>\n");
  EXPECT_EQ(CompiledExpression("x + i"), "aten::add.Scalar <x + i>\n");
  EXPECT_EQ(CompiledExpression("i + j"), "aten::add.int <i + j>\n");
  EXPECT_EQ(CompiledExpression("i + a"), "aten::add.int_float <i + a>\n");
  EXPECT_EQ(CompiledExpression("n + [i]"), "aten::add.t <n + [i>\n");
  EXPECT_EQ(CompiledExpression("s + s"), "aten::add.str <s + s>\n");
}

TEST(EmitExpressionTest, OuterOperatorsComeBehindInnerOnes) {
  EXPECT_EQ(CompiledExpression("x * y + x @ y"),
            "aten::mul.Tensor <x * y>\naten::matmul <x @ y>\naten::add.Tensor <x * y + x @ y>\n");
}

TEST(EmitExpressionTest, NumbersInFrontOfTensorsChangePlaces) {
  EXPECT_EQ(CompiledExpression("2 * x"), "aten::mul.Scalar <2 * x>\n");
  EXPECT_EQ(CompiledExpression("1 - x"), "aten::neg <1 - x>\naten::add.Scalar <1 - x>\n");
  EXPECT_EQ(CompiledExpression("a / x"), "aten::reciprocal <a / x>\naten::mul.Scalar <a / x>\n");
  EXPECT_EQ(CompiledExpression("i < x"), "aten::gt.Scalar <i < x>\n");
}

TEST(EmitExpressionTest, CallsHaveTheRangeOfTheirCallee) {
  EXPECT_EQ(CompiledExpression("x.view(-1, i)"), "aten::view <x.view>\n");
  EXPECT_EQ(CompiledExpression("torch.cat([x, y], 1)"), "aten::cat <torch.cat>\n");
  EXPECT_EQ(CompiledExpression("x.abs().neg()"), "aten::abs <x.abs>\naten::neg <x.abs().neg>\n");
}

TEST(EmitExpressionTest, PropertiesOfTensorsAreOperators) {
  EXPECT_EQ(CompiledExpression("x.shape"), "aten::size <x.shape>\n");
  EXPECT_EQ(CompiledExpression("x.T"), "aten::numpy_T <x.T>\n");
  EXPECT_EQ(CompiledExpression("x.float()"), "aten::to.dtype <x.float>\n");
}

TEST(EmitExpressionTest, OperatorsHaveOneNameEach) {
  EXPECT_EQ(CompiledExpression("torch.absolute(x)"), "aten::abs <torch.absolute>\n");
  EXPECT_EQ(CompiledExpression("x.swapaxes(0, 1)"), "aten::transpose.int <x.swapaxes>\n");
  EXPECT_EQ(CompiledExpression("torch.rsub(x, y)"), "aten::sub.Tensor <torch.rsub>\n");
  EXPECT_EQ(CompiledExpression("b is b"), "aten::eq.bool <b is b>\n");
}

TEST(EmitExpressionTest, TheOppositeOfANumberIsANumber) {
  EXPECT_EQ(CompiledExpression("-1"), "");
  EXPECT_EQ(CompiledExpression("-i"), "aten::neg.int <-i>\n");
}

TEST(EmitExpressionTest, IndicesOfTensorsActOneByOne) {
  EXPECT_EQ(CompiledExpression("x[0, 1:, None]"),
            "aten::select.int <x[0, 1:, None]>\naten::slice.Tensor <x[0, 1:, None]>\n"
            "aten::unsqueeze <x[0, 1:, None]>\n");
  EXPECT_EQ(CompiledExpression("x[..., i]"), "aten::select.int <x[..., i]>\n");
  EXPECT_EQ(CompiledExpression("x[:, y]"),
            "aten::slice.Tensor <x[:, y]>\naten::index.Tensor <x[:, y]>\n");
  EXPECT_EQ(CompiledExpression("x[n]"), "aten::tensor <x[n]>\naten::index.Tensor <x[n]>\n");
}

// PyTorch 1.13 emits it three times, and pops three elements.
TEST(EmitExpressionTest, AnIndexIsComputedOnce) {
  EXPECT_EQ(CompiledExpression("x[n.pop()]"),
            "aten::pop.t <n.pop>\naten::select.int <x[n.pop()>\n");
}

TEST(EmitExpressionTest, WhatIsNoTensorIsIndexedByItem) {
  EXPECT_EQ(CompiledExpression("n[i]"), "aten::__getitem__.t <n[i]>\n");
  EXPECT_EQ(CompiledExpression("s[i]"), "aten::__getitem__.str <s[i]>\n");
  EXPECT_EQ(CompiledExpression("{\"k\": x}[s]"), "aten::__getitem__.Dict_str <\"k\": x}[s]>\n");
  EXPECT_EQ(CompiledExpression("n[1:]"), "aten::slice.t <n[1:>\n");
  EXPECT_EQ(CompiledExpression("(x, i)[0] + 1"), "aten::add.Scalar <x, i)[0] + 1>\n");
}

TEST(EmitExpressionTest, ArgumentsAreMadeWhatTheSchemaAsks) {
  EXPECT_EQ(CompiledExpression("torch.full([2], x)"),
            "aten::ScalarImplicit <torch.full>\naten::full <torch.full>\n");
  EXPECT_EQ(CompiledExpression("torch.zeros([])"), "aten::zeros <torch.zeros>\n");
  EXPECT_EQ(CompiledExpression("torch.conv2d(x, y, None, (1, i))"),
            "aten::conv2d <torch.conv2d>\n");
}

TEST(EmitExpressionTest, ComprehensionsAreLoopsThatAppend) {
  EXPECT_EQ(CompiledExpression("[v * 2 for v in n]"),
            "aten::len.t <v * 2 for v in n>\n"
            "  aten::__getitem__.t <v * 2 for v in n>\n"
            "  aten::mul.int <v * 2>\n"
            "  aten::append.t <v * 2 for v in n>\n");
}

TEST(EmitExpressionTest, FormatStringsAreFormatted) {
  EXPECT_EQ(CompiledExpression("f\"{i} of {s}\""), "aten::format <f\"{i} of {s}\">\n");
}

TEST(EmitExpressionTest, ResultsOfOperatorsHaveNames) {
  EXPECT_EQ(CompiledExpression("torch.max(x, 1).values + 1"),
            "aten::max.dim <torch.max>\naten::add.Scalar <torch.max(x, 1).values + 1>\n");
}

TEST(EmitExpressionTest, ChainsOfAnyLengthAreCompiled) {
  const auto node_count = [](const std::string& expression) {
    TextUnit code;
    const Result<const Graph*> graph = CompileInto(code, FunctionReturning(expression));
    EXPECT_TRUE(graph) << graph.error().message.substr(0, 200);
    return graph ? (*graph)->node_count() : 0;
  };
  std::string calls = "x";
  std::string sum = "x";
  for (int row = 0; row < 100'000; ++row) calls += ".abs()";
  for (int row = 0; row < 20'000; ++row) sum += " + y";
  EXPECT_GE(node_count(calls), 100'000u);
  EXPECT_GE(node_count(sum), 20'000u);
}

TEST(EmitExpressionTest, DeepNestingIsALimit) {
  std::string deep;
  for (int row = 0; row < 100'000; ++row) deep += "torch.abs(";
  deep += "x" + std::string(100'000, ')');
  const std::string message = CompiledExpression(deep);
  EXPECT_NE(message.find("nested too deep"), std::string::npos) << message.substr(0, 200);
}

TEST(EmitExpressionTest, AMethodsReceiverMayHaveAnyName) {
  TextUnit code;
  const DefinitionId module = *code.AddModule("__torch__.M");
  const Status status = code.Define(module,
                                    "def twice(me, x):\n"
                                    "  return x * 2\n"
                                    "def forward(me, x):\n"
                                    "  return me.twice(x)\n");
  EXPECT_TRUE(status) << status.error().message;
}

TEST(EmitExpressionTest, ConstantsOfEveryKindAreFolded) {
  EXPECT_EQ(CompiledExpression("1.5 - 2j"), "");
  EXPECT_EQ(CompiledExpression("-(1. + 2j)"), "");
  EXPECT_EQ(CompiledExpression("(1 + 2j) * 1j == 3."), "");
  EXPECT_EQ(CompiledExpression("torch.device(\"cpu\")"), "");
  EXPECT_EQ(CompiledExpression("\"a\" + \"b\""), "");
}

TEST(EmitExpressionTest, ErrorsShowTheLine) {
  EXPECT_EQ(CompiledExpression("z + 1"),
            "f.py:2:10: undefined name 'z'\n  return z + 1\n         ~ <--- HERE");
  EXPECT_EQ(CompiledExpression("x.nonsense()"),
            "f.py:2:10: a Tensor has no attribute or method 'nonsense'\n  return x.nonsense()\n"
            "         ~~~~~~~~~~ <--- HERE");
  EXPECT_EQ(CompiledExpression("torch.nonsense(x)"),
            "f.py:2:10: there is no operator 'aten::nonsense'\n  return torch.nonsense(x)\n"
            "         ~~~~~~~~~~~~~~ <--- HERE");
  EXPECT_EQ(CompiledExpression("(x, i)[2]"),
            "f.py:2:11: need an index into 2 elements, have 2\n  return (x, i)[2]\n"
            "          ~~~~~~~~ <--- HERE");
}

}  // namespace
}  // namespace handrail::graph
