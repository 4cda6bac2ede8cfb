// SPEC of the command line: one input of a model, described in a word.
//
//   ones:2x3  zeros:2x3:i64  rand:1x3x224x224  arange:10:f64  int:5  float:0.5  bool:true  str:text
//   none  @file.npy
#pragma once

#include <cstdint>
#include <string>

#include "handrail/base/result.h"
#include "handrail/values/value.h"

namespace handrail::cli {

// Uniform numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood 2014).
class RandomNumbers {
 public:
  explicit RandomNumbers(uint64_t seed) : state_(seed) {}
  // In [0, 1), with as many bits as a double has.
  double Next();

 private:
  uint64_t state_;
};

// Makes the input. `rand:` takes its numbers from `random`, in C order.
//
// kInvalidArgument: it is no SPEC, and the message says what is missing; any other error: the .npy
// file cannot be read.
Result<values::Value> MakeInput(const std::string& spec, RandomNumbers& random);

}  // namespace handrail::cli
