// Texts that nest deep or go on long: read without recursion, or refused with a limit's name.
#include <string>

#include <gtest/gtest.h>

#include "handrail/base/limits.h"

#include "script/script_testing.h"

namespace handrail::script {
namespace {

constexpr size_t kDeep = 100'000;

std::string Repeated(std::string_view text, size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

struct DeepText {
  const char* what;
  std::string text;
  uint32_t nodes;
};

TEST(DeepText, ExpressionsAreRead) {
  const DeepText cases[] = {
      {"calls in a chain", "x" + Repeated(".abs()", kDeep), 1 + 2 * kDeep},
      {"sums", "a" + Repeated("+a", kDeep), 1 + 2 * kDeep},
      {"powers", "a" + Repeated("**a", kDeep), 1 + 2 * kDeep},
      {"comparisons", "a" + Repeated(" not in a", kDeep), 1 + 3 * kDeep},
      {"parentheses", Repeated("(", kDeep) + "a" + Repeated(")", kDeep), 1},
      {"tuples", Repeated("(", kDeep) + "a" + Repeated(",)", kDeep), 1 + kDeep},
      {"lists", Repeated("[", kDeep) + Repeated("]", kDeep), kDeep},
      {"dicts", Repeated("{a:", kDeep) + "b" + Repeated("}", kDeep), 1 + 2 * kDeep},
      {"calls", Repeated("f(k=", kDeep) + "a" + Repeated(")", kDeep), 1 + 3 * kDeep},
      {"subscripts", Repeated("a[b:", kDeep) + "a" + Repeated("]", kDeep), 1 + 4 * kDeep},
      {"minuses", Repeated("-", kDeep) + "a", 1 + kDeep},
      {"nots", Repeated("not ", kDeep) + "a", 1 + kDeep},
      {"conditionals", Repeated("a if b else ", kDeep) + "a", 1 + 3 * kDeep},
      {"conditions", "a" + Repeated(" if a", kDeep) + Repeated(" else a", kDeep), 1 + 3 * kDeep},
      {"comprehensions", Repeated("f(a for b in [", kDeep) + Repeated("])", kDeep), 6 * kDeep},
      {"elements", "[" + Repeated("a,", kDeep) + "]", 1 + kDeep},
      {"strings", Repeated("'a' ", kDeep), 1},
  };
  for (const DeepText& deep : cases) {
    const auto tree = ParseExpression({.name = "f.py", .first_line = 1, .text = deep.text});
    ASSERT_TRUE(tree) << deep.what << ": " << tree.error().message;
    EXPECT_EQ(tree->size(), deep.nodes) << deep.what;
    EXPECT_EQ(FaultIn(*tree), "") << deep.what;
    EXPECT_GT(Dump(*tree).size(), size_t{10}) << deep.what;
  }
}

TEST(DeepText, BlocksAreRead) {
  const std::string elifs =
      "def f():\n if a:\n  b\n" + Repeated(" elif a:\n  b\n", kDeep) + " else:\n  b\n";
  const auto chain = ParseScript({.name = "f.py", .first_line = 1, .text = elifs});
  ASSERT_TRUE(chain) << chain.error().message;
  EXPECT_EQ(FaultIn(*chain), "");
  EXPECT_GT(Dump(*chain).size(), kDeep);

  std::string ifs = "def f():\n";
  constexpr size_t kBlocks = 1'000;
  for (size_t depth = 1; depth <= kBlocks; ++depth) ifs += std::string(depth, ' ') + "if a:\n";
  ifs += std::string(kBlocks + 1, ' ') + "b\n";
  const auto nested = ParseScript({.name = "f.py", .first_line = 1, .text = ifs});
  ASSERT_TRUE(nested) << nested.error().message;
  // For each: the `if`, its condition and its block. Besides: b and its statement, f, its block,
  // the module.
  EXPECT_EQ(nested->size(), 3 * kBlocks + 5);
  EXPECT_EQ(FaultIn(*nested), "");
}

TEST(DeepText, TheDepthHasALimit) {
  const std::string text(limits::kScriptDepthMax + size_t{1}, '(');
  const auto tree = ParseExpression({.name = "f.py", .first_line = 1, .text = text});
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, ErrorCode::kLimit);
  EXPECT_EQ(tree.error().offset, text.size());
  EXPECT_TRUE(
      tree.error().message.starts_with("f.py:1:1048578: this expression is nested too deep\n"))
      << tree.error().message;
}

TEST(DeepText, TheDepthOfBlocksHasALimit) {
  const std::string text =
      "def f():\n if a:\n  b\n" + Repeated(" elif a:\n  b\n", limits::kScriptDepthMax);
  const auto tree = ParseScript({.name = "f.py", .first_line = 1, .text = text});
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, ErrorCode::kLimit);
  EXPECT_TRUE(tree.error().message.ends_with(
      ": this block is nested too deep\n elif a:\n      ~ <--- HERE"))
      << tree.error().message;
}

TEST(DeepText, TheSizeHasALimit) {
  const std::string text(limits::kScriptBytesMax + size_t{1}, '\n');
  const auto tree = ParseScript({.name = "f.py", .first_line = 1, .text = text});
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, ErrorCode::kLimit);
  EXPECT_EQ(tree.error().message, "f.py: need a script of at most 67108864 bytes, have 67108865");
}

}  // namespace
}  // namespace handrail::script
