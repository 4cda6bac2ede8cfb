#include "handrail/backends/backends.h"

namespace handrail {

Status RegisterShippedBackends(BackendRegistry& registry) {
  HANDRAIL_RETURN_IF_ERROR(registry.Register("reference", MakeReferenceBackend()));
  return registry.Register("demo", MakeDemoBackend());
}

}  // namespace handrail
