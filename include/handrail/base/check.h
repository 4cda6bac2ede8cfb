// HANDRAIL_CHECK: for bugs of ours, never for input. Aborts in every build, and says where.
#pragma once

namespace handrail::internal {
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);
}  // namespace handrail::internal

#define HANDRAIL_CHECK(condition) \
  (static_cast<bool>(condition)   \
       ? static_cast<void>(0)     \
       : ::handrail::internal::CheckFailed(__FILE__, __LINE__, #condition))
