#include <gtest/gtest.h>

#include "graph/emit_testing.h"

namespace handrail::graph {
namespace {

TEST(EmitBranchTest, BranchesAreBlocks) {
  EXPECT_EQ(Compiled("def f(x, i: int):\n"
                     "  if i > 1:\n"
                     "    x = x + 1\n"
                     "  elif i > 0:\n"
                     "    x = x * 2\n"
                     "  return x\n"),
            "aten::gt.int <i > 1>\n"
            "  aten::add.Scalar <x + 1>\n"
            "  aten::gt.int <i > 0>\n"
            "    aten::mul.Scalar <x * 2>\n");
}

TEST(EmitBranchTest, NothingIsEmittedWhereTypesDecide) {
  EXPECT_EQ(Compiled("def f(x):\n"
                     "  if x is None:\n"
                     "    x = x.nonsense()\n"
                     "  if isinstance(x, int):\n"
                     "    x = x.nonsense()\n"
                     "  if torch.jit.isinstance(x, Tensor):\n"
                     "    x = x + 1\n"
                     "  return x if x is not None else x.nonsense()\n"),
            "aten::add.Scalar <x + 1>\n");
}

TEST(EmitBranchTest, ChecksNarrowTypes) {
  EXPECT_EQ(Compiled("def f(o: Optional[int], u: Union[int, str]):\n"
                     "  i = 0\n"
                     "  if o is not None and o > 1:\n"
                     "    i = o + 1\n"
                     "  assert o is not None\n"
                     "  if isinstance(u, int):\n"
                     "    i = i + u\n"
                     "  else:\n"
                     "    i = i + len(u)\n"
                     "  return i + o\n"),
            "aten::__isnot__ <o is not None>\n"
            "  aten::gt.int <o > 1>\n"
            "  aten::add.int <o + 1>\n"
            "aten::__isnot__ <o is not None>\n"
            "  aten::add.int <i + u>\n"
            "  aten::len.str <len>\n"
            "  aten::add.int <i + len(u>\n"
            "aten::add.int <i + o>\n");
}

TEST(EmitBranchTest, ListsAndStringsAreTrueIfTheyHaveElements) {
  EXPECT_EQ(Compiled("def f(n: List[int]):\n  return 1 if n else 2\n"),
            "aten::len.t <n>\naten::gt.int <n>\n");
}

TEST(EmitBranchTest, AVariableNeedsAValueOnEveryWay) {
  EXPECT_EQ(Compiled("def f(b: bool):\n  if b:\n    x = 1\n  return x\n"),
            "f.py:4:10: undefined name 'x': it has no value where the condition is false\n"
            "  return x\n"
            "         ~ <--- HERE");
  EXPECT_EQ(Compiled("def f(b: bool):\n  if b:\n    x = 1\n  else:\n    x = \"s\"\n  return x\n"),
            "f.py:6:10: undefined name 'x': it is a int where the condition is true, and a str "
            "where it is false\n"
            "  return x\n"
            "         ~ <--- HERE");
}

TEST(EmitBranchTest, EarlyReturnsBecomeBranches) {
  EXPECT_EQ(Compiled("def f(x, b: bool):\n"
                     "  if b:\n"
                     "    return x + 1\n"
                     "  x = x * 2\n"
                     "  return x - 1\n"),
            "  aten::add.Scalar <x + 1>\n"
            "  aten::mul.Scalar <x * 2>\n"
            "  aten::sub.Scalar <x - 1>\n");
}

TEST(EmitBranchTest, RaiseEndsAWay) {
  EXPECT_EQ(Compiled("def f(x, i: int):\n"
                     "  if i > 1:\n"
                     "    raise ValueError(f\"bad {i}\")\n"
                     "  else:\n"
                     "    z = 2\n"
                     "  assert i < 0, \"too big\"\n"
                     "  return x + z\n"),
            "aten::gt.int <i > 1>\n"
            "  aten::format <f\"bad {i}\">\n"
            "aten::lt.int <i < 0>\n"
            "aten::add.Scalar <x + z>\n");
}

TEST(EmitBranchTest, BodiesThatEndWithoutAReturnGiveNone) {
  EXPECT_EQ(Compiled("def f(x) -> int:\n  if x.dim() > 1:\n    return 1\n"),
            "f.py:1:5: need a return of a int on every way through the body, have a way without a "
            "return\n"
            "def f(x) -> int:\n"
            "    ~~~~~~~~~~~~ <--- HERE");
}

TEST(EmitBranchTest, ManyEarlyReturnsAreALimit) {
  std::string text = "def f(x, i: int):\n";
  for (int row = 0; row < 3000; ++row) text += "  if i == 1:\n    return x\n  x = x + 1\n";
  const std::string message = Compiled(text + "  return x\n");
  EXPECT_NE(message.find("too many early exits"), std::string::npos) << message.substr(0, 200);
}

TEST(EmitBranchTest, DeepBlocksAreALimit) {
  std::string text = "def f(x, b: bool):\n";
  for (size_t row = 1; row < 3000; ++row) text += std::string(row, ' ') + "if b:\n";
  text += std::string(3000, ' ') + "x = x + 1\n return x\n";
  const std::string message = Compiled(text);
  EXPECT_NE(message.find("nested too deep"), std::string::npos) << message.substr(0, 200);
}

}  // namespace
}  // namespace handrail::graph
