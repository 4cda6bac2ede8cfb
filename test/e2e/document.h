// The commands in a Markdown document, with the output that the document shows for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace handrail::golden {

// In blocks that begin with ```console, lines that begin with `$ ` are commands (and what follows a
// backslash at a line's end); all other lines are output of the command before them.
struct Document {
  struct Command {
    std::string before;   // the document's text from the last output to this command
    std::string command;  // without `$ `
    std::string output;
  };
  std::vector<Command> commands;
  std::string after;

  static Document Parse(std::string_view text);
  std::string Print() const;
};

}  // namespace handrail::golden
