#include "handrail/symbolize/log_filter.h"

#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "symbolize/symbolize_fixture.h"

namespace handrail {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Hash128 kBuild{0x1a2b3c4d'00000000, 1};
const std::string kFull = kBuild.ToHex();
const std::string kSubTrace =
    "Module hierarchy:top(Outer)::forward.aten::sub\n"
    "Traceback of TorchScript (most recent call last):\n"
    "  File \"outer.py\", line 4, in forward\n"
    "    def forward(self, x, y):\n"
    "        z = self.inner(x, y)\n"
    "        return z - 1\n"
    "               ~~~~~ <--- HERE\n";

class LogFilterTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    path_ = std::filesystem::temp_directory_path() /
            ("handrail_log_filter_" + std::to_string(::getpid()) + ".hdm");
    TestMap maker("__torch__.Outer", kBuild);
    maker.AddOuterAndInner();
    ASSERT_TRUE(WriteFileAtomically(path_, maker.Make().bytes()));
  }
  static void TearDownTestSuite() { std::filesystem::remove(path_); }
  void SetUp() override { ASSERT_TRUE(maps_.Add(path_)); }

  // `cuts`: where the log is cut into pieces.
  std::string Filter(std::string_view log, const LogFilterOptions& options = {},
                     const std::vector<size_t>& cuts = {}) {
    std::string out;
    LogFilter filter(maps_, options, [&out](std::string_view piece) -> Status {
      out += piece;
      return {};
    });
    size_t done = 0;
    for (const size_t cut : cuts) {
      EXPECT_TRUE(filter.Write(log.substr(done, cut - done)));
      done = cut;
    }
    EXPECT_TRUE(filter.Write(log.substr(done)));
    EXPECT_TRUE(filter.Finish());
    counts_ = filter.counts();
    return out;
  }

  static inline std::filesystem::path path_;
  MapSet maps_;
  LogFilter::Counts counts_;
};

TEST_F(LogFilterTest, PutsTheTraceBelowTheLine) {
  const std::string line = "oh {{{hdh:" + kFull + ":11}}} no\n";
  EXPECT_EQ(Filter("before\n" + line + "after\n"), "before\n" + line + kSubTrace + "after\n");
  EXPECT_EQ(counts_.lines, 3u);
  EXPECT_EQ(counts_.tokens, 1u);
  EXPECT_EQ(counts_.symbolized, 1u);
  EXPECT_EQ(counts_.unknown, 0u);
}

TEST_F(LogFilterTest, RecognizesPytorchsMessages) {
  for (const std::string token : {"debug_handles:{11}", "debug_handle:11", "debug_handles:{11,}",
                                  "Debug info for handle(s): debug_handles:{11}, was not found.",
                                  "Debug info for handle(s): 11, was not found."}) {
    EXPECT_EQ(Filter("x " + token + "\n"), "x " + token + "\n" + kSubTrace) << token;
    EXPECT_EQ(counts_.tokens, 1u);
  }
  EXPECT_EQ(Filter("debug_handle:11"),
            "debug_handle:11\n" + kSubTrace.substr(0, kSubTrace.size() - 1));
}

TEST_F(LogFilterTest, LeavesEverythingElseAlone) {
  for (const std::string_view log : {"",
                                     "\n",
                                     "no newline",
                                     "a\r\nb\r\n",
                                     "{{{hdh:",
                                     "{{{hdh:1a2b3c4d:}}}",
                                     "{{{hdh:1a2b3c4:11}}}",
                                     "{{{hdh:1a2b3c4d:11}} }",
                                     "{{{hdh:1a2b3c4d:11,}}}",
                                     "{{{hdh:1a2b3c4d:99999999999999999999}}}",
                                     "{{{hdh:1a2b3c4d:1 1}}}",
                                     "{{{hdh:1a2b3c4d:1\n1}}}",
                                     "debug_handles:{}",
                                     "debug_handles:{x}",
                                     "debug_handles:11",
                                     "debug_handler:11",
                                     "debug_handle: 11",
                                     "Debug info for handle(s): ",
                                     "Debug info for handle(s): 11",
                                     "Debug info for handle(s): x",
                                     "debug_handle:--"}) {
    EXPECT_EQ(Filter(log), log);
    EXPECT_EQ(counts_.tokens, 0u) << log;
  }
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i * 7 ^ i / 256);
  EXPECT_EQ(Filter(bytes), bytes);
}

