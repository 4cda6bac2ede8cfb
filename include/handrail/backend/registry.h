// The backends that a process knows, by name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/backend/backend.h"
#include "handrail/base/result.h"

namespace handrail {

// Thread-safe. A backend that was found stays valid as long as its pointer is held.
class BackendRegistry {
 public:
  BackendRegistry() = default;
  BackendRegistry(const BackendRegistry&) = delete;
  BackendRegistry& operator=(const BackendRegistry&) = delete;
  ~BackendRegistry() = default;

  // The registry of the process, empty at first.
  static BackendRegistry& OfProcess();

  // Names are written into archives as part of a class name: letters, digits and `_`, no digit
  // first; anything else fails with kInvalidArgument. Fails with kConflict if the name is taken.
  Status Register(std::string_view name, std::shared_ptr<const Backend> backend);

  // To lower for it. Fails with kNotFound, naming those there are.
  Result<std::shared_ptr<const Backend>> Find(std::string_view name) const;
  // To run on it. Also fails, with kUnsupported, if it is not available on this machine.
  Result<std::shared_ptr<const Backend>> FindAvailable(std::string_view name) const;

  // In alphabetical order.
  std::vector<std::string> names() const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::shared_ptr<const Backend>, std::less<>> backends_;
};

}  // namespace handrail
