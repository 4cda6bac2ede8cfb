// Prints what our parser makes of each file named on stdin, as torch_tree.cc does with PyTorch's.
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "script/dump.h"
#include "script/script.h"

namespace {

using handrail::Result;
using handrail::script::DefinitionKind;
using handrail::script::SyntaxTree;

struct File {
  std::string line;
  std::string text;

  Result<SyntaxTree> Parse() const {
    const bool methods = line.rfind("methods:", 0) == 0;
    return handrail::script::ParseScript(
        {.name = "f.py", .first_line = 1, .text = text},
        methods ? DefinitionKind::kMethods : DefinitionKind::kFunctions);
  }
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<File> files;
  for (std::string line; std::getline(std::cin, line);) {
    const std::string path = line.rfind("methods:", 0) == 0 ? line.substr(8) : line;
    std::ifstream file(path, std::ios::binary);
    std::stringstream content;
    content << file.rdbuf();
    files.push_back({line, content.str()});
  }
  if (argc < 2 || std::string(argv[1]) != "--time") {
    for (const File& file : files) {
      const Result<SyntaxTree> tree = file.Parse();
      std::cout << "== " << file.line << '\n';
      if (tree) {
        std::cout << handrail::script::Dump(*tree);
      } else {
        std::cout << "error: " << tree.error().message << '\n';
      }
    }
    return 0;
  }
  size_t bytes = 0;
  size_t nodes = 0;
  const std::clock_t start = std::clock();
  for (const File& file : files) {
    const Result<SyntaxTree> tree = file.Parse();
    if (tree) nodes += tree->size();
    bytes += file.text.size();
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%zu bytes, %.3f s of CPU time, %.2f MB/s, %zu nodes\n", bytes, seconds,
              static_cast<double>(bytes) / 1e6 / seconds, nodes);
}
