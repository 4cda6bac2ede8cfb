// The files of this repository as text, for the house rules in tidy_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace handrail::tidy {

struct File {
  std::string path;  // from the repository's root, with '/'
  std::vector<std::string> lines;
  // The same lines without comments and without what is inside literals; for C++ only.
  std::vector<std::string> code_lines;

  static File Parse(std::string path, std::string_view text);

  bool IsUnder(std::string_view folder) const;
  bool is_cpp() const { return path.ends_with(".h") || path.ends_with(".cc"); }
  // "src/a.cc:12: text of the line"; `line` counts from 0.
  std::string At(size_t line) const;
  std::string Text() const;
};

// Every text file of ours, ordered by path. Read once.
const std::vector<File>& Tree();

// The lines (from 0) of headings in a Markdown file that neither text nor a deeper heading follows.
std::vector<size_t> EmptySections(const File& file);

}  // namespace handrail::tidy
