// The exception that says which node failed: what a backend and the interpreter throw while a model
// runs. It stops at the public API, where it becomes an error value with a trace.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "handrail/debug_info/handle.h"

namespace handrail {

// A message and debug handles, innermost first. Each caller that has a handle of its own pushes it
// and rethrows:
//
//   try {
//     RunNode(node);
//   } catch (BackendError& error) {
//     error.Push(node.handle);
//     throw;
//   }
class BackendError : public std::runtime_error {
 public:
  // `handle`: of the node that failed; kUnknownHandle if the backend does not know.
  BackendError(const std::string& message, DebugHandle handle)
      : std::runtime_error(message), handles_{handle} {}

  // The handle of the node that called what failed.
  void Push(DebugHandle caller) { handles_.push_back(caller); }

  std::span<const DebugHandle> handles() const { return handles_; }
  // For whoever widens the handles of a backend that stores 32 bits (backend/narrow_handle.h).
  std::span<DebugHandle> mutable_handles() { return handles_; }

 private:
  std::vector<DebugHandle> handles_;
};

}  // namespace handrail
