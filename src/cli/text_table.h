// Columns of text, as wide as their widest cell.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace handrail::cli {

class TextTable {
 public:
  enum class Align { kLeft, kRight };

  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns.
  void AddRow(std::vector<std::string> cells);
  // Two blanks between columns, none at a line's end; `indent` blanks before each line.
  void Print(std::ostream& out, size_t indent = 0) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace handrail::cli
