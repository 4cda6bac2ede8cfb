// The calculator's machine: stack code in, a number out.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "handrail/debug_info/handle.h"

namespace calc {

enum class Op { kNumber, kLoad, kStore, kAdd, kSub, kMul, kDiv };

// All that is left of the source is a handle: no line, no name of a function.
struct Instruction {
  Op op = Op::kNumber;
  double number = 0;
  std::string variable;
  handrail::DebugHandle handle = handrail::kUnknownHandle;
};
using Program = std::vector<Instruction>;

struct RunError : std::runtime_error {
  RunError(const std::string& message, handrail::DebugHandle at)
      : std::runtime_error(message), handle(at) {}
  handrail::DebugHandle handle;  // of the instruction that failed
};

// Throws RunError.
double Run(const Program& program, std::map<std::string, double> variables);

}  // namespace calc
