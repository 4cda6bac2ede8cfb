#include "handrail/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace handrail::internal {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: check failed: %s (this is a bug in handrail)\n", file, line,
               condition);
  std::abort();
}

}  // namespace handrail::internal