TEST_F(LogFilterTest, ATokenAtTheEndWithoutNewline) {
  const std::string line = "{{{hdh:1a2b3c4d:11}}}";
  const std::string out = Filter("a\r\n" + line);
  EXPECT_THAT(out, StartsWith("a\r\n" + line + "\n  <build 1a2b3c4d is taken for " + kFull));
  EXPECT_THAT(out, ::testing::EndsWith(kSubTrace.substr(0, kSubTrace.size() - 1)));
}

TEST_F(LogFilterTest, EachTokenOfALineOnce) {
  const std::string token = "{{{hdh:" + kFull + ":11}}}";
  const std::string line = token + " and " + token + " and debug_handles:{99}\n";
  EXPECT_EQ(Filter(line), line + kSubTrace + "  <debug handle 99: not issued by this map>\n");
  EXPECT_EQ(counts_.tokens, 3u);
  EXPECT_EQ(counts_.symbolized, 2u);
  EXPECT_EQ(counts_.unknown, 1u);
}

TEST_F(LogFilterTest, SaysWhyNot) {
  const std::string other = "{{{hdh:00000000000000000000000000000009:11,12}}}\n";
  EXPECT_EQ(Filter(other),
            other +
                "  <debug handles 11,12: of another build than this map: it is of build "
                "00000000000000000000000000000009, " +
                path_.string() + " is of build " + kFull + ">\n");
  EXPECT_EQ(counts_.unknown, 1u);
  EXPECT_EQ(Filter("debug_handles:{99999999999999999999999}\n"),
            "debug_handles:{99999999999999999999999}\n"
            "  <debug handles 99999999999999999999999: no way to split them is in the map>\n");
  EXPECT_EQ(Filter("debug_handles:{9912}\n"),
            "debug_handles:{9912}\n  <debug handle 9912: not issued by this map>\n");
  EXPECT_THAT(Filter("debug_handles:{12-1}\n"), HasSubstr("<debug handle -1: -1 stands for"));
  EXPECT_EQ(counts_.unknown, 1u);
}

TEST_F(LogFilterTest, NeverGuessesASplit) {
  TestMap maker("__torch__.Outer", {9, 9});
  const RangeId nothing = maker.builder.AddGap(RangeGap::kNull);
  maker.Add(1, "aten::add", nothing, {}, "__torch__.Outer.forward");
  maker.Add(13, "aten::add", nothing, {}, "__torch__.Outer.forward");
  maker.Add(4, "prim::CallMethod", nothing, {}, "__torch__.Outer.forward");
  maker.Add(34, "prim::CallMethod", nothing, {}, "__torch__.Outer.forward");
  const std::filesystem::path path = path_.string() + ".second";
  ASSERT_TRUE(WriteFileAtomically(path, maker.Make().bytes()));
  ASSERT_TRUE(maps_.Add(path));
  std::filesystem::remove(path);
  EXPECT_EQ(Filter("debug_handles:{134}\n"),
            "debug_handles:{134}\n  <debug handles 134, which may be 13,4 or 1,34>\n");
  EXPECT_EQ(counts_.unknown, 1u);
  const auto json =
      nlohmann::json::parse(Filter("debug_handles:{134}\n", {.format = LogFormat::kJson}));
  EXPECT_EQ(json["candidates"].dump(), "[[13,4],[1,34]]");
  EXPECT_EQ(json["reason"], "ambiguous");
}

TEST_F(LogFilterTest, AStrippedMapSaysSoHoweverHandlesAreSplit) {
  TestMap maker("__torch__.Outer", {9, 9});
  const RangeId stripped = maker.builder.AddGap(RangeGap::kStripped);
  for (DebugHandle handle = 0; handle < 99; ++handle) maker.Add(handle, "", stripped);
  maps_ = MapSet();
  maps_.Add(OpenedMap{maker.Make(), MapFileKind::kDebugMap, "stripped.hdm", {}});
  EXPECT_EQ(
      Filter("debug_handles:{12}\n"),
      "debug_handles:{12}\n  <debug handles 12, which may be 12 or 1,2: its debug info is not "
      "in the archive: stripped, or kept elsewhere>\n");
  const auto json =
      nlohmann::json::parse(Filter("debug_handles:{12}\n", {.format = LogFormat::kJson}));
  EXPECT_EQ(json["reason"], "stripped");
}

