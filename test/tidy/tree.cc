#include "test/tidy/tree.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace handrail::tidy {
namespace {

namespace fs = std::filesystem;

// Where we write text. test/data and fuzz/corpus hold inputs.
constexpr std::array<std::string_view, 9> kFolders = {"src",  "include",  "test",  "fuzz", "bench",
                                                      "docs", "examples", "cmake", ".ci"};

bool IsInput(const fs::path& path) {
  return path.filename() == "corpus" || path.filename() == "data";
}

bool IsText(const fs::path& path) {
  static const std::set<std::string> extensions = {"",    ".cc", ".h",   ".def",  ".md",   ".py",
                                                   ".sh", ".in", ".txt", ".test", ".cmake"};
  return extensions.contains(path.extension().string());
}

File Read(const fs::path& root, const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return File::Parse(path.lexically_relative(root).generic_string(), text);
}

// One pass over C++ text that drops comments and the inside of literals.
class CodeScanner {
 public:
  explicit CodeScanner(std::string_view text) : text_(text) {}

  std::string Scan() {
    while (position_ < text_.size()) Step();
    return std::move(code_);
  }

 private:
  bool At(std::string_view token) const { return text_.substr(position_).starts_with(token); }
  void Keep() { code_ += text_[position_++]; }
  // Newlines stay, so that lines keep their numbers.
  void SkipTo(size_t end) {
    end = std::min(end, text_.size());
    for (; position_ < end; ++position_) {
      if (text_[position_] == '\n') code_ += '\n';
    }
  }
  size_t Find(std::string_view token, size_t from) const {
    const size_t found = text_.find(token, from);
    return found == std::string_view::npos ? text_.size() : found + token.size();
  }

  void Step() {
    if (At("//")) {
      SkipTo(std::min(text_.find('\n', position_), text_.size()));
    } else if (At("/*")) {
      SkipTo(Find("*/", position_ + 2));
    } else if (At("R\"")) {
      Keep();
      const size_t open = text_.find('(', position_);
      const std::string_view delimiter = text_.substr(position_ + 1, open - position_ - 1);
      const size_t end = Find(")" + std::string(delimiter) + "\"", position_);
      code_ += "\"\"";
      SkipTo(end);
    } else if (At("\"")) {
      code_ += "\"\"";
      SkipTo(LiteralEnd('"'));
    } else if (At("'") && !IsDigitSeparator()) {
      code_ += "' '";
      SkipTo(LiteralEnd('\''));
    } else {
      Keep();
    }
  }

  bool IsDigitSeparator() const {
    return position_ > 0 && std::isxdigit(static_cast<unsigned char>(text_[position_ - 1])) != 0;
  }
  size_t LiteralEnd(char quote) const {
    size_t i = position_ + 1;
    while (i < text_.size() && text_[i] != quote && text_[i] != '\n')
      i += text_[i] == '\\' ? 2U : 1U;
    return i + 1;
  }

  std::string_view text_;
  size_t position_ = 0;
  std::string code_;
};

std::vector<std::string> SplitLines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

File File::Parse(std::string path, std::string_view text) {
  File file;
  file.path = std::move(path);
  file.lines = SplitLines(std::string(text));
  if (file.is_cpp()) file.code_lines = SplitLines(CodeScanner(text).Scan());
  return file;
}

bool File::IsUnder(std::string_view folder) const {
  return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

std::string File::At(size_t line) const {
  return path + ":" + std::to_string(line + 1) + ": " + lines[line];
}

std::string File::Text() const {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

const std::vector<File>& Tree() {
  static const std::vector<File> tree = [] {
    const fs::path root = HANDRAIL_SOURCE_DIR;
    std::vector<File> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
      if (entry.is_regular_file() && IsText(entry.path()))
        files.push_back(Read(root, entry.path()));
    }
    for (std::string_view folder : kFolders) {
      if (!fs::exists(root / folder)) continue;
      fs::recursive_directory_iterator it(root / folder);
      for (const fs::directory_entry& entry : it) {
        if (entry.is_directory() && IsInput(entry.path())) it.disable_recursion_pending();
        if (entry.is_regular_file() && IsText(entry.path()))
          files.push_back(Read(root, entry.path()));
      }
    }
    std::sort(files.begin(), files.end(),
              [](const File& a, const File& b) { return a.path < b.path; });
    return files;
  }();
  return tree;
}

std::vector<size_t> EmptySections(const File& file) {
  std::vector<size_t> empty;
  size_t heading = 0;  // of the open section, and its level
  size_t level = 0;    // 0: none is open
  bool is_fenced = false;
  for (size_t line = 0; line < file.lines.size(); ++line) {
    const std::string& text = file.lines[line];
    if (text.starts_with("```")) is_fenced = !is_fenced;
    const size_t hashes = text.find_first_not_of('#');
    const bool is_heading =
        !is_fenced && hashes != 0 && hashes != std::string::npos && text[hashes] == ' ';
    if (is_heading) {
      if (level != 0 && hashes <= level) empty.push_back(heading);
      heading = line;
      level = hashes;
    } else if (!text.empty()) {
      level = 0;
    }
  }
  if (level != 0) empty.push_back(heading);
  return empty;
}

}  // namespace handrail::tidy
