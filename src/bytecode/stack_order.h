// Prepares a graph for instructions: where values die, and which nodes need no registers.
#pragma once

#include <vector>

#include "handrail/base/result.h"
#include "handrail/graph/graph.h"

namespace handrail::bytecode {

// Blocks inside of blocks; they are walked by recursion.
inline constexpr int kBlockDepthMax = 2'000;

// Adds prim::Drop nodes: for values that nobody uses, where they are made; and behind nodes with
// blocks, for values whose last use is inside of them, so that the one use of a value that moves it
// out of its register is where it was made, and runs once. Fails with kLimit.
Status InsertDrops(graph::Graph& graph);

// By NodeId::index: whether the node's instructions can stand where its only result is used, which
// is then on the stack and needs no register. That is where everything between the two is on the
// stack as well.
std::vector<bool> FindInlineNodes(const graph::Graph& graph);

}  // namespace handrail::bytecode
