// What a verb is given and what it gives back: streams in, exit code out. Results go to `out`,
// everything else to `err`.
#pragma once

#include <iosfwd>
#include <string_view>

#include "handrail/base/result.h"

namespace handrail::cli {

// A contract with scripts (README.md, "Exit codes").
enum class ExitCode : int {
  kDone = 0,
  // Done, but some handle was unknown, `verify` found a fault, or the model failed.
  kFaults = 1,
  kUsage = 2,
  // An input could not be read or used, or an output not written.
  kUnusable = 3,
};

struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  // Whether `err` is a terminal: long work shows its progress only there.
  bool is_err_terminal = false;
};

// "handrail: <message>" on its own line of `err`.
void Say(const Streams& streams, std::string_view message);
// The same for an error; gives kUnusable.
ExitCode SayUnusable(const Streams& streams, const Error& error);

}  // namespace handrail::cli
