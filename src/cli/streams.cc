#include "cli/streams.h"

#include <ostream>

namespace handrail::cli {

void Say(const Streams& streams, std::string_view message) {
  // Over a line of progress, if there is one.
  if (streams.is_err_terminal) streams.err << "\r\x1b[K";
  streams.err << "handrail: " << message << '\n';
}

ExitCode SayUnusable(const Streams& streams, const Error& error) {
  Say(streams, error.message);
  return ExitCode::kUnusable;
}

}  // namespace handrail::cli
