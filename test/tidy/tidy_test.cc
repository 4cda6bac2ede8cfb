// The house rules that a program can check: each test is one rule, and lists every place that
// breaks it. Why each rule is there is said beside it, or in docs/architecture.md.
#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/tidy/tree.h"

namespace handrail::tidy {
namespace {

using ::testing::IsEmpty;

// The stages, those to come included, in the order of docs/architecture.md: a folder may include
// itself and the folders above it.
constexpr std::array<std::string_view, 19> kStages = {
    "base",     "debug_info",     "debug_map", "archive",  "torch_debug", "symbolize", "profile",
    "values",   "script",         "graph",     "inlining", "kernels",     "backend",   "lowering",
    "bytecode", "mobile_archive", "runtime",   "backends", "cli"};

size_t StageIndex(std::string_view stage) {
  return static_cast<size_t>(std::find(kStages.begin(), kStages.end(), stage) - kStages.begin());
}

// "src/archive/pickle.h" and "include/handrail/archive/pickle.h" belong to "archive".
std::string_view StageOf(std::string_view path) {
  for (std::string_view root : {"include/handrail/", "src/"}) {
    if (!path.starts_with(root)) continue;
    path.remove_prefix(root.size());
    return path.substr(0, path.find('/'));
  }
  return {};
}

// The library's own code: what the rules on code are about.
bool IsLibraryCode(const File& file) {
  return file.IsUnder("src") || file.IsUnder("include");
}
bool IsUnitTestOrBenchmark(const File& file) {
  static const std::regex suffix(R"(_(test|testing|bench)\.(cc|h)$)");
  return std::regex_search(file.path, suffix);
}

std::string Unindented(const std::string& line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

// Findings of `pattern` in the library's code, comments and literals aside.
std::vector<std::string> FindInCode(const std::string& pattern,
                                    const std::function<bool(const File&)>& is_exempt) {
  std::vector<std::string> findings;
  const std::regex regex(pattern);
  for (const File& file : Tree()) {
    if (!IsLibraryCode(file) || !file.is_cpp() || is_exempt(file)) continue;
    for (size_t line = 0; line < file.code_lines.size(); ++line) {
      if (std::regex_search(file.code_lines[line], regex)) findings.push_back(file.At(line));
    }
  }
  return findings;
}

TEST(Tidy, TheTreeIsFound) {
  // The other tests look for faults: without this one, they would pass on an empty folder.
  for (std::string_view stage :
       {"base", "debug_info", "debug_map", "archive", "torch_debug", "symbolize", "cli"}) {
    EXPECT_TRUE(std::any_of(Tree().begin(), Tree().end(), [&](const File& file) {
      return StageOf(file.path) == stage;
    })) << stage;
  }
}

TEST(Tidy, EveryFolderOfSrcIsAStage) {
  std::vector<std::string> findings;
  for (const File& file : Tree()) {
    if (IsLibraryCode(file) && StageIndex(StageOf(file.path)) == kStages.size()) {
      findings.push_back(file.path);
    }
  }
  EXPECT_THAT(findings, IsEmpty());
}

TEST(Tidy, AStageIncludesOnlyStagesAboveIt) {
  std::vector<std::string> findings;
  const std::regex include(R"(^\s*#include "(handrail/)?([a-z_]+)/)");
  for (const File& file : Tree()) {
    if (!IsLibraryCode(file) || !file.is_cpp()) continue;
    const size_t own = StageIndex(StageOf(file.path));
    for (size_t line = 0; line < file.lines.size(); ++line) {
      std::smatch match;
      if (!std::regex_search(file.lines[line], match, include)) continue;
      if (IsUnitTestOrBenchmark(file) && match[2] == "test") continue;
      if (StageIndex(match[2].str()) > own) findings.push_back(file.At(line));
    }
  }
  EXPECT_THAT(findings, IsEmpty());
}

TEST(Tidy, PublicHeadersIncludeOnlyPublicHeaders) {
  std::vector<std::string> findings;
  const std::regex include(R"(^\s*#include "(?!handrail/))");
  for (const File& file : Tree()) {
    if (!file.IsUnder("include")) continue;
    for (size_t line = 0; line < file.lines.size(); ++line) {
      if (std::regex_search(file.lines[line], include)) findings.push_back(file.At(line));
    }
  }
  EXPECT_THAT(findings, IsEmpty());
}

TEST(Tidy, TheReadingHalfDoesNotUseTheCommandLineLibrary) {
  EXPECT_THAT(FindInCode("CLI/|CLI::", [](const File& file) { return file.IsUnder("src/cli"); }),
              IsEmpty());
}

// Errors are values (docs/architecture.md, "Errors"). A failing kernel or backend throws, since
// every frame of the interpreter that it passes adds its handle; the exception stops at the public
// API, which gives an error value.
TEST(Tidy, NothingThrowsWhereNoModelRuns) {
  EXPECT_THAT(FindInCode(R"(\bthrow\b)",
                         [](const File& file) {
                           const std::string_view stage = StageOf(file.path);
                           return stage == "kernels" || stage == "runtime" || stage == "backend" ||
                                  stage == "backends";
                         }),
              IsEmpty());
}

TEST(Tidy, OnlyCheckEndsTheProcess) {
  EXPECT_THAT(FindInCode(R"(\b(abort|exit|_exit|quick_exit|terminate)\s*\(|\bassert\s*\()",
                         [](const File& file) {
                           return file.path == "src/base/check.cc" || IsUnitTestOrBenchmark(file);
                         }),
              IsEmpty());
}

TEST(Tidy, ErrorsAreNotStringsHandedBackByPointer) {
  EXPECT_THAT(FindInCode(R"(std::string\s*[*&]\s*\w*(error|err|message|why)\b)",
                         [](const File& file) {
                           // A parameter that is read is no out-parameter: `const std::string&`.
                           return IsUnitTestOrBenchmark(file);
                         }),
              ::testing::Each(::testing::HasSubstr("const std::string&")));
}

// Nothing reaches an output that differs from run to run, or from machine to machine.
TEST(Tidy, NothingAsksForTheTimeOrForChance) {
  EXPECT_THAT(FindInCode(R"(\b(random_device|system_clock|gettimeofday|s?rand|time)\s*(\(|::))",
                         IsUnitTestOrBenchmark),
              IsEmpty());
}

TEST(Tidy, HeadersHavePragmaOnce) {
  std::vector<std::string> findings;
  for (const File& file : Tree()) {
    if (!file.path.ends_with(".h")) continue;
    if (std::count(file.lines.begin(), file.lines.end(), "#pragma once") != 1) {
      findings.push_back(file.path);
    }
  }
  EXPECT_THAT(findings, IsEmpty());
}

// The head says what the file is for and its place in the flow.
TEST(Tidy, HeadersBeginWithAComment) {
  std::vector<std::string> findings;
  for (const File& file : Tree()) {
    if (!file.path.ends_with(".h")) continue;
    if (file.lines.empty() || !file.lines.front().starts_with("//")) findings.push_back(file.path);
  }
  EXPECT_THAT(findings, IsEmpty());
}

TEST(Tidy, FilesAreShort) {
  constexpr size_t kLinesMax = 600;
  std::vector<std::string> findings;
  for (const File& file : Tree()) {
    if (file.is_cpp() && file.lines.size() > kLinesMax) {
      findings.push_back(file.path + ": " + std::to_string(file.lines.size()) + " lines");
    }
  }
  EXPECT_THAT(findings, IsEmpty());
}

// A name says what is inside; these say that nobody knew.
TEST(Tidy, FilesAreNamedForWhatTheyHold) {
  std::vector<std::string> findings;
  const std::regex vague(
      R"((^|[/_.])(utils?|helpers?|common|misc|stuff|new|latest|manager)([_.]|/|$))");
  for (const File& file : Tree()) {
    if (std::regex_search(file.path, vague)) findings.push_back(file.path);
  }
  EXPECT_THAT(findings, IsEmpty());
}

TEST(Tidy, NothingIsLeftToDoInComments) {
  std::vector<std::string> findings;
  const std::regex note(
      "\\b(TO"
      "DO|FIX"
      "ME|XX"
      "X|HA"
      "CK)\\b");
  for (const File& file : Tree()) {
    for (size_t line = 0; line < file.lines.size(); ++line) {
      if (std::regex_search(file.lines[line], note)) findings.push_back(file.At(line));
    }
  }
  EXPECT_THAT(findings, IsEmpty());
}

TEST(Tidy, NothingNamesTheMachineItWasWrittenOn) {
  std::vector<std::string> findings;
  const std::string source_dir = HANDRAIL_SOURCE_DIR "/";
  // A short folder, such as /src/, would be found in any text.
  const bool is_telling = source_dir.size() > 10;
  for (const File& file : Tree()) {
    for (size_t line = 0; line < file.lines.size(); ++line) {
      const std::string& text = file.lines[line];
      if (text.find("/ro"
                    "ot/") != std::string::npos ||
          (is_telling && text.find(source_dir) != std::string::npos)) {
        findings.push_back(file.At(line));
      }
    }
  }
  EXPECT_THAT(findings, IsEmpty());
}

// A heading promises text, or a deeper heading.
TEST(Tidy, DocumentsHaveNoEmptySections) {
  std::vector<std::string> findings;
  for (const File& file : Tree()) {
    if (!file.path.ends_with(".md")) continue;
    for (size_t line : EmptySections(file)) findings.push_back(file.At(line));
  }
  EXPECT_THAT(findings, IsEmpty());
}

TEST(Tidy, DocumentsLinkToFilesThatAreThere) {
  std::vector<std::string> findings;
  const std::regex link(R"(\]\(([^)#: ]+)(#[^)]*)?\))");
  for (const File& file : Tree()) {
    if (!file.path.ends_with(".md")) continue;
    const auto folder = std::filesystem::path(HANDRAIL_SOURCE_DIR "/" + file.path).parent_path();
    // What a program printed is no link, however it looks.
    bool is_block = false;
    for (size_t line = 0; line < file.lines.size(); ++line) {
      const std::string& text = file.lines[line];
      if (text.starts_with("```")) is_block = !is_block;
      if (is_block) continue;
      for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
        if (!std::filesystem::exists(folder / (*match)[1].str())) findings.push_back(file.At(line));
      }
    }
  }
  EXPECT_THAT(findings, IsEmpty());
}

// What a document shows as C++ is compiled: some source has the same lines, whatever their indent.
TEST(Tidy, DocumentsShowCodeThatIsCompiled) {
  std::string sources;
  for (const File& file : Tree()) {
    if (!file.path.ends_with(".cc")) continue;
    for (const std::string& line : file.lines) sources += Unindented(line) + "\n";
    sources += "\n";
  }
  std::vector<std::string> findings;
  for (const File& file : Tree()) {
    if (!file.path.ends_with(".md")) continue;
    for (size_t line = 0; line < file.lines.size(); ++line) {
      if (file.lines[line] != "```cpp") continue;
      std::string block = "\n";
      for (size_t i = line + 1; i < file.lines.size() && file.lines[i] != "```"; ++i) {
        block += Unindented(file.lines[i]) + "\n";
      }
      if (sources.find(block) == std::string::npos) findings.push_back(file.At(line));
    }
  }
  EXPECT_THAT(findings, IsEmpty());
}

// Every member of a closed set shows up in some test: by its name, or by the text that a user
// reads.
TEST(Tidy, EveryMemberOfAClosedSetIsTested) {
  std::vector<std::string> findings;
  const std::regex row(R"re(^HANDRAIL_([A-Z_]+)\((k\w+))re");
  const std::regex quoted(R"re("([^"]+)")re");
  const std::set<std::string> sets = {"ERROR_CODE", "UNKNOWN_REASON", "RANGE_GAP", "UNIT_KIND"};
  std::string tests;
  for (const File& file : Tree()) {
    const bool is_test = file.path.ends_with("_test.cc") || file.path.ends_with(".test");
    if (is_test && file.path != "test/tidy/tidy_test.cc") tests += file.Text();
  }
  for (const File& file : Tree()) {
    if (!file.path.ends_with(".def")) continue;
    for (size_t line = 0; line < file.lines.size(); ++line) {
      std::smatch match;
      const std::string& text = file.lines[line];
      if (!std::regex_search(text, match, row) || !sets.contains(match[1].str())) continue;
      bool is_tested = tests.find("::" + match[2].str()) != std::string::npos;
      // Sentences only: a single word such as "corrupt" says nothing.
      for (std::sregex_iterator it(text.begin(), text.end(), quoted), end; it != end; ++it) {
        const std::string sentence = (*it)[1].str();
        if (sentence.find(' ') == std::string::npos) continue;
        is_tested = is_tested || tests.find(sentence) != std::string::npos;
      }
      if (!is_tested) findings.push_back(file.At(line));
    }
  }
  EXPECT_THAT(findings, IsEmpty());
}

// The rules are code, too: each is shown a file that breaks it.
TEST(TidyTree, CodeLinesLeaveOutCommentsAndLiterals) {
  const File file = File::Parse("a.cc",
                                "int a;  // throw\n"
                                "/* throw\n"
                                "   throw */ int b;\n"
                                "char c = '\"'; auto d = \"throw \\\" throw\"; int e;\n"
                                "auto f = R\"x(throw)\" throw)x\"; int g = 1'000;\n");
  EXPECT_THAT(file.code_lines, ::testing::ElementsAre("int a;  ", "", " int b;",
                                                      "char c = ' '; auto d = \"\"; int e;",
                                                      "auto f = R\"\"; int g = 1'000;"));
}

TEST(TidyTree, ASectionIsEmptyIfNothingButAnEqualHeadingFollows) {
  const File file =
      File::Parse("a.md", "# A\n\n## B\n\n```\n# no heading\n```\n## C\n\n## D\ntext\n# E\n");
  EXPECT_THAT(EmptySections(file), ::testing::ElementsAre(7, 11));
}

}  // namespace
}  // namespace handrail::tidy
