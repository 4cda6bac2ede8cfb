// Runs commands as a user would, in a scratch folder that looks like the repository's root.
#pragma once

#include <string>

namespace handrail::golden {

struct ShellResult {
  std::string out;
  std::string err;
  int exit_code = 0;
};

class Shell {
 public:
  // `bin_folder` comes first in PATH. `name` tells scratch folders of tests that run at once apart.
  Shell(const std::string& name, const std::string& bin_folder);
  ~Shell();
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  // By bash, with `input` as standard input. What earlier commands have written is still there.
  ShellResult Run(const std::string& command, const std::string& input) const;

 private:
  std::string folder_;
  std::string bin_folder_;
};

}  // namespace handrail::golden
