// The classes that lowered modules call: `__torch__.torch.classes.__backends__.<name>`, whose
// methods are those of a registered backend, and BackendDebugInfo, which has none.
#pragma once

#include <set>
#include <string>

#include "handrail/backend/registry.h"

#include "runtime/interpreter.h"

namespace handrail::runtime {

// Not thread-safe.
class BackendMethods final : public ForeignMethods {
 public:
  explicit BackendMethods(const BackendRegistry& registry) : registry_(registry) {}

  // `__init__`, `is_available`, `compile`, `execute`. A backend that nobody registered is not
  // available. Throws ModelError, and what the backend throws.
  std::optional<std::string_view> Call(const values::ObjectClass& object_class,
                                       std::string_view method, size_t argument_count,
                                       values::Stack& stack) override;

 private:
  const BackendRegistry& registry_;
  std::set<std::string, std::less<>> names_;  // events refer to them
};

}  // namespace handrail::runtime
