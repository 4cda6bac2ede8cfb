#include "test/support/golden.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>

namespace handrail::golden {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSeparator = "----";

std::string ReadText(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string::npos;
}

// Takes lines off the front of a text.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  size_t line() const { return line_; }  // of the next line, from 1
  std::string_view Peek() const { return text_.substr(0, text_.find('\n')); }
  // With its newline.
  std::string_view Take() {
    const size_t end = std::min(text_.find('\n'), text_.size() - 1) + 1;
    const std::string_view taken = text_.substr(0, end);
    text_.remove_prefix(end);
    ++line_;
    return taken;
  }

 private:
  std::string_view text_;
  size_t line_ = 1;
};

// After the first `----` of a case.
std::string TakeExpected(LineReader& reader, std::string& problem) {
  std::string expected;
  const bool is_fenced = !reader.at_end() && reader.Peek() == kSeparator;
  if (!is_fenced) {
    while (!reader.at_end() && !IsBlank(reader.Peek())) expected += reader.Take();
    return expected;
  }
  reader.Take();
  bool saw_separator = false;
  while (!reader.at_end()) {
    const bool is_separator = reader.Peek() == kSeparator;
    if (is_separator && saw_separator) {
      reader.Take();
      expected.resize(expected.size() - kSeparator.size() - 1);
      return expected;
    }
    saw_separator = is_separator;
    expected += reader.Take();
  }
  problem = "the file ends inside an output that began with a doubled '----'";
  return expected;
}

std::string Fenced(const std::string& output) {
  bool has_blank_line = false;
  for (LineReader reader(output); !reader.at_end();) {
    has_blank_line = has_blank_line || IsBlank(reader.Peek()) || reader.Peek() == kSeparator;
    reader.Take();
  }
  if (!has_blank_line) return "----\n" + output;
  return "----\n----\n" + output + "----\n----\n";
}

class GoldenFileTest : public ::testing::Test {
 public:
  GoldenFileTest(std::string path, GoldenVerbs verbs)
      : path_(std::move(path)), verbs_(std::move(verbs)) {}

  void TestBody() override {
    const std::string full_path = HANDRAIL_SOURCE_DIR "/" + path_;
    GoldenText text = GoldenText::Parse(ReadText(full_path));
    ASSERT_EQ(text.problem, "") << path_;
    ASSERT_FALSE(text.blocks.empty()) << path_ << ": no cases";
    const bool is_update = std::getenv("GOLDEN_UPDATE") != nullptr;
    for (GoldenText::Block& block : text.blocks) {
      const std::string place = path_ + ":" + std::to_string(block.line);
      GoldenCase golden_case(block.command, block.input);
      const auto verb = verbs_.find(golden_case.verb());
      ASSERT_NE(verb, verbs_.end()) << place << ": unknown verb '" << golden_case.verb() << "'";
      std::string output = verb->second(golden_case);
      if (!output.empty() && output.back() != '\n') output += '\n';
      EXPECT_EQ(golden_case.Unused(), std::vector<std::string>())
          << place << ": '" << golden_case.verb() << "' does not know these arguments";
      if (is_update) {
        block.expected = output;
      } else {
        EXPECT_EQ(output, block.expected)
            << place << ": " << block.command
            << "\nif the new output is right, run the test again with GOLDEN_UPDATE=1";
      }
    }
    if (is_update) std::ofstream(full_path, std::ios::binary) << text.Print();
  }

 private:
  std::string path_;
  GoldenVerbs verbs_;
};

}  // namespace

GoldenCase::GoldenCase(std::string command, std::string input) : input_(std::move(input)) {
  const size_t end = std::min(command.find(' '), command.size());
  verb_ = command.substr(0, end);
  if (end < command.size()) rest_ = command.substr(end + 1);
  std::istringstream words(rest_);
  for (std::string word; words >> word;) words_[word] = false;
}

std::string GoldenCase::Argument(std::string_view key, std::string_view fallback) {
  const std::string prefix = std::string(key) + "=";
  const auto found = std::find_if(words_.begin(), words_.end(),
                                  [&](const auto& word) { return word.first.starts_with(prefix); });
  if (found == words_.end()) return std::string(fallback);
  found->second = true;
  return found->first.substr(prefix.size());
}

bool GoldenCase::Flag(std::string_view flag) {
  const auto found = words_.find(std::string(flag));
  if (found == words_.end()) return false;
  found->second = true;
  return true;
}

std::string GoldenCase::TakeRest() {
  words_.clear();
  return rest_;
}

std::vector<std::string> GoldenCase::Unused() const {
  std::vector<std::string> unused;
  for (const auto& [word, was_asked_for] : words_) {
    if (!was_asked_for) unused.push_back(word);
  }
  return unused;
}

GoldenText GoldenText::Parse(std::string_view text) {
  GoldenText result;
  LineReader reader(text);
  std::string before;
  while (!reader.at_end()) {
    if (IsBlank(reader.Peek()) || reader.Peek().starts_with('#')) {
      before += reader.Take();
      continue;
    }
    Block block;
    block.before = std::exchange(before, "");
    block.line = reader.line();
    block.command = reader.Peek();
    reader.Take();
    while (!reader.at_end() && reader.Peek() != kSeparator) block.input += reader.Take();
    if (reader.at_end()) {
      result.problem = "line " + std::to_string(block.line) + ": no '----' after the command";
      return result;
    }
    reader.Take();
    block.expected = TakeExpected(reader, result.problem);
    result.blocks.push_back(std::move(block));
  }
  result.after = before;
  return result;
}

std::string GoldenText::Print() const {
  std::string text;
  for (const Block& block : blocks) {
    text += block.before + block.command + "\n" + block.input + Fenced(block.expected);
  }
  return text + after;
}

void RegisterGoldenTests(const std::string& suite, const std::string& folder,
                         const std::function<GoldenVerbs()>& make_verbs) {
  const fs::path root = HANDRAIL_SOURCE_DIR;
  std::vector<std::string> paths;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
    if (entry.path().extension() == ".test") {
      paths.push_back(entry.path().lexically_relative(root).generic_string());
    }
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    // As a name of a test: letters, digits and '_' only.
    std::string name = fs::path(path).lexically_relative(folder).replace_extension().string();
    std::replace(name.begin(), name.end(), '/', '_');
    ::testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [path, make_verbs]() -> ::testing::Test* {
                              return new GoldenFileTest(path, make_verbs());
                            });
  }
}

}  // namespace handrail::golden
