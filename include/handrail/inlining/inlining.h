// Calls replaced by the bodies of what they call.
//
// In:  a graph as it was written, and the graphs of the functions it calls.
// Out: a graph in which every node knows by which calls it was reached (Graph::stack), the
// outermost
//      first; what lowering issues handles for.
//
// Bodies are pasted as written, never optimized: a check that the model's author wrote stays. Each
// call site has the function's name, and for methods the instance: the attribute that it was read
// from, `SELF` for the caller's own module, or INSTANCE_NAME_UNKNOWN.
//
// Calls through interfaces stay calls, because only the running program knows the module; so do
// calls of functions without a body.
#pragma once

#include <cstdint>
#include <functional>

#include "handrail/base/limits.h"
#include "handrail/base/result.h"
#include "handrail/graph/compilation_unit.h"

namespace handrail::graph {

// The body of a function that is called, as LoadedModule::GraphOf gives it. It must stay as it is,
// and where it is, while Inline runs. Null: the function has none, and calls of it stay.
using BodyOf = std::function<Result<const Graph*>(FunctionId)>;

struct InlineOptions {
  // The largest graph to make: a model of n functions can spell a graph of 2^n nodes.
  uint32_t node_count_max = limits::kInlinedNodesMax;
};

// `graph` with all calls replaced, in nested blocks, too. Its stacks and those of the callees,
// which have none if they are as written, are kept below the new ones. Adds stacks to the unit, and
// what `body_of` adds.
//
// Fails with kUnsupported where a function calls itself, directly or through others, naming the
// functions; with kLimit; and with what `body_of` fails with. Uses no recursion.
Result<Graph> Inline(const Graph& graph, const BodyOf& body_of, const InlineOptions& options = {});

// The same for the body of `function`, which may be met again on the way: that is recursion, too.
Result<Graph> InlineFunction(FunctionId function, const BodyOf& body_of,
                             const InlineOptions& options = {});

}  // namespace handrail::graph
