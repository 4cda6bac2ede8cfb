// Runs the built programs as a user would: the cases in test/e2e, and every command that a document
// shows, whose output must be what the document says.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "test/e2e/document.h"
#include "test/support/golden.h"
#include "test/support/shell.h"

namespace handrail::golden {
namespace {

namespace fs = std::filesystem;

std::string ReadText(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string ExitLine(const ShellResult& result) {
  return result.exit_code == 0 ? "" : "[exit " + std::to_string(result.exit_code) + "]\n";
}

// `$ command`: what it prints to stdout; then to stderr, below [stderr]; then how it ended.
GoldenVerbs MakeShellVerbs() {
  static int file_count = 0;
  const auto shell = std::make_shared<Shell>(std::to_string(++file_count), HANDRAIL_BIN_DIR);
  return {{"$", [shell](GoldenCase& golden_case) {
             const ShellResult result = shell->Run(golden_case.TakeRest(), golden_case.input());
             std::string output = result.out;
             if (!output.empty() && output.back() != '\n') output += "[no newline]\n";
             if (!result.err.empty()) output += "[stderr]\n" + result.err;
             return output + ExitLine(result);
           }}};
}

TEST(Documents, ReadmeShowsWhatMakeDemoRuns) {
  const std::string makefile = ReadText(HANDRAIL_SOURCE_DIR "/Makefile");
  const std::string label = "\nDEMO := ";
  const size_t begin = makefile.find(label) + label.size();
  const std::string demo = makefile.substr(begin, makefile.find('\n', begin) - begin);
  EXPECT_NE(ReadText(HANDRAIL_SOURCE_DIR "/README.md").find("$ " + demo + "\n"), std::string::npos)
      << demo;
}

TEST(Documents, CommandsAreFoundAndPutBack) {
  const std::string text =
      "# A\n```console\n$ echo a \\\n  b\na b\n$ true\n```\n```\n$ no command: a literal\n";
  const Document document = Document::Parse(text);
  ASSERT_EQ(document.commands.size(), 2u);
  EXPECT_EQ(document.commands[0].command, "echo a \\\n  b");
  EXPECT_EQ(document.commands[0].output, "a b\n");
  EXPECT_EQ(document.commands[1].command, "true");
  EXPECT_EQ(document.commands[1].output, "");
  EXPECT_EQ(document.Print(), text);
}

class DocumentTest : public ::testing::Test {
 public:
  explicit DocumentTest(std::string path) : path_(std::move(path)) {}

  void TestBody() override {
    const std::string full_path = HANDRAIL_SOURCE_DIR "/" + path_;
    const Shell shell(fs::path(path_).stem().string(), HANDRAIL_BIN_DIR);
    Document document = Document::Parse(ReadText(full_path));
    for (Document::Command& command : document.commands) {
      const ShellResult result = shell.Run(command.command, "");
      const std::string output = result.out + result.err + ExitLine(result);
      if (std::getenv("GOLDEN_UPDATE") == nullptr) {
        EXPECT_EQ(output, command.output) << path_ << ": $ " << command.command;
      }
      command.output = output;
    }
    if (std::getenv("GOLDEN_UPDATE") != nullptr) {
      std::ofstream(full_path, std::ios::binary) << document.Print();
    }
  }

 private:
  std::string path_;
};

void RegisterDocuments() {
  std::vector<std::string> paths = {"README.md", "CONTRIBUTING.md"};
  for (const fs::directory_entry& entry : fs::directory_iterator(HANDRAIL_SOURCE_DIR "/docs")) {
    if (entry.path().extension() == ".md") {
      paths.push_back("docs/" + entry.path().filename().string());
    }
  }
  for (const std::string& path : paths) {
    if (Document::Parse(ReadText(HANDRAIL_SOURCE_DIR "/" + path)).commands.empty()) continue;
    ::testing::RegisterTest("Commands", fs::path(path).stem().string().c_str(), nullptr, nullptr,
                            __FILE__, __LINE__,
                            [path]() -> ::testing::Test* { return new DocumentTest(path); });
  }
}

}  // namespace
}  // namespace handrail::golden

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  handrail::golden::RegisterGoldenTests("EndToEnd", "test/e2e", handrail::golden::MakeShellVerbs);
  handrail::golden::RegisterDocuments();
  return RUN_ALL_TESTS();
}
