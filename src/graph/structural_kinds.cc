#include "graph/structural_kinds.h"

#include <algorithm>
#include <iterator>

namespace handrail::graph {
namespace {

constexpr uint32_t kAny = StructuralKind::kAny;
constexpr StructuralKind kKinds[] = {
#define HANDRAIL_STRUCTURAL(symbol, least_inputs, most_inputs, least_outputs, most_outputs, \
                            blocks)                                                         \
  {symbols::symbol, least_inputs, most_inputs, least_outputs, most_outputs, blocks},
#include "graph/structural_kinds.def"
};

}  // namespace

const StructuralKind* FindStructuralKind(Symbol kind) {
  const auto* found = std::ranges::find(kKinds, kind, &StructuralKind::kind);
  return found == std::end(kKinds) ? nullptr : found;
}

}  // namespace handrail::graph
