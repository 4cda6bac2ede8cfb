// The calculator's compiler: text in, stack code and debug info out.
//
//   mean(a, b) = (a + b) / 2      a function, of one expression; it may call those above it
//   height = mean(low, high)      a variable
//   height * 3                    the result: the last line
//
// Calls are inlined, so that the code has no trace of functions. What a failing instruction was
// part of is known by its handle alone.
#pragma once

#include <string>

#include "handrail/debug_info/debug_info.h"

#include "machine.h"

namespace calc {

struct Compiled {
  Program program;
  handrail::DebugInfo debug_info;
};

// `file_name` is what traces name. Throws std::runtime_error: the text is not a program.
Compiled Compile(const std::string& file_name, const std::string& text);

}  // namespace calc
