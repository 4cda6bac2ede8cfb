// Runs a fuzz target over files, for builds without libFuzzer: so that targets cannot rot, and
// every input of the corpus is a test.
//
//   NAME_fuzz PATH...    each PATH a file, or a folder whose files are all run
//
// Each input is copied to heap memory of exactly its size, so that AddressSanitizer sees a read one
// byte beyond it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> FilesOf(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool Run(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
    return false;
  }
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const std::unique_ptr<uint8_t[]> exact(new uint8_t[content.size()]);
  std::memcpy(exact.get(), content.data(), content.size());
  // Named before it runs: if it crashes, this is the last line.
  std::fprintf(stderr, "%s (%zu bytes)\n", path.c_str(), content.size());
  LLVMFuzzerTestOneInput(exact.get(), content.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bool all_ran = true;
  for (int i = 1; i < argc; ++i) {
    const std::vector<fs::path> files = FilesOf(argv[i]);
    if (files.empty()) {
      std::fprintf(stderr, "%s: no inputs\n", argv[i]);
      all_ran = false;
    }
    for (const fs::path& path : files) all_ran = Run(path) && all_ran;
  }
  return argc > 1 && all_ran ? EXIT_SUCCESS : EXIT_FAILURE;
}
