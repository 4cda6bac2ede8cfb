// Operators that only move values: they have no schema of their own, or no work to do.
#pragma once

#include <string_view>

#include "runtime/linked_program.h"

namespace handrail::runtime {

// Null: it is an operator like others.
Kernel FindPrimKernel(std::string_view name);

}  // namespace handrail::runtime
