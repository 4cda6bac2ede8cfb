#include "cli/progress.h"

#include <ostream>

namespace handrail::cli {

void Progress::Step(std::string_view work) {
  if (!streams_.is_err_terminal) return;
  // To the line's start, and erase to its end.
  streams_.err << "\r\x1b[K" << work << " ..." << std::flush;
  is_shown_ = true;
}

Progress::~Progress() {
  if (is_shown_) streams_.err << "\r\x1b[K" << std::flush;
}

}  // namespace handrail::cli
