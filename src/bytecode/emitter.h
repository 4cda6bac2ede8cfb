// Turns one inlined graph into the instructions of one function.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "handrail/bytecode/bytecode.h"
#include "handrail/graph/graph.h"

namespace handrail::bytecode {

struct EmittedFunction {
  Function function;                 // without handles, name, arguments and results
  std::vector<graph::NodeId> nodes;  // one for each instruction: what it works for
};

// A call that stays a call.
struct StayingCall {
  graph::TypeId receiver;
  StringId method;
};

// Adds nodes to `graph` (InsertDrops). Appends to `calls`.
Result<EmittedFunction> Emit(graph::Graph& graph, const ExternalConstant& external,
                             std::vector<StayingCall>& calls);

}  // namespace handrail::bytecode
