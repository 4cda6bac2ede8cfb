// Conditions, and what they tell about the types of variables.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/emit_meaning.h"

namespace handrail::graph {

// Whether a call of this name tells the type of its first argument.
inline bool IsTypeCheck(std::string_view callee) {
  return callee == "isinstance" || callee == "torch.jit.isinstance";
}

// A variable's narrower type where a condition holds: `x is not None`.
struct Refinement {
  StringId name;
  TypeId type;
};

// What is known of variables where a condition is true, and where it is false.
struct Refinements {
  std::vector<Refinement> if_true = {};
  std::vector<Refinement> if_false = {};
};
// `a and b`, `a or b`.
Refinements And(const Refinements& a, const Refinements& b);
Refinements Or(const Refinements& a, const Refinements& b);
inline Refinements Not(Refinements a) {
  std::swap(a.if_true, a.if_false);
  return a;
}

struct Condition {
  Operand value = {};
  Refinements refinements = {};
  // Known when compiled: nothing is emitted for the other branch.
  std::optional<bool> known = {};
};

}  // namespace handrail::graph
