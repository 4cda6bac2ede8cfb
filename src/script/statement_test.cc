#include <gtest/gtest.h>

#include "script/script_testing.h"

namespace handrail::script {
namespace {

// As in expression_test.cc: what PyTorch 1.13 makes of the same text, unless a test says otherwise.

TEST(Functions, AParameterReachesOverTheTokenBehindWhatItLacks) {
  EXPECT_EQ(DumpOf("def f(x, y: int=3, *, z=4) -> int:\n  return x\n"),
            "(function 4-45 f (parameter 6-8 x - -) (parameter 9-17 y (name 12-15 int) "
            "(number 16-17 3)) (keyword-parameter 22-25 z - (number 24-25 4)) (name 30-33 int)\n"
            "  (block 37-45\n"
            "    (return 37-45 (name 44-45 x))))\n");
}

TEST(Functions, TypeCommentsTakeThePlaceOfAnnotations) {
  EXPECT_EQ(DumpOf("def f(x, y: str):\n  # type: (int, float) -> int\n  return x\n"),
            "(function 4-58 f (parameter 6-32 x (name 29-32 int) -) "
            "(parameter 9-39 y (name 34-39 float) -) (name 44-47 int)\n"
            "  (block 50-58\n"
            "    (return 50-58 (name 57-58 x))))\n");
}

TEST(Functions, TypeCommentsOfMethodsLeaveOutSelf) {
  const std::string_view text = "def f(self, x):\n  # type: (int)\n  pass\n";
  EXPECT_EQ(DumpOf(text, DefinitionKind::kMethods),
            "(function 4-38 f (parameter 6-11 self - -) (parameter 12-30 x (name 27-30 int) -) -\n"
            "  (block 34-38\n"
            "    (pass 34-38)))\n");
  EXPECT_EQ(DumpOf(text),
            "f.py:2:3: need 2 types for the parameters of this function, have 1\n"
            "  # type: (int)\n  ~~~~~~~~~~~~~ <--- HERE");
  EXPECT_EQ(DumpOf("class A:\n  def f(self, x):\n    # type: (int, int)\n    pass\n"),
            "f.py:3:5: need 1 types for the parameters of this method, have 2\n"
            "    # type: (int, int)\n    ~~~~~~~~~~~~~~~~~~ <--- HERE");
}

TEST(Functions, TypeCommentsMayStandBehindTheColon) {
  // PyTorch refuses this.
  EXPECT_EQ(DumpOf("def f(x): # type: (int) -> int\n  return x\n"),
            "(function 4-41 f (parameter 6-22 x (name 19-22 int) -) (name 27-30 int)\n"
            "  (block 33-41\n"
            "    (return 33-41 (name 40-41 x))))\n");
}

TEST(Functions, AOneLineBodyReachesOverTheNextToken) {
  EXPECT_EQ(DumpOf("def f(): pass\ndef g(): pass\n"),
            "(function 4-17 f -\n  (block 9-17\n    (pass 9-13)))\n"
            "(function 18-28 g -\n  (block 23-28\n    (pass 23-27)))\n");
}

TEST(Functions, MayBeNested) {
  EXPECT_EQ(DumpOf("def f():\n  def g():\n    pass\n  return g\n"),
            "(function 4-39 f -\n  (block 11-39\n"
            "    (function 15-28 g -\n      (block 24-28\n        (pass 24-28)))\n"
            "    (return 31-39 (name 38-39 g))))\n");
}

TEST(Functions, KeepTheirDecorators) {
  // PyTorch's parser refuses decorators: its Python frontend takes them away first.
  EXPECT_EQ(DumpOf("class A:\n  @torch.jit.export\n  @b(1)\n  def f(self): pass\n"),
            "(class 6-57 A -\n  (block 9-57\n    (decorated 12-57\n"
            "      (function 43-57 f (parameter 45-50 self - -) -\n"
            "        (block 52-57\n          (pass 52-56))) "
            "(select 12-28 export (select 12-21 jit (name 12-17 torch))) "
            "(call 32-35 (name 32-33 b) (number 34-35 1) |))))\n");
}

TEST(Statements, AnIfWithoutElseReachesOverTheTokenBehindIt) {
  EXPECT_EQ(DumpOf("def f():\n  if a:\n    b\n  return c\n"),
            "(function 4-33 f -\n  (block 11-33\n"
            "    (if 11-31 (name 14-15 a)\n      (block 17-22\n"
            "        (expression 21-22 (name 21-22 b))) -)\n"
            "    (return 25-33 (name 32-33 c))))\n");
}

TEST(Statements, AnElifIsABlockOfOneIf) {
  EXPECT_EQ(DumpOf("def f():\n  if a:\n    b\n  elif c:\n    d\n  else:\n    e\n"),
            "(function 4-52 f -\n  (block 11-52\n"
            "    (if 11-52 (name 14-15 a)\n"
            "      (block 17-22\n        (expression 21-22 (name 21-22 b)))\n"
            "      (block 30-52\n"
            "        (if 30-52 (name 30-31 c)\n"
            "          (block 33-38\n            (expression 37-38 (name 37-38 d)))\n"
            "          (block 47-52\n            (expression 51-52 (name 51-52 e))))))))\n");
}

TEST(Statements, Loops) {
  EXPECT_EQ(DumpOf("def f():\n  while a:\n    break\n  for b, c in d:\n    continue\n"),
            "(function 4-59 f -\n  (block 11-59\n"
            "    (while 11-29 (name 17-18 a)\n      (block 20-29\n        (break 24-29)))\n"
            "    (for 32-59 (name 36-37 b) (name 39-40 c) | (name 44-45 d)\n"
            "      (block 47-59\n        (continue 51-59)))))\n");
}

TEST(Statements, With) {
  EXPECT_EQ(DumpOf("def f():\n  with a() as b, c:\n    pass\n"),
            "(function 4-37 f -\n  (block 11-37\n"
            "    (with 11-37 (with-item 16-24 (call 16-18 (name 16-17 a) |) (name 23-24 b)) "
            "(with-item 26-27 (name 26-27 c) -)\n"
            "      (block 29-37\n        (pass 33-37)))))\n");
}

TEST(Statements, Assignments) {
  EXPECT_EQ(DumpOf("def f():\n  a, b, = c = d, e\n  x: int = 1\n  y: int\n  z.w[0] <<= a, b\n"),
            "(function 4-67 f -\n  (block 11-67\n"
            "    (assign 11-27 (tuple 11-15 (name 11-12 a) (name 14-15 b)) (name 19-20 c) "
            "(tuple 23-27 (name 23-24 d) (name 26-27 e)) -)\n"
            "    (assign 30-40 (name 30-31 x) (number 39-40 1) (name 33-36 int))\n"
            "    (assign 43-49 (name 43-44 y) - (name 46-49 int))\n"
            "    (augmented-assign 52-67 shift-left (subscript 52-58 (select 52-55 w "
            "(name 52-53 z)) (number 56-57 0)) (tuple 63-67 (name 63-64 a) (name 66-67 b)))))\n");
}

TEST(Statements, AnAssignmentMayHaveATypeComment) {
  // PyTorch refuses this.
  EXPECT_EQ(DumpOf("def f():\n  x = [] # type: List[int]\n"),
            "(function 4-35 f -\n  (block 11-35\n"
            "    (assign 11-35 (name 11-12 x) (list 15-16) "
            "(subscript 26-35 (name 26-30 List) (name 31-34 int)))))\n");
}

TEST(Statements, OfOneWordAndAnExpression) {
  EXPECT_EQ(DumpOf("def f():\n  raise E('a')\n  assert a, b\n  del c, d[0]\n  return\n"),
            "(function 4-60 f -\n  (block 11-60\n"
            "    (raise 11-22 (call 17-22 (name 17-18 E) (string 19-22 \"a\") |))\n"
            "    (assert 26-37 (name 33-34 a) (name 36-37 b))\n"
            "    (delete 40-51 (name 44-45 c) (subscript 47-51 (name 47-48 d) (number 49-50 0)))\n"
            "    (return 54-60 (none 54-60))))\n");
}

TEST(Classes, AsTheSerializerWritesThem) {
  EXPECT_EQ(DumpOf("class A(Module):\n"
                   "  __parameters__ = [\"w\", ]\n"
                   "  __annotations__[\"0\"] = __torch__.B\n"
                   "  w : Tensor\n"
                   "  def forward(self: __torch__.A,\n"
                   "    x: Tensor) -> NoneType:\n"
                   "    return None\n"),
            "(class 6-170 A (name 8-14 Module)\n"
            "  (block 17-170\n"
            "    (assign 19-40 (name 19-33 __parameters__) (list 36-40 (string 37-40 \"w\")) -)\n"
            "    (assign 46-80 (subscript 46-66 (name 46-61 __annotations__) (string 62-65 \"0\")) "
            "(select 69-80 B (name 69-78 __torch__)) -)\n"
            "    (assign 83-93 (name 83-84 w) - (name 87-93 Tensor))\n"
            "    (function 100-170 forward (parameter 108-126 self "
            "(select 114-125 A (name 114-123 __torch__)) -) "
            "(parameter 131-141 x (name 134-140 Tensor) -) (none-type 145-153)\n"
            "      (block 159-170\n"
            "        (return 159-170 (none 166-170))))))\n");
}

TEST(Modules, MayBeginAsOldArchivesDo) {
  EXPECT_EQ(DumpOf("op_version_set = 1\nimport __torch__.a\ndef f(): pass\n"),
            "(assign 0-18 (name 0-14 op_version_set) (number 17-18 1) -)\n"
            "(import 19-37 (select 26-37 a (name 26-35 __torch__)))\n"
            "(function 42-52 f -\n  (block 47-52\n    (pass 47-51)))\n");
}

TEST(Modules, MayBeEmpty) {
  EXPECT_EQ(DumpOf(""), "");
  EXPECT_EQ(DumpOf("\n# a\n  "), "");
}

TEST(Modules, NeedNoLineBreakAtTheEnd) {
  // PyTorch does.
  EXPECT_EQ(DumpOf("def f():\n  return x"),
            "(function 4-19 f -\n  (block 11-19\n    (return 11-19 (name 18-19 x))))\n");
}

TEST(Modules, CommentsMayHaveAnyIndentation) {
  EXPECT_EQ(DumpOf("def f():\n  a\n# b\n      # c\n  d # e\n"),
            "(function 4-30 f -\n  (block 11-30\n    (expression 11-12 (name 11-12 a))\n"
            "    (expression 29-30 (name 29-30 d))))\n");
}

TEST(Views, NameTheParts) {
  const SourceText source{
      .name = "f.py",
      .first_line = 1,
      .text = "def f(x, *, y: int=1):\n  for a, b in c: \n    return x.add(1, k=2)[0]\n"};
  const auto tree = ParseScript(source);
  ASSERT_TRUE(tree) << tree.error().message;
  const FunctionView function = tree->function(tree->children(tree->root())[0]);
  EXPECT_EQ(function.name, "f");
  ASSERT_EQ(function.parameters.size(), 2u);
  const ParameterView y = tree->parameter(function.parameters[1]);
  EXPECT_EQ(y.name, "y");
  EXPECT_EQ(TextOf(source, y.name_range), "y");
  EXPECT_TRUE(y.is_keyword_only);
  EXPECT_EQ(tree->text(y.type), "int");
  EXPECT_EQ(tree->text(y.default_value), "1");
  EXPECT_TRUE(function.result_type.is_none());

  const ForView loop = tree->for_loop(tree->children(function.body)[0]);
  EXPECT_EQ(loop.targets.size(), 2u);
  ASSERT_EQ(loop.iterables.size(), 1u);
  EXPECT_EQ(tree->text(loop.iterables[0]), "c");
  const SyntaxId returned = tree->operand(tree->children(loop.body)[0]);
  const SubscriptView subscript = tree->subscript(returned);
  EXPECT_EQ(subscript.indices.size(), 1u);
  const CallView call = tree->call(subscript.value);
  EXPECT_EQ(call.arguments.size(), 1u);
  ASSERT_EQ(call.keywords.size(), 1u);
  EXPECT_EQ(tree->keyword(call.keywords[0]).name, "k");
  EXPECT_EQ(TextOf(source, tree->keyword(call.keywords[0]).name_range), "k");
  EXPECT_EQ(tree->select(call.callee).name, "add");
  EXPECT_EQ(TextOf(source, tree->select(call.callee).name_range), "add");
  EXPECT_EQ(tree->text(call.callee), "x.add");
}

}  // namespace
}  // namespace handrail::script
