#include "test/e2e/document.h"

#include <algorithm>
#include <utility>

namespace handrail::golden {

Document Document::Parse(std::string_view text) {
  Document document;
  std::string before;
  bool is_console = false;
  bool is_continued = false;
  bool has_command = false;
  while (!text.empty()) {
    const size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string line(text.substr(0, size));
    text.remove_prefix(size);
    if (is_continued) {
      document.commands.back().command += "\n" + line.substr(0, line.size() - 1);
      is_continued = line.ends_with("\\\n");
    } else if (line.starts_with("```")) {
      is_console = line == "```console\n";
      has_command = false;
      before += line;
    } else if (is_console && line.starts_with("$ ")) {
      document.commands.push_back({std::exchange(before, ""), line.substr(2, line.size() - 3), {}});
      is_continued = line.ends_with("\\\n");
      has_command = true;
    } else if (is_console && has_command) {
      document.commands.back().output += line;
    } else {
      before += line;
    }
  }
  document.after = before;
  return document;
}

std::string Document::Print() const {
  std::string text;
  for (const Command& command : commands) {
    text += command.before + "$ " + command.command + "\n" + command.output;
  }
  return text + after;
}

}  // namespace handrail::golden
