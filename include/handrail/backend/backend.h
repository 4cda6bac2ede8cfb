// What an author of a backend implements: methods of a module become a blob, and the blob runs.
//
//   Preprocess   where the model is lowered      graphs -> blob, which holds debug handles
//   Compile      where the model is loaded       blob -> one handle per method
//   Execute      when a lowered method is called inputs -> outputs, or BackendError
//
// The blob is all that goes from the first to the others: it is saved with the model, and must hold
// no more of the model's source than debug handles.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "handrail/backend/backend_error.h"
#include "handrail/base/result.h"
#include "handrail/debug_info/handle.h"
#include "handrail/graph/compilation_unit.h"
#include "handrail/graph/graph.h"
#include "handrail/values/instantiate.h"
#include "handrail/values/value.h"

namespace handrail {

// A debug handle for each node of one graph, nested blocks included.
class NodeHandles {
 public:
  // For a graph with `node_count` rows; no node has a handle yet.
  explicit NodeHandles(uint32_t node_count) : handles_(node_count, kUnknownHandle) {}

  // kUnknownHandle: the node has none (parameters and results of blocks, erased nodes, nodes that
  // were added since).
  DebugHandle operator[](graph::NodeId node) const {
    return node.index < handles_.size() ? handles_[node.index] : kUnknownHandle;
  }
  // `node` must be below the `node_count` given.
  void Set(graph::NodeId node, DebugHandle handle) { handles_[node.index] = handle; }

 private:
  std::vector<DebugHandle> handles_;
};

// Issues a handle for each node of a graph (lowering/backend_debug_info_recorder.h). Fails with
// kExhausted where there are no more.
using GenerateDebugHandles = std::function<Result<NodeHandles>(const graph::Graph&)>;

// One method, with all calls inlined: its first input is the module.
struct MethodToLower {
  std::string name;  // "forward"
  const graph::Graph* graph = nullptr;
};

// The module that a backend is given. Everything in it lives as long as Preprocess runs.
struct ModuleToLower {
  std::string type_name;               // "__torch__.M"
  std::vector<MethodToLower> methods;  // those that the compile spec names
  values::Value object;                // the module; None for a text without objects
  // Objects in it whose attributes are None until their `__setstate__` is called, and its argument:
  // modules that were lowered before, for one.
  std::vector<values::ObjectState> states;
  // The value of a constant that graphs only count (graph::ConstantKind::kExternal), by its row.
  std::function<Result<values::Value>(uint32_t row)> external_constant;
};

// What Compile gives for one method. `handle` is only handed back to Execute.
struct CompiledMethod {
  std::string name;
  values::Value handle;
};

// All functions may be called from several threads at once. Only Execute may throw.
class Backend {
 public:
  virtual ~Backend() = default;

  // Whether blobs can run on this machine. A model for a backend that is not available can still be
  // lowered and saved.
  virtual bool IsAvailable() const { return true; }

  // Makes the blob: a value that an archive can hold (no capsules). Fails where a node cannot be
  // lowered; the message should show the node's source line.
  virtual Result<values::Value> Preprocess(const ModuleToLower& module,
                                           const values::Value& compile_spec,
                                           const GenerateDebugHandles& generate_handles) const = 0;

  // Gets a blob ready to run. Blobs come from files, so nothing in one may be trusted.
  virtual Result<std::vector<CompiledMethod>> Compile(const values::Value& blob,
                                                      const values::Value& compile_spec) const = 0;

  // Runs a method that Compile gave. The module itself is not among the inputs. Throws
  // BackendError, with the handle of the node that failed.
  virtual std::vector<values::Value> Execute(const values::Value& handle,
                                             std::span<const values::Value> inputs) const = 0;
};

}  // namespace handrail
