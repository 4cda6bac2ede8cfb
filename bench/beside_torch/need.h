// What the programs that are measured beside PyTorch share.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "handrail/base/result.h"

namespace handrail {

// The value of a result, which must be there: a benchmark has no use for errors.
template <typename T>
T Need(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
  }
  return *std::move(result);
}

}  // namespace handrail
