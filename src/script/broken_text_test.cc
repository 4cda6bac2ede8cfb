// Texts that cannot be read: what the error says, and that nothing worse happens.
#include <string>

#include <gtest/gtest.h>

#include "script/script_testing.h"

namespace handrail::script {
namespace {

// The error at the body of a function, which is at `f.py:2:3` and on.
std::string ErrorOf(const std::string& line) {
  return DumpOf("def f(x):\n  " + line + "\n");
}

TEST(BrokenText, BracketsThatDoNotMatch) {
  EXPECT_EQ(ErrorOf("return (x"),
            "f.py:2:12: expected ')', found end of text\n  return (x\n           ~ <--- HERE");
  EXPECT_EQ(ErrorOf("return x)"),
            "f.py:2:11: expected end of line, found ')'\n  return x)\n          ~ <--- HERE");
  EXPECT_EQ(ErrorOf("return [x)"),
            "f.py:2:12: expected ']', found ')'\n  return [x)\n           ~ <--- HERE");
  EXPECT_EQ(ErrorOf("f(x, y=, z)"),
            "f.py:2:10: expected an expression, found ','\n  f(x, y=, z)\n         ~ <--- HERE");
  EXPECT_EQ(ErrorOf("{a, b}"), "f.py:2:5: expected ':', found ','\n  {a, b}\n    ~ <--- HERE");
  EXPECT_EQ(ErrorOf("x[1:2:3:4]"),
            "f.py:2:10: expected ']', found ':'\n  x[1:2:3:4]\n         ~ <--- HERE");
}

TEST(BrokenText, ExpressionsThatEndEarly) {
  EXPECT_EQ(ErrorOf("x ="),
            "f.py:2:6: expected an expression, found end of line\n  x =\n"
            "     ~ <--- HERE");
  EXPECT_EQ(ErrorOf("x = a if b"),
            "f.py:2:13: expected 'else', found end of line\n  x = a if b\n            ~ <--- HERE");
  EXPECT_EQ(ErrorOf("x = a not b"),
            "f.py:2:9: expected end of line, found 'not'\n  x = a not b\n        ~~~ <--- HERE");
  EXPECT_EQ(ErrorOf("x = a."),
            "f.py:2:9: expected name, found end of line\n  x = a.\n"
            "        ~ <--- HERE");
  EXPECT_EQ(ErrorOf("x = a.if"),
            "f.py:2:9: expected name, found 'if'\n  x = a.if\n        ~~ <--- HERE");
  EXPECT_EQ(ErrorOf("x = a 1"),
            "f.py:2:9: expected end of line, found number '1'\n  x = a 1\n"
            "        ~ <--- HERE");
}

TEST(BrokenText, Indentation) {
  EXPECT_EQ(DumpOf("def f(x):\nreturn x\n"),
            "f.py:1:10: expected an indented block, found end of line\ndef f(x):\n"
            "         ~ <--- HERE");
  EXPECT_EQ(DumpOf("def f(x):\n  a\n    b\n"),
            "f.py:3:1: unexpected indentation\n    b\n~~~~ <--- HERE");
  EXPECT_EQ(DumpOf("def f(x):\n    a\n  b\n"),
            "f.py:3:1: this line's indentation of 2 is that of no open block\n  b\n~~ <--- HERE");
  EXPECT_EQ(DumpOf("  def f(x):\n    a\n def g(x):\n    b\n"),
            "f.py:3:1: this line's indentation of 1 is that of no open block\n def g(x):\n"
            "~ <--- HERE");
  EXPECT_EQ(DumpOf("def f(x):\n\ta\n        b\n"),
            "f.py:3:1: tabs and spaces are mixed in this indentation\n        b\n"
            "~~~~~~~~ <--- HERE");
  EXPECT_EQ(DumpOf("def f(x):\n\ta\n b\n"),
            "f.py:3:1: tabs and spaces are mixed in this indentation\n b\n~ <--- HERE");
  EXPECT_EQ(ErrorOf("if x: return y"),
            "f.py:2:9: expected an indented block, found 'return'\n  if x: return y\n"
            "        ~~~~~~ <--- HERE");
}

TEST(BrokenText, Characters) {
  EXPECT_EQ(ErrorOf("x $ y"), "f.py:2:5: stray character '$'\n  x $ y\n    ~ <--- HERE");
  EXPECT_EQ(ErrorOf("x ? y"), "f.py:2:5: stray character '?'\n  x ? y\n    ~ <--- HERE");
  EXPECT_EQ(ErrorOf("x \\ y"), "f.py:2:5: stray character '\\'\n  x \\ y\n    ~ <--- HERE");
  EXPECT_EQ(ErrorOf(std::string("x\0y", 3)), "f.py:2:4: stray byte 0x00\n  x?y\n   ~ <--- HERE");
  EXPECT_EQ(ErrorOf("x \x01"), "f.py:2:5: stray byte 0x01\n  x ?\n    ~ <--- HERE");
  EXPECT_EQ(ErrorOf("x; y"),
            "f.py:2:4: several statements on a line are not supported\n  x; y\n   ~ <--- HERE");
}

TEST(BrokenText, Strings) {
  EXPECT_EQ(ErrorOf("x = 'abc"),
            "f.py:2:7: unterminated string: need ' before the end of the line\n"
            "  x = 'abc\n      ~~~~ <--- HERE");
  EXPECT_EQ(ErrorOf("x = '''abc'"),
            "f.py:2:7: unterminated string: need ''' before the end of the text\n  x = '''abc'\n"
            "      ~~~~~~~ <--- HERE");
  EXPECT_EQ(ErrorOf("x = 'abc\\"),
            "f.py:2:7: unterminated string: need ' before the end of the line\n"
            "  x = 'abc\\\n      ~~~~~ <--- HERE");
  EXPECT_EQ(ErrorOf("x = rb'abc'"),
            "f.py:2:7: string prefix 'rb' is not supported\n  x = rb'abc'\n      ~~ <--- HERE");
}

TEST(BrokenText, WhatIsPythonButNotTorchScript) {
  EXPECT_EQ(ErrorOf("x = lambda y: z"),
            "f.py:2:7: 'lambda' is not supported\n  x = lambda y: z\n      ~~~~~~ <--- HERE");
  EXPECT_EQ(ErrorOf("yield x"), "f.py:2:3: 'yield' is not supported\n  yield x\n  ~~~~~ <--- HERE");
  EXPECT_EQ(ErrorOf("try:\n    x"), "f.py:2:3: 'try' is not supported\n  try:\n  ~~~ <--- HERE");
  EXPECT_EQ(ErrorOf("match x:\n    pass"),
            "f.py:2:3: 'match' is not supported\n  match x:\n  ~~~~~ <--- HERE");
  EXPECT_EQ(ErrorOf("global x"),
            "f.py:2:3: 'global' is not supported here\n  global x\n  ~~~~~~ <--- HERE");
  EXPECT_EQ(ErrorOf("import x"),
            "f.py:2:3: 'import' is not supported here\n  import x\n  ~~~~~~ <--- HERE");
  EXPECT_EQ(DumpOf("def f(*args): pass\n"),
            "f.py:1:8: expected ',' or ')', found name 'args'\ndef f(*args): pass\n"
            "       ~~~~ <--- HERE");
  EXPECT_EQ(ErrorOf("x //= 2"),
            "f.py:2:7: expected an expression, found '='\n  x //= 2\n"
            "      ~ <--- HERE");
  EXPECT_EQ(ErrorOf("a, b += c"),
            "f.py:2:3: expected one target before an augmented assignment, found a tuple\n"
            "  a, b += c\n  ~~~~ <--- HERE");
  EXPECT_EQ(ErrorOf("x: int = y = z"),
            "f.py:2:6: a type on an assignment to several targets is not supported\n"
            "  x: int = y = z\n     ~~~ <--- HERE");
}

TEST(BrokenText, OutsideOfFunctions) {
  EXPECT_EQ(DumpOf("x = 1\n"),
            "f.py:1:1: expected 'def' or 'class', found name 'x'\nx = 1\n~ <--- HERE");
  EXPECT_EQ(DumpOf("def f(x):\n  pass\n  \n)"),
            "f.py:4:1: expected 'def' or 'class', found ')'\n)\n~ <--- HERE");
  EXPECT_EQ(DumpOf("@a\nx\n"),
            "f.py:2:1: expected 'def' or 'class', found name 'x'\nx\n"
            "~ <--- HERE");
  EXPECT_EQ(DumpOf("class A:\n  class B:\n    pass\n"),
            "f.py:2:3: expected a statement, found 'class'\n  class B:\n  ~~~~~ <--- HERE");
}

TEST(BrokenText, CodesAndOffsets) {
  const auto parse = [](std::string_view text) {
    return ParseScript({.name = "f.py", .first_line = 1, .text = text}).error();
  };
  EXPECT_EQ(parse("def f(x):\n  (x\n").code, ErrorCode::kCorrupt);
  EXPECT_EQ(parse("def f(x):\n  x $\n").offset, 14u);
  EXPECT_EQ(parse("def f(x):\n  yield x\n").code, ErrorCode::kUnsupported);
}

TEST(BrokenText, LinesCountFromTheSourcesFirst) {
  const auto tree = ParseScript({.name = "a/b.py", .first_line = 40, .text = "\n\nx\n"});
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().message,
            "a/b.py:42:1: expected 'def' or 'class', found name 'x'\nx\n~ <--- HERE");
  const auto unnamed = ParseScript({.name = "", .first_line = 1, .text = "x\n"});
  ASSERT_FALSE(unnamed);
  EXPECT_TRUE(unnamed.error().message.starts_with("1:1: expected")) << unnamed.error().message;
}

TEST(BrokenText, TheMarkLinesUpBehindTabsAndUtf8) {
  EXPECT_EQ(DumpOf("def f(x):\n\té = → + $\n"),
            "f.py:2:13: stray character '$'\n\té = → + $\n\t        ~ <--- HERE");
  EXPECT_EQ(DumpOf("def f(x):\r\n  x $\r\n"),
            "f.py:2:5: stray character '$'\n  x $\n    ~ <--- HERE");
}

TEST(BrokenText, LongLinesAreCut) {
  const std::string filler(1000, 'a');
  EXPECT_EQ(ErrorOf("x = " + filler + " $ " + filler),
            "f.py:2:1008: stray character '$'\n" + std::string(119, 'a') + " $ " +
                std::string(118, 'a') + "\n" + std::string(120, ' ') + "~ <--- HERE");
}

constexpr std::string_view kSample = R"(class A(Module):
  __parameters__ = ["w", ]
  w : Tensor
  def f(self: __torch__.A, x: Optional[Tensor]=None, *, y: int=1) -> Dict[str, int]:
    # type: (Tensor, int) -> Tensor
    a, (b, c), = d = f(x, *y, k=-1.5e-05)  # comment
    if not x in [i for i in range(3)] and y is not None:
      x[0:1, ::2, ...] += {"a\n": 1, 'b': 2}["a"]
    elif x:
      return f"{x + 1}text{{}}" if a else ()
    else:
      while True:
        break
    for i, j in z:
      with a as b, c:
        assert x, 'a' 'b'
    return ~x ** -y << 2 \
      @ 3
@torch.jit.export
def g(x): return """doc
string"""
)";

TEST(BrokenText, EveryTruncationIsReadOrRefused) {
  ASSERT_NE(DumpOf(kSample).substr(0, 4), "f.py") << DumpOf(kSample);
  for (size_t size = 0; size <= kSample.size(); ++size) {
    // A copy of exactly its size, so that AddressSanitizer sees reads behind it.
    const std::string text(kSample.substr(0, size));
    const auto tree = ParseScript({.name = "f.py", .first_line = 1, .text = text});
    if (tree) {
      EXPECT_EQ(FaultIn(*tree), "") << size;
      Dump(*tree);
    } else {
      EXPECT_LE(tree.error().offset, size);
    }
  }
}

TEST(BrokenText, EveryChangedByteIsReadOrRefused) {
  for (size_t at = 0; at < kSample.size(); ++at) {
    for (const char c :
         {'\0', '\n', ' ', '(', ')', '{', '}', '"', '\'', '\\', '#', ':', 'f', '\xff'}) {
      std::string text(kSample);
      text[at] = c;
      const auto tree = ParseScript({.name = "f.py", .first_line = 1, .text = text});
      if (tree) {
        EXPECT_EQ(FaultIn(*tree), "") << at << " " << c;
      }
    }
  }
}

}  // namespace
}  // namespace handrail::script
