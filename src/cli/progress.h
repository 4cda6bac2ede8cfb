// What long work is doing, on a terminal only.
#pragma once

#include <string_view>

#include "cli/streams.h"

namespace handrail::cli {

// Keeps one line of the terminal, and takes it away at the end.
class Progress {
 public:
  explicit Progress(const Streams& streams) : streams_(streams) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The line says `work` until the next step. Say() writes over it.
  void Step(std::string_view work);

 private:
  const Streams& streams_;
  bool is_shown_ = false;
};

}  // namespace handrail::cli
