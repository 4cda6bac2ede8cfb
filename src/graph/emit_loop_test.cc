#include <gtest/gtest.h>

#include "graph/emit_testing.h"

namespace handrail::graph {
namespace {

TEST(EmitLoopTest, AConditionIsAskedBeforeTheLoopAndAtItsEnd) {
  EXPECT_EQ(Compiled("def f(x, i: int):\n"
                     "  while i < 10:\n"
                     "    i += 1\n"
                     "    x = x * 2\n"
                     "  return x\n"),
            "aten::lt.int <i < 10>\n"
            "  aten::add.int <i += 1>\n"
            "  aten::mul.Scalar <x * 2>\n"
            "  aten::lt.int <i < 10>\n");
}

TEST(EmitLoopTest, ContinueAsksItAgain) {
  EXPECT_EQ(Compiled("def f(x, i: int):\n"
                     "  while i < 10:\n"
                     "    i += 1\n"
                     "    if i == 5:\n"
                     "      continue\n"
                     "    x = x + i\n"
                     "  return x\n"),
            "aten::lt.int <i < 10>\n"
            "  aten::add.int <i += 1>\n"
            "  aten::eq.int <i == 5>\n"
            "    aten::lt.int <i < 10>\n"
            "    aten::add.Scalar <x + i>\n"
            "    aten::lt.int <i < 10>\n");
}

TEST(EmitLoopTest, ForWithBreakBecomesWhile) {
  EXPECT_EQ(Compiled("def f(x, i: int):\n"
                     "  for k in range(i):\n"
                     "    if k == 3:\n"
                     "      break\n"
                     "    x = x + k\n"
                     "  return x\n"),
            "aten::gt.int <for k in range(i):>\n"
            "  aten::eq.int <k == 3>\n"
            "    aten::add.Scalar <x + k>\n"
            "  aten::add.int <for k in range(i):>\n"
            "  aten::lt.int <for k in range(i):>\n"
            "  aten::__and__.bool <for k in range(i):>\n");
}

TEST(EmitLoopTest, RangesCountThemselves) {
  EXPECT_EQ(Compiled("def f(x, i: int, j: int):\n"
                     "  for k in range(i):\n"
                     "    x = x + k\n"
                     "  for k in range(i, j, 2):\n"
                     "    x = x - k\n"
                     "  return x\n"),
            "  aten::add.Scalar <x + k>\n"
            "aten::__range_length <for k in range(i, j, 2):>\n"
            "  aten::__derive_index <for k in range(i, j, 2):>\n"
            "  aten::sub.Scalar <x - k>\n");
}

TEST(EmitLoopTest, ListsTensorsAndDictsAreWalked) {
  EXPECT_EQ(Compiled("def f(x, d: Dict[str, int]):\n"
                     "  for row in x:\n"
                     "    x = x + row\n"
                     "  for key in d:\n"
                     "    x = x + d[key]\n"
                     "  return x\n"),
            "aten::len.Tensor <for row in x:>\n"
            "  aten::select.int <for row in x:>\n"
            "  aten::add.Tensor <x + row>\n"
            "aten::keys.str <for key in d:>\n"
            "aten::len.t <for key in d:>\n"
            "  aten::__getitem__.t <for key in d:>\n"
            "  aten::__getitem__.Dict_str <d[key]>\n"
            "  aten::add.Scalar <x + d[key]>\n");
}

TEST(EmitLoopTest, ZipRunsAsLongAsTheShortest) {
  EXPECT_EQ(Compiled("def f(x, n: List[int], m: List[int]):\n"
                     "  for k, (u, v) in enumerate(zip(n, m)):\n"
                     "    x = x + u * v + k\n"
                     "  return x\n"),
            "aten::len.t <for k, (u, v) in enumerate(zip(n, m)):>\n"
            "aten::len.t <for k, (u, v) in enumerate(zip(n, m)):>\n"
            "  aten::__getitem__.t <for k, (u, v) in enumerate(zip(n, m)):>\n"
            "  aten::__getitem__.t <for k, (u, v) in enumerate(zip(n, m)):>\n"
            "  aten::mul.int <u * v>\n"
            "  aten::add.Scalar <x + u * v>\n"
            "  aten::add.Scalar <x + u * v + k>\n");
}

TEST(EmitLoopTest, TuplesAreUnrolled) {
  EXPECT_EQ(Compiled("def f(x, i: int):\n"
                     "  for v in (x, i):\n"
                     "    x = x + v\n"
                     "  return x\n"),
            "aten::add.Tensor <x + v>\naten::add.Scalar <x + v>\n");
}

TEST(EmitLoopTest, ReturnLeavesTheLoop) {
  EXPECT_EQ(Compiled("def f(x, n: int):\n"
                     "  for k in range(n):\n"
                     "    if k > 2:\n"
                     "      return x + k\n"
                     "  return x - 1\n")
                .substr(0, 12),
            "aten::gt.int");
}

TEST(EmitLoopTest, AVariableKeepsItsType) {
  EXPECT_EQ(Compiled("def f(n: int):\n  x = 1\n  for k in range(n):\n    x = \"s\"\n  return x\n"),
            "f.py:4:5: 'x' is a int and cannot become a str\n"
            "    x = \"s\"\n"
            "    ~ <--- HERE");
}

TEST(EmitLoopTest, ExitsStandInLoops) {
  EXPECT_EQ(Compiled("def f(x):\n  break\n  return x\n"),
            "f.py:2:3: 'break' outside a loop\n"
            "  break\n"
            "  ~~~~~ <--- HERE");
}

}  // namespace
}  // namespace handrail::graph
