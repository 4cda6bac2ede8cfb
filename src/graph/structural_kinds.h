// Node kinds without schemas, as data; structural_kinds.def lists them.
#pragma once

#include <cstdint>

#include "handrail/graph/symbol.h"

namespace handrail::graph {

struct StructuralKind {
  static constexpr uint32_t kAny = UINT32_MAX;

  Symbol kind;
  uint32_t least_inputs;
  uint32_t most_inputs;
  uint32_t least_outputs;
  uint32_t most_outputs;
  uint32_t block_count;
};

// Null for operators, and for the ends of blocks.
const StructuralKind* FindStructuralKind(Symbol kind);

}  // namespace handrail::graph
