// Models made at random that fail at a place which their maker knows.
//
// In:  a seed.   Out: a module archive as PyTorch writes it, which of its parts to lower, and the
// trace that a failed run must have, however the model was lowered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace handrail::testing {

// One frame of the trace, outermost first.
struct ExpectedFrame {
  std::string function;
  uint32_t line = 0;    // of the class's code file, 1-based
  uint32_t column = 0;  // of what is underlined, 1-based
  std::string text;     // what is underlined

  friend bool operator==(const ExpectedFrame&, const ExpectedFrame&) = default;
};

// A part of the model, by the path from the top module; "" is the whole.
struct Piece {
  std::string path;
  std::string backend;  // "reference" or "demo"
};

struct RandomModel {
  std::string archive;
  std::vector<Piece> pieces;  // none contains another
  std::string hierarchy;      // "top(M0)::forward.a1(M1)::forward.aten::add"
  std::vector<ExpectedFrame> frames;
};

// The methods take a tensor of two elements, one of three, and 1. Adding the two tensors fails, and
// that is what happens once on the way.
RandomModel MakeRandomModel(uint64_t seed);

}  // namespace handrail::testing
