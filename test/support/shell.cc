#include "test/support/shell.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace handrail::golden {
namespace {

namespace fs = std::filesystem;

std::string ReadText(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

Shell::Shell(const std::string& name, const std::string& bin_folder)
    : folder_(::testing::TempDir() + "handrail_" + std::to_string(::getpid()) + "_" + name),
      bin_folder_(bin_folder) {
  fs::create_directories(folder_ + "/root");
  for (const char* entry : {"test", "examples", "docs"}) {
    fs::create_directory_symlink(fs::path(HANDRAIL_SOURCE_DIR) / entry,
                                 fs::path(folder_) / "root" / entry);
  }
}

Shell::~Shell() {
  fs::remove_all(folder_);
}

ShellResult Shell::Run(const std::string& command, const std::string& input) const {
  std::ofstream(folder_ + "/command", std::ios::binary) << command << '\n';
  std::ofstream(folder_ + "/in", std::ios::binary) << input;
  const std::string line = "cd '" + folder_ + "/root' && LC_ALL=C PATH='" + bin_folder_ +
                           "':\"$PATH\" bash ../command <../in >../out 2>../err";
  const int status = std::system(line.c_str());
  return {ReadText(folder_ + "/out"), ReadText(folder_ + "/err"),
          WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

}  // namespace handrail::golden