TEST_F(LogFilterTest, Json) {
  const std::string token = "{{{hdh:" + kFull + ":11}}}";
  const std::string out =
      Filter("a\nb " + token + " debug_handle:99\nc", {.format = LogFormat::kJson});
  const size_t newline = out.find('\n');
  const auto first = nlohmann::json::parse(out.substr(0, newline));
  const auto second = nlohmann::json::parse(out.substr(newline + 1));
  EXPECT_EQ(first["line"], 2);
  EXPECT_EQ(first["token"], token);
  EXPECT_EQ(first["build_id"], kFull);
  EXPECT_EQ(first["map"], path_.string());
  EXPECT_EQ(first["handles"].dump(), "[11]");
  EXPECT_EQ(first["traceback"], kSubTrace);
  EXPECT_EQ(second["unknown"].dump(), R"([{"handle":99,"reason":"not-issued"}])");
}

TEST_F(LogFilterTest, PytorchStyle) {
  EXPECT_THAT(Filter("debug_handle:11\n", {.style = TraceStyle::kPytorch}),
              HasSubstr("top(Outer)::<unknown>.aten::sub"));
}

TEST_F(LogFilterTest, LimitsAreSaid) {
  const std::string too_long =
      "{{{hdh:" + kFull + ":" + std::string(5'000, '1') + "}}} {{{hdh:" + kFull + ":11}}}\n";
  EXPECT_EQ(Filter(too_long),
            too_long + "  <debug handles longer than 4096 bytes: not read>\n" + kSubTrace);
  std::string line;
  for (int i = 1000; i < 1300; ++i) line += "debug_handle:" + std::to_string(i) + " ";
  const std::string out = Filter(line + "\n");
  EXPECT_THAT(out, HasSubstr("more than 256 different tokens in this line"));
  EXPECT_EQ(counts_.unknown, 300u);
}

// What the filter makes of a log does not depend on how it arrives.
TEST_F(LogFilterTest, AnyCutGivesTheSame) {
  const std::string log = "a {{{hdh:" + kFull +
                          ":11,12}}} b\r\n{{{{hdh:1a2b3c4d:11}}}\nDebug info for handle(s): "
                          "debug_handles:{12-1}, was not found.\nDebug info for handle(s): 12, was "
                          "not found.\nDebug Debug debug_debug_handle:11 {{{hdh:1a2b {{{hdh:" +
                          kFull + ":" + std::string(4'200, '2') + "}}}\ndebug_handle:12";
  const std::string expected = Filter(log);
  const LogFilter::Counts counts = counts_;
  EXPECT_EQ(counts.tokens, 7u);
  const auto check = [&](const std::vector<size_t>& cuts) {
    ASSERT_EQ(Filter(log, {}, cuts), expected);
    EXPECT_EQ(counts_.tokens, counts.tokens);
    EXPECT_EQ(counts_.symbolized, counts.symbolized);
    EXPECT_EQ(counts_.lines, counts.lines);
    EXPECT_EQ(counts_.bytes, log.size());
  };
  for (size_t cut = 0; cut <= log.size(); ++cut) check({cut});
  std::vector<size_t> every_byte;
  for (size_t cut = 0; cut < log.size(); ++cut) every_byte.push_back(cut);
  check(every_byte);
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<size_t> cuts;
    for (size_t cut = 0; cut < log.size(); cut += random() % 40) cuts.push_back(cut);
    check(cuts);
  }
}

TEST_F(LogFilterTest, AnErrorOfTheSinkEndsIt) {
  LogFilter filter(maps_, {},
                   [](std::string_view) -> Status { return Fail(ErrorCode::kIo, "full"); });
  const Status status = filter.Write("some log\n");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "full");
}

}  // namespace
}  // namespace handrail
