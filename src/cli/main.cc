// handrail: the command-line tool. What it does is in command_line.h and the verbs.
#include <csignal>
#include <cstring>
#include <iostream>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "cli/command_line.h"
#include "cli/file_stream.h"

int main(int argc, char** argv) {
  using handrail::cli::ExitCode;
  using handrail::cli::InputBlocks;
  using handrail::cli::OutputBlocks;
  using handrail::cli::Streams;

  // A reader that goes away (`| head`) is seen as a failed write, and ends the work quietly.
  std::signal(SIGPIPE, SIG_IGN);

  InputBlocks input(STDIN_FILENO);
  OutputBlocks output(STDOUT_FILENO);
  std::istream in(&input);
  std::ostream out(&output);
  const Streams streams{in, out, std::cerr, ::isatty(STDERR_FILENO) == 1};

  const ExitCode code =
      handrail::cli::RunCommandLine(std::vector<std::string>(argv + 1, argv + argc), streams);

  out.flush();
  if (output.error() != 0 && output.error() != EPIPE) {
    handrail::cli::Say(streams, std::string("standard output: ") + std::strerror(output.error()));
    return static_cast<int>(ExitCode::kUnusable);
  }
  return static_cast<int>(code);
}
