// Issues a debug handle for each node of the graphs that one lowering gives to a backend, and
// remembers where each node came from.
//
// In:  inlined graphs of one compilation unit. Compilers with an IR of their own use
//      DebugInfoBuilder directly.
// Out: DebugInfo with one unit, which goes with the model; the handles go into the blob.
//
//   BackendDebugInfoRecorder recorder(unit, {.key = key, .top_type = "__torch__.M"});
//   Result<NodeHandles> handles = recorder.GenerateDebugHandles(graph);
//   ...
//   Result<DebugInfo> info = recorder.StopRecording();
#pragma once

#include <memory>
#include <string_view>

#include "handrail/backend/backend.h"
#include "handrail/base/hash128.h"
#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info.h"
#include "handrail/graph/compilation_unit.h"
#include "handrail/graph/graph.h"

namespace handrail {

// One recorder serves one lowering on one thread. Any number of recorders work at once: they share
// nothing, and read the compilation unit, which must not be changed meanwhile.
class BackendDebugInfoRecorder {
 public:
  struct Options {
    // Everything that the debug info depends on, hashed (lowering/lowering_key.h): equal keys give
    // equal handles.
    Hash128 key = {};
    // Qualified type name of the module that is lowered.
    std::string_view top_type = {};
  };
  // `unit` must outlive the recorder.
  BackendDebugInfoRecorder(const graph::CompilationUnit& unit, const Options& options);
  BackendDebugInfoRecorder(BackendDebugInfoRecorder&&) noexcept;
  BackendDebugInfoRecorder& operator=(BackendDebugInfoRecorder&&) noexcept;
  ~BackendDebugInfoRecorder();

  // Nodes that come from here on belong to this function (qualified name). Empty: unknown.
  void BeginFunction(std::string_view name);

  // The next handle, for a node of a graph of the recorder's unit. Fails with kExhausted when there
  // are no more, with kConflict if a further handle space is taken by another one of this lowering,
  // and with kInvalidArgument once recording has stopped.
  Result<DebugHandle> NextDebugHandle(const graph::Graph& graph, graph::NodeId node);

  // A handle for each node of the graph and of all nested blocks, in PyTorch's order: all nodes of
  // a block, then its nested blocks, the last one first. Fails like NextDebugHandle.
  Result<NodeHandles> GenerateDebugHandles(const graph::Graph& graph);

  // Gives the debug info away. Fails with kInvalidArgument the second time.
  Result<DebugInfo> StopRecording();

 private:
  class State;
  std::unique_ptr<State> state_;  // null: recording has stopped
};

}  // namespace handrail
