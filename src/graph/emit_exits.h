// Early exits: `return` and `raise` inside blocks, `break`, `continue`.
//
// In:  a graph in which nodes of three kinds stand where a block is left early.
// Out: the same without them: what may have been left behind stands in the branches of an `if` that
//      asks whether it was.
#pragma once

#include "handrail/base/result.h"
#include "handrail/graph/graph.h"

namespace handrail::graph {

// What emission met, and the kinds of its nodes.
//   return statement   (value): leaves the function, or the fork's block, that it stands in
//   loop continuation  (next condition, carried values...): leaves the body of the innermost loop
//   with               no inputs; two blocks: the body and what ends it
struct Exits {
  explicit Exits(CompilationUnit& unit);

  Symbol return_statement;
  Symbol loop_continuation;
  Symbol with;
  bool has_continuations = false;
  // A return that is not the last node of the function, or a raise.
  bool has_inner_exits = false;
  bool has_with = false;
};

// `result_type` is that of the function. Fails with kLimit if more blocks would be nested than
// limits::kEmitDepthMax.
Status RemoveExits(Graph& graph, const Exits& exits, TypeId result_type);

}  // namespace handrail::graph
