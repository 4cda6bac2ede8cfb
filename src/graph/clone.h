// Copies of blocks and graphs, also into other graphs of the same unit.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "handrail/graph/graph.h"

namespace handrail::graph {

// What the values of the copied graph became, by ValueId; none: not copied.
using ValueMap = std::vector<ValueId>;

// Copies the nodes of `block` of `from`, with their blocks, to before `at` of `to`, which may be
// the same graph only if `at` is not inside `block`. Values that the block uses and does not define
// must be in `map`; parameters, too. `map` is as long as from.value_count() and gets the copies.
// `stack_of` gives each copied node its call stack from the original's. Debug names are kept.
void CloneNodes(const Graph& from, BlockId block, Graph& to, InsertPoint at, ValueMap& map,
                const std::function<StackId(StackId)>& stack_of);

// The whole graph. Erased rows are left out, so ids differ.
Graph CloneGraph(const Graph& graph);

}  // namespace handrail::graph
