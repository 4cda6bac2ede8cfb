#include "handrail/backends/backends.h"

namespace handrail {

Status RegisterShippedBackends(BackendRegistry& registry, std::ostream* print_to) {
  HANDRAIL_RETURN_IF_ERROR(registry.Register("reference", MakeReferenceBackend(print_to)));
  return registry.Register("demo", MakeDemoBackend());
}

}  // namespace handrail
