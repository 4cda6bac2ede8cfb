#include <gtest/gtest.h>

#include "script/script_testing.h"

namespace handrail::script {
namespace {

// The trees and ranges here are what PyTorch 1.13 makes of the same text, unless a test says
// otherwise; test/peer/script compares the two on many more.

TEST(Expressions, AnOperationReachesFromItsFirstOperandToItsLast) {
  EXPECT_EQ(DumpOfExpression("x + y"), "(add 0-5 (name 0-1 x) (name 4-5 y))");
  EXPECT_EQ(DumpOfExpression("(x) + (y)"), "(add 1-8 (name 1-2 x) (name 7-8 y))");
}

TEST(Expressions, ACallEndsBeforeItsParenthesis) {
  EXPECT_EQ(DumpOfExpression("self.A0.forward(x, y)"),
            "(call 0-20 (select 0-15 forward (select 0-7 A0 (name 0-4 self))) (name 16-17 x) "
            "(name 19-20 y) |)");
  EXPECT_EQ(DumpOfExpression("f()"), "(call 0-2 (name 0-1 f) |)");
}

TEST(Expressions, KeywordsComeAfterArgumentsInTheTree) {
  EXPECT_EQ(DumpOfExpression("f(a, k=b, *c, l=d, )"),
            "(call 0-17 (name 0-1 f) (name 2-3 a) (starred 10-12 (name 11-12 c)) | "
            "(keyword 5-8 k (name 7-8 b)) (keyword 14-17 l (name 16-17 d)))");
}

TEST(Expressions, ASubscriptEndsOneByteBehindItsLastIndex) {
  EXPECT_EQ(DumpOfExpression("x[0]"), "(subscript 0-4 (name 0-1 x) (number 2-3 0))");
  EXPECT_EQ(DumpOfExpression("x[ 0  ]"), "(subscript 0-5 (name 0-1 x) (number 3-4 0))");
  EXPECT_EQ(DumpOfExpression("x['dne']"), "(subscript 0-8 (name 0-1 x) (string 2-7 \"dne\"))");
  EXPECT_EQ(DumpOfExpression("x[()]"), "(subscript 0-5 (name 0-1 x) (tuple 4-5))");
}

TEST(Expressions, Slices) {
  EXPECT_EQ(DumpOfExpression("x[:]"), "(subscript 0-4 (name 0-1 x) (slice 2-3 - - -))");
  EXPECT_EQ(DumpOfExpression("x[a:b:c, ::d, ...]"),
            "(subscript 0-18 (name 0-1 x) (slice 2-7 (name 2-3 a) (name 4-5 b) (name 6-7 c)) "
            "(slice 9-12 - - (name 11-12 d)) (dots 14-17))");
  EXPECT_EQ(DumpOfExpression("x[1:]"),
            "(subscript 0-4 (name 0-1 x) (slice 2-3 (number 2-3 1) - -))");
}

TEST(Expressions, PrecedenceIsPyTorchs) {
  EXPECT_EQ(DumpOfExpression("a or b and c"),
            "(and 0-12 (or 0-6 (name 0-1 a) (name 5-6 b)) (name 11-12 c))");
  EXPECT_EQ(DumpOfExpression("a < b < c"),
            "(lt 0-9 (lt 0-5 (name 0-1 a) (name 4-5 b)) (name 8-9 c))");
  EXPECT_EQ(DumpOfExpression("~a & b"), "(invert 0-6 (bit-and 1-6 (name 1-2 a) (name 5-6 b)))");
  EXPECT_EQ(DumpOfExpression("a ** b ** c"),
            "(pow 0-11 (name 0-1 a) (pow 5-11 (name 5-6 b) (name 10-11 c)))");
  EXPECT_EQ(DumpOfExpression("-a ** b"), "(negate 0-7 (pow 1-7 (name 1-2 a) (name 6-7 b)))");
  EXPECT_EQ(DumpOfExpression("a - b - c"),
            "(sub 0-9 (sub 0-5 (name 0-1 a) (name 4-5 b)) (name 8-9 c))");
  EXPECT_EQ(DumpOfExpression("a | b ^ c & d << e + f * g"),
            "(bit-or 0-26 (name 0-1 a) (bit-xor 4-26 (name 4-5 b) (bit-and 8-26 (name 8-9 c) "
            "(shift-left 12-26 (name 12-13 d) (add 17-26 (name 17-18 e) (mul 21-26 (name 21-22 f) "
            "(name 25-26 g)))))))");
}

TEST(Expressions, AMinusIsPartOfTheNumberButNotOfItsRange) {
  EXPECT_EQ(DumpOfExpression("-1.5e-05 + x"), "(add 1-12 (number 1-8 -1.5e-05) (name 11-12 x))");
  EXPECT_EQ(DumpOfExpression("-2 ** 2"), "(negate 0-7 (pow 1-7 (number 1-2 2) (number 6-7 2)))");
  // PyTorch makes the number `--5` of this, which has no value.
  EXPECT_EQ(DumpOfExpression("--5"), "(negate 0-3 (number 2-3 -5))");
}

TEST(Expressions, MembershipAndIdentity) {
  EXPECT_EQ(DumpOfExpression("x not in y"), "(not 0-10 (in 0-10 (name 0-1 x) (name 9-10 y)))");
  EXPECT_EQ(DumpOfExpression("x is not y"), "(is-not 0-10 (name 0-1 x) (name 9-10 y))");
  EXPECT_EQ(DumpOfExpression("not x in y"), "(not 0-10 (in 4-10 (name 4-5 x) (name 9-10 y)))");
}

TEST(Expressions, WordsEndWhereNamesEnd) {
  // PyTorch reads `not in` + `puts` and `is not` + `hing`.
  EXPECT_EQ(DumpOfExpression("not inputs"), "(not 0-10 (name 4-10 inputs))");
  EXPECT_EQ(DumpOfExpression("x is nothing"), "(is 0-12 (name 0-1 x) (name 5-12 nothing))");
  EXPECT_EQ(DumpOfExpression("(x is\n  not y)"), "(is-not 1-13 (name 1-2 x) (name 12-13 y))");
}

TEST(Expressions, Conditionals) {
  EXPECT_EQ(DumpOfExpression("a if b else c if d else e"),
            "(conditional 0-25 (name 5-6 b) (name 0-1 a) (conditional 12-25 (name 17-18 d) "
            "(name 12-13 c) (name 24-25 e)))");
}

TEST(Expressions, Tuples) {
  EXPECT_EQ(DumpOfExpression("a, b,"), "(tuple 0-4 (name 0-1 a) (name 3-4 b))");
  EXPECT_EQ(DumpOfExpression("(a,)"), "(tuple 1-2 (name 1-2 a))");
  EXPECT_EQ(DumpOfExpression("((a), ())"), "(tuple 2-9 (name 2-3 a) (tuple 8-9))");
}

TEST(Expressions, ListsAndDicts) {
  EXPECT_EQ(DumpOfExpression("[a, [b], ]"), "(list 0-6 (name 1-2 a) (list 4-6 (name 5-6 b)))");
  EXPECT_EQ(DumpOfExpression("[]"), "(list 0-1)");
  EXPECT_EQ(DumpOfExpression("{}"), "(dict 1-2)");
  EXPECT_EQ(DumpOfExpression("{'a': 1, 'b': 2}"),
            "(dict 1-15 (string 1-4 \"a\") (number 6-7 1) (string 9-12 \"b\") (number 14-15 2))");
}

TEST(Expressions, Comprehensions) {
  EXPECT_EQ(DumpOfExpression("[a for b in c]"),
            "(list-comprehension 1-13 (name 1-2 a) (name 7-8 b) (name 12-13 c))");
  EXPECT_EQ(DumpOfExpression("any(a for (b, d) in c)"),
            "(call 0-21 (name 0-3 any) (list-comprehension 4-21 (name 4-5 a) "
            "(tuple 11-15 (name 11-12 b) (name 14-15 d)) (name 20-21 c)) |)");
  EXPECT_EQ(DumpOfExpression("{a: b for c in d}"),
            "(dict-comprehension 1-16 (name 1-2 a) (name 4-5 b) (name 10-11 c) (name 15-16 d))");
  EXPECT_EQ(DumpOfExpression("{a: [b for c in d], e: f}"),
            "(dict 1-24 (name 1-2 a) (list-comprehension 5-17 (name 5-6 b) (name 11-12 c) "
            "(name 16-17 d)) (name 20-21 e) (name 23-24 f))");
}

TEST(Expressions, ComprehensionsThatPyTorchMisreadsAreRefused) {
  EXPECT_EQ(DumpOfExpression("[[a for b in c]]"),
            "f.py:1:3: a list of one list comprehension is not supported: PyTorch reads it as the "
            "comprehension alone\n[[a for b in c]]\n  ~~~~~~~~~~~~ <--- HERE");
  EXPECT_EQ(DumpOfExpression("{k: [a for b in c]}"),
            "f.py:1:6: a list comprehension as the only value of a dict is not supported: PyTorch "
            "reads it as a dict comprehension\n{k: [a for b in c]}\n     ~~~~~~~~~~~~ <--- HERE");
  EXPECT_EQ(DumpOfExpression("[a for b in c for d in e]"),
            "f.py:1:13: a second 'for' in a comprehension is not supported\n"
            "[a for b in c for d in e]\n            ~~~~~~~~~~~~ <--- HERE");
  EXPECT_EQ(DumpOfExpression("[a for b in c if d]"),
            "f.py:1:15: a condition in a comprehension is not supported\n"
            "[a for b in c if d]\n              ~~ <--- HERE");
  EXPECT_EQ(DumpOfExpression("[a, b for c in d]"),
            "f.py:1:5: expected a comprehension alone in its brackets\n"
            "[a, b for c in d]\n    ~~~~~~~~~~~~ <--- HERE");
}

TEST(Expressions, TheRangeOfAdjacentStringsIsTheFirsts) {
  EXPECT_EQ(DumpOfExpression("'a' 'b' + c"), "(add 0-11 (string 0-3 \"ab\") (name 10-11 c))");
}

TEST(Expressions, Words) {
  EXPECT_EQ(DumpOfExpression("None, True, False, NoneType, Ellipsis"),
            "(tuple 0-37 (none 0-4) (true 6-10) (false 12-17) (none-type 19-27) (dots 29-37))");
}

TEST(Expressions, WhatTheSerializerWrites) {
  EXPECT_EQ(DumpOfExpression("annotate(List[Tuple[int, Tensor]], [])"),
            "(call 0-36 (name 0-8 annotate) (subscript 9-33 (name 9-13 List) (subscript 14-32 "
            "(name 14-19 Tuple) (name 20-23 int) (name 25-31 Tensor))) (list 35-36) |)");
  EXPECT_EQ(DumpOfExpression("__torch__.a.___torch_mangle_3.Conv2d"),
            "(select 0-36 Conv2d (select 0-29 ___torch_mangle_3 (select 0-11 a "
            "(name 0-9 __torch__))))");
  EXPECT_EQ(DumpOfExpression("ops.prim.NumToTensor(CONSTANTS.c0)"),
            "(call 0-33 (select 0-20 NumToTensor (select 0-8 prim (name 0-3 ops))) "
            "(select 21-33 c0 (name 21-30 CONSTANTS)) |)");
}

TEST(FormatStrings, AreTextAndExpressions) {
  EXPECT_EQ(DumpOfExpression("f'a{b + 1}{c[\"d\"]}e'"),
            "(format-string 0-20 (format-text 2-3 \"a\") (add 4-9 (name 4-5 b) (number 8-9 1)) "
            "(subscript 11-17 (name 11-12 c) (string 13-16 \"d\")) (format-text 18-19 \"e\"))");
  EXPECT_EQ(DumpOfExpression("f''"), "(format-string 0-3)");
  EXPECT_EQ(
      DumpOfExpression("f'{ {1: 2}[1] }' + x"),
      "(add 0-20 (format-string 0-16 (subscript 5-13 (dict 5-9 (number 5-6 1) (number 8-9 2)) "
      "(number 11-12 1))) (name 19-20 x))");
  EXPECT_EQ(DumpOfExpression("g(f'{f\"{a}\"}', b)"),
            "(call 0-16 (name 0-1 g) (format-string 2-13 (format-string 5-11 (name 8-9 a))) "
            "(name 15-16 b) |)");
}

TEST(FormatStrings, FieldsHaveNoFormats) {
  EXPECT_EQ(DumpOfExpression("f'{a:>3}'"),
            "f.py:1:5: a format in a field of a format string is not supported\n"
            "f'{a:>3}'\n    ~ <--- HERE");
  EXPECT_EQ(DumpOfExpression("f'{a!r}'"),
            "f.py:1:5: stray character '!'\nf'{a!r}'\n    ~ <--- HERE");
  EXPECT_EQ(DumpOfExpression("f'{}'"),
            "f.py:1:4: expected an expression, found '}'\nf'{}'\n   ~ <--- HERE");
  EXPECT_EQ(DumpOfExpression("f'{a'"),
            "f.py:1:5: expected '}', found end of text\nf'{a'\n    ~ <--- HERE");
  EXPECT_EQ(DumpOfExpression("f'a}'"),
            "f.py:1:4: expected '}}' or a field, found '}'\nf'a}'\n   ~ <--- HERE");
  EXPECT_EQ(DumpOfExpression("'a' f'b'"),
            "f.py:1:5: a format string next to another string is not supported\n"
            "'a' f'b'\n    ~~~~ <--- HERE");
}

}  // namespace
}  // namespace handrail::script
