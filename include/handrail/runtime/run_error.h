// What a failed run says.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "handrail/debug_info/handle.h"

namespace handrail::runtime {

struct RunError {
  // What failed, as the kernel, the backend or the model said it.
  std::string message;
  // Where: of the backend's blob, then of each frame of the interpreter; innermost first. Empty if
  // nothing ran, kUnknownHandle for a frame of a program without handles.
  std::vector<DebugHandle> handles;
  // What the handles stand for (Trace::text). Where the debug map is elsewhere: the log token
  // `{{{hdh:<build id>:<handles>}}}`, which `handrail symbolize` turns into the same text. "" if
  // there are no handles.
  std::string trace;
  // Nothing ran: there is no such method, or the inputs do not fit it.
  bool is_misuse = false;

  // All of it, as a user reads it: the message, then the trace on lines of its own.
  std::string ToString() const;
};

template <typename T>
using RunResult = tl::expected<T, RunError>;

// Thrown by an instruction that cannot do what it should, and by models that raise. It never leaves
// Module::Run.
class ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace handrail::runtime
