#include "handrail/backend/registry.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace handrail {
namespace {

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsName(std::string_view name) {
  return !name.empty() && IsLetter(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return IsLetter(c) || IsDigit(c); });
}

}  // namespace

BackendRegistry& BackendRegistry::OfProcess() {
  static BackendRegistry registry;
  return registry;
}

Status BackendRegistry::Register(std::string_view name, std::shared_ptr<const Backend> backend) {
  if (!IsName(name)) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("backend '{}': a name needs letters, digits and '_', and no digit first",
                    name));
  }
  if (backend == nullptr) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("backend '{}': need a backend, have a null pointer", name));
  }
  const std::unique_lock lock(mutex_);
  std::shared_ptr<const Backend>& known = backends_[std::string(name)];
  if (known != nullptr) {
    return Fail(ErrorCode::kConflict, fmt::format("backend '{}' is already registered", name));
  }
  known = std::move(backend);
  return {};
}

Result<std::shared_ptr<const Backend>> BackendRegistry::Find(std::string_view name) const {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = backends_.find(name); found != backends_.end()) return found->second;
  }
  const std::vector<std::string> known = names();
  return Fail(ErrorCode::kNotFound,
              fmt::format("backend '{}' is not registered (registered: {})", name,
                          known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
}

Result<std::shared_ptr<const Backend>> BackendRegistry::FindAvailable(std::string_view name) const {
  HANDRAIL_ASSIGN_OR_RETURN(std::shared_ptr<const Backend> backend, Find(name));
  // Outside of the lock: it is the backend's code, and may take its time.
  if (backend->IsAvailable()) return backend;
  return Fail(ErrorCode::kUnsupported,
              fmt::format("backend '{}' is not available on this machine", name));
}

std::vector<std::string> BackendRegistry::names() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::string> names;
  names.reserve(backends_.size());
  for (const auto& [name, backend] : backends_) names.push_back(name);
  return names;
}

}  // namespace handrail
