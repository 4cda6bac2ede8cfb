// Golden tests: files of cases, each a command with its input and the output it must give.
//
//   # A comment, which says what to look at.
//   verb key=value
//   input, any number of lines
//   ----
//   expected output, to the next blank line
//
// Output that holds a blank line stands between doubled lines of `----`. A verb is a function of
// the test program. GOLDEN_UPDATE=1 in the environment rewrites the expected outputs instead of
// comparing them; comments stay. The format is that of CockroachDB's datadriven tests.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace handrail::golden {

// One case, as its verb sees it.
class GoldenCase {
 public:
  GoldenCase(std::string command, std::string input);

  const std::string& verb() const { return verb_; }
  const std::string& input() const { return input_; }
  // The argument `key=value` of the command, or `fallback`. Values hold no blanks.
  std::string Argument(std::string_view key, std::string_view fallback = "");
  // True if the bare word `flag` is there.
  bool Flag(std::string_view flag);
  // Everything after the verb, as it stands.
  std::string TakeRest();
  // Arguments that the verb did not ask for: a mistake in the test.
  std::vector<std::string> Unused() const;

 private:
  std::string verb_;
  std::string rest_;
  std::string input_;
  std::map<std::string, bool> words_;  // word -> was asked for
};

// What a verb prints, ending in a newline unless empty.
using GoldenVerb = std::function<std::string(GoldenCase&)>;
using GoldenVerbs = std::map<std::string, GoldenVerb>;

// Registers one test for each *.test file under `folder` (from the repository's root), recursively,
// named for the file: --gtest_filter=*nested_inline*. `make_verbs` is called once per file, so that
// verbs may keep what earlier cases of the same file left.
void RegisterGoldenTests(const std::string& suite, const std::string& folder,
                         const std::function<GoldenVerbs()>& make_verbs);

// A file cut into cases, and put together again.
struct GoldenText {
  struct Block {
    std::string before;   // comments and blank lines that lead up to the case
    std::string command;  // one line
    std::string input;
    std::string expected;
    size_t line = 0;  // of the command, from 1
  };
  std::vector<Block> blocks;
  std::string after;    // comments at the end
  std::string problem;  // what is wrong with the file; empty if nothing is

  static GoldenText Parse(std::string_view text);
  std::string Print() const;
};

}  // namespace handrail::golden
