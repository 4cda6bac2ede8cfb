// The entry of this stage: arguments in, exit code out.
#pragma once

#include <string>
#include <vector>

#include "cli/streams.h"

namespace handrail::cli {

// `arguments` without the program's name.
ExitCode RunCommandLine(const std::vector<std::string>& arguments, const Streams& streams);

}  // namespace handrail::cli
