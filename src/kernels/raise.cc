#include "kernels/raise.h"

#include "handrail/kernels/kernels.h"

namespace handrail::kernels {

void Raise(std::string message) {
  throw KernelError(std::move(message));
}

}  // namespace handrail::kernels
