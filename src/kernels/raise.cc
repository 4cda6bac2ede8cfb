#include "kernels/raise.h"

#include "handrail/kernels/kernels.h"

namespace handrail::kernels {

void Raise(const std::string& message) {
  throw KernelError(message);
}

}  // namespace handrail::kernels
