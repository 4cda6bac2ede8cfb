// Runs test/golden and test/corrupt: debug info described in text -> maps, traces, faults.
#include "test/support/golden.h"

#include <gtest/gtest.h>

#include "test/golden/map_verbs.h"

namespace handrail::golden {
namespace {

TEST(GoldenText, ParsesIntoBlocksAndPrintsBack) {
  const std::string text =
      "# What to see.\n"
      "verb a=b\n"
      "input\n"
      "----\n"
      "output\n"
      "\n"
      "other\n"
      "----\n"
      "----\n"
      "one\n"
      "\n"
      "two\n"
      "----\n"
      "----\n"
      "# The end.\n";
  const GoldenText parsed = GoldenText::Parse(text);
  EXPECT_EQ(parsed.problem, "");
  ASSERT_EQ(parsed.blocks.size(), 2u);
  EXPECT_EQ(parsed.blocks[0].before, "# What to see.\n");
  EXPECT_EQ(parsed.blocks[0].command, "verb a=b");
  EXPECT_EQ(parsed.blocks[0].input, "input\n");
  EXPECT_EQ(parsed.blocks[0].expected, "output\n");
  EXPECT_EQ(parsed.blocks[0].line, 2u);
  EXPECT_EQ(parsed.blocks[1].expected, "one\n\ntwo\n");
  EXPECT_EQ(parsed.Print(), text);
}

TEST(GoldenText, SaysWhatIsWrongWithAFile) {
  EXPECT_EQ(GoldenText::Parse("verb\ninput\n").problem, "line 1: no '----' after the command");
  EXPECT_EQ(GoldenText::Parse("verb\n----\n----\nno end\n").problem,
            "the file ends inside an output that began with a doubled '----'");
}

TEST(GoldenCase, KnowsWhichArgumentsWereNotAskedFor) {
  GoldenCase golden_case("verb handle=7 style=pytorch json", "");
  EXPECT_EQ(golden_case.Argument("handle"), "7");
  EXPECT_TRUE(golden_case.Flag("json"));
  EXPECT_EQ(golden_case.Argument("unit", "none"), "none");
  EXPECT_EQ(golden_case.Unused(), std::vector<std::string>{"style=pytorch"});
}

}  // namespace
}  // namespace handrail::golden

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  handrail::golden::RegisterGoldenTests("Golden", "test/golden", handrail::golden::MakeMapVerbs);
  handrail::golden::RegisterGoldenTests("Corrupt", "test/corrupt", handrail::golden::MakeMapVerbs);
  return RUN_ALL_TESTS();
}
