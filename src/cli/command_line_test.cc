// What a verb is given and gives back, without starting a process; test/e2e has the rest.
#include "cli/command_line.h"

#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace handrail::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kModel = HANDRAIL_SOURCE_DIR "/test/data/model.ptl";

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

Outcome Call(const std::vector<std::string>& arguments, const std::string& input = "",
             bool is_err_terminal = false) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  const ExitCode code = RunCommandLine(arguments, {in, out, err, is_err_terminal});
  return {code, out.str(), err.str()};
}

TEST(CommandLine, ShowsProgressOnATerminalOnly) {
  const std::vector<std::string> arguments = {"map", kModel, "-o",
                                              ::testing::TempDir() + "progress.hdm"};
  EXPECT_EQ(Call(arguments).err, "");
  const Outcome outcome = Call(arguments, "", true);
  EXPECT_THAT(outcome.err, HasSubstr("\r\x1b[Kencoding ..."));
  EXPECT_TRUE(outcome.err.ends_with("\r\x1b[K")) << "the line is taken away at the end";
  EXPECT_EQ(outcome.out, "");
}

TEST(CommandLine, AMessageWritesOverProgress) {
  const Outcome outcome = Call({"verify", "/nowhere"}, "", true);
  EXPECT_THAT(outcome.err, HasSubstr("\r\x1b[Kchecking /nowhere ...\r\x1b[Khandrail: /nowhere: "));
  EXPECT_EQ(outcome.code, ExitCode::kUnusable);
}

TEST(CommandLine, FiltersInputOfAnySize) {
  std::string log;
  while (log.size() < 1'000'000) log += "a line of some length, with no handle in it\n";
  const Outcome outcome = Call({"symbolize", "-m", kModel}, log);
  EXPECT_EQ(outcome.out, log);
  EXPECT_EQ(outcome.code, ExitCode::kDone);
}

TEST(CommandLine, HandlesMayBeNegative) {
  const Outcome outcome =
      Call({"symbolize", "--format=json", "-m", kModel, "-9223372036854775808,-1"});
  EXPECT_THAT(outcome.out, HasSubstr(R"("handles":[-9223372036854775808,-1])"));
  EXPECT_EQ(outcome.code, ExitCode::kFaults);
}

TEST(CommandLine, ListsThatAreNoneAreWrongUse) {
  for (const char* list :
       {"", ",", "1,", ",1", "1,,2", "1 2", "0x1", "9223372036854775808", "1;2"}) {
    const Outcome outcome = Call({"symbolize", "-m", kModel, list});
    EXPECT_EQ(outcome.code, ExitCode::kUsage) << "'" << list << "'";
    EXPECT_EQ(outcome.out, "") << "'" << list << "'";
  }
}

TEST(CommandLine, AListNeedsNoProgressAndNoMap) {
  const Outcome outcome = Call({"symbolize", "7"}, "", true);
  EXPECT_THAT(outcome.err, Not(HasSubstr("...")));
  EXPECT_EQ(outcome.code, ExitCode::kFaults);
}

}  // namespace
}  // namespace handrail::cli
