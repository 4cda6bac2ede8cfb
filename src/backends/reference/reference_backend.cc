// The backend whose blobs are programs of the mobile runtime's instructions, and run with the plain
// kernels: what a lowered model must compute, without any speed.
#include <iostream>
#include <utility>

#include <fmt/format.h>

#include "handrail/backends/backends.h"
#include "handrail/kernels/kernels.h"
#include "handrail/values/object.h"

#include "backends/method_handle.h"
#include "backends/reference/reference_blob.h"
#include "bytecode/emitter.h"
#include "graph/block_walk.h"
#include "graph/clone.h"
#include "graph/lowered_class.h"
#include "runtime/backend_methods.h"
#include "runtime/interpreter.h"
#include "runtime/linked_program.h"
#include "runtime/prim_kernels.h"

namespace handrail {
namespace {

using graph::Graph;
using graph::NodeId;
using reference::Method;
using values::Value;

constexpr std::string_view kSetState = "__setstate__";

bool GivesTuple(const Graph& graph) {
  const graph::TypeTable& types = graph.unit().types;
  if (graph.results().size() != 1) return false;
  const graph::TypeId type = graph.type(graph.results()[0]);
  return types.is(type, graph::TypeKind::kTuple) && !types.is_named_tuple(type) &&
         !types.elements(type).empty();
}

// The copy's handles are those of the nodes that it was made from.
NodeHandles HandlesOfCopy(const Graph& from, const NodeHandles& handles, const Graph& copy) {
  std::vector<DebugHandle> in_order;
  graph::ForEachNode(from, [&](NodeId node) { in_order.push_back(handles[node]); });
  NodeHandles result(copy.node_count());
  size_t next = 0;
  graph::ForEachNode(copy, [&](NodeId node) { result.Set(node, in_order[next++]); });
  return result;
}

Result<Method> CompileMethod(const ModuleToLower& module, const MethodToLower& method,
                             const GenerateDebugHandles& generate_handles) {
  HANDRAIL_ASSIGN_OR_RETURN(const NodeHandles handles, generate_handles(*method.graph));
  // Emission adds nodes of its own.
  Graph graph = CloneGraph(*method.graph);
  const NodeHandles own = HandlesOfCopy(*method.graph, handles, graph);
  std::vector<bytecode::StayingCall> calls;
  HANDRAIL_ASSIGN_OR_RETURN(bytecode::EmittedFunction emitted,
                            bytecode::Emit(graph, module.external_constant, calls));
  const graph::CompilationUnit& unit = graph.unit();
  for (const bytecode::StayingCall& call : calls) {
    const graph::Definition* const receiver = unit.DefinitionOf(call.receiver);
    if (receiver != nullptr && receiver->kind == graph::DefinitionKind::kCustomClass) continue;
    return Fail(ErrorCode::kUnsupported,
                fmt::format("method '{}': the reference backend cannot take the call of '{}' "
                            "through an interface",
                            method.name, unit.text(call.method)));
  }
  Method result;
  result.function = std::move(emitted.function);
  result.function.name = method.name;
  result.gives_tuple = GivesTuple(*method.graph);
  for (const NodeId node : emitted.nodes) result.function.handles.push_back(own[node]);
  return result;
}

// A module that is ready to run. What runs is shared by all who call it.
struct Loaded {
  bytecode::Program program;
  std::vector<bytecode::LeftOutFunction> left_out;
  std::unique_ptr<runtime::LinkedProgram> linked;
  std::vector<Method> methods;  // without their functions
  Value self;
};

// One method of it: what a handle is.
struct LoadedMethod {
  const void* tag = MethodHandleTag<LoadedMethod>();  // first
  std::shared_ptr<const Loaded> module;
  const runtime::LinkedFunction* function = nullptr;
  bool gives_tuple = false;
};

runtime::Kernel KernelFor(std::string_view name, std::string_view overload) {
  const runtime::Kernel own = runtime::FindPrimKernel(name);
  return own != nullptr ? own : kernels::FindKernel(name, overload);
}

class ReferenceBackend final : public Backend {
 public:
  explicit ReferenceBackend(std::ostream& prints) : prints_(prints) {}

  Result<Value> Preprocess(const ModuleToLower& module, const Value&,
                           const GenerateDebugHandles& generate_handles) const override {
    for (const values::ObjectState& state : module.states) {
      const std::string& name = state.object->object_class().name;
      if (name.starts_with(graph::kLoweredModulePrefix)) continue;
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("the reference backend cannot take an object of {}, which sets its "
                              "own state",
                              name));
    }
    std::vector<Method> methods;
    for (const MethodToLower& method : module.methods) {
      HANDRAIL_ASSIGN_OR_RETURN(Method compiled, CompileMethod(module, method, generate_handles));
      methods.push_back(std::move(compiled));
    }
    return reference::WriteBlob(module, methods);
  }

  Result<std::vector<CompiledMethod>> Compile(const Value& blob, const Value&) const override {
    HANDRAIL_ASSIGN_OR_RETURN(reference::ReadModule read, reference::ReadBlob(blob));
    for (values::ObjectState& state : read.states) HANDRAIL_RETURN_IF_ERROR(SetUp(state));
    auto module = std::make_shared<Loaded>();
    module->self = std::move(read.self);
    for (Method& method : read.methods) {
      module->program.functions.push_back(std::move(method.function));
    }
    module->linked =
        std::make_unique<runtime::LinkedProgram>(module->program, module->left_out, KernelFor);
    std::vector<CompiledMethod> methods;
    for (size_t i = 0; i < read.methods.size(); ++i) {
      const std::string& name = module->program.functions[i].name;
      auto method = std::make_shared<LoadedMethod>();
      method->module = module;
      method->function = module->linked->Find(name);
      method->gives_tuple = read.methods[i].gives_tuple;
      methods.push_back({name, Value(values::MakeRef<values::Capsule>(std::move(method)))});
    }
    return methods;
  }

  std::vector<Value> Execute(const Value& handle, std::span<const Value> inputs) const override {
    const LoadedMethod* const loaded = MethodHandle<LoadedMethod>(handle);
    if (loaded == nullptr) {
      throw BackendError("reference: need a method of its own", kUnknownHandle);
    }
    const LoadedMethod& method = *loaded;
    runtime::BackendMethods foreign(BackendRegistry::OfProcess());
    runtime::Interpreter interpreter(*method.module->linked, foreign,
                                     {.prints = prints_, .warnings = std::cerr});
    values::Stack stack{method.module->self};
    stack.insert(stack.end(), inputs.begin(), inputs.end());
    try {
      interpreter.Run(*method.function, stack);
    } catch (BackendError& error) {
      for (const DebugHandle frame : interpreter.failed_at()) error.Push(frame);
      throw;
    } catch (const std::exception& error) {
      const std::vector<DebugHandle>& at = interpreter.failed_at();
      BackendError failure(error.what(), at.empty() ? kUnknownHandle : at.front());
      for (size_t i = 1; i < at.size(); ++i) failure.Push(at[i]);
      throw failure;
    }
    if (stack.empty()) throw BackendError("reference: no result", kUnknownHandle);
    if (method.gives_tuple && stack.back().kind() == Value::Kind::kTuple) {
      return stack.back().tuple().elements;
    }
    return {stack.back()};
  }

 private:
  // What `__setstate__` of a lowered module does.
  static Status SetUp(const values::ObjectState& state) {
    const std::string& class_name = state.object->object_class().name;
    const bool is_lowered = class_name.starts_with(graph::kLoweredModulePrefix) &&
                            state.state.kind() == Value::Kind::kTuple &&
                            state.state.tuple().elements.size() >= 2;
    if (!is_lowered) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("reference: cannot call {} of {}", kSetState, class_name));
    }
    const std::string rest = class_name.substr(graph::kLoweredModulePrefix.size());
    const std::string backend_name = rest.substr(0, rest.find('.'));
    HANDRAIL_ASSIGN_OR_RETURN(const std::shared_ptr<const Backend> backend,
                              BackendRegistry::OfProcess().FindAvailable(backend_name));
    const Value& spec = state.state.tuple().elements[0];
    const Value& blob = state.state.tuple().elements[1];
    HANDRAIL_ASSIGN_OR_RETURN(std::vector<CompiledMethod> methods, backend->Compile(blob, spec));
    auto handles = values::MakeRef<values::Dict>();
    for (CompiledMethod& method : methods) {
      handles->Set(Value(std::move(method.name)), std::move(method.handle));
    }
    auto custom_class = std::make_shared<const values::ObjectClass>(
        values::ObjectClass{std::string(graph::kBackendClassPrefix) + backend_name, {}});
    const auto set = [&](std::string_view name, Value value) {
      if (Value* const slot = state.object->FindAttribute(name)) *slot = std::move(value);
    };
    set("__processed_module", blob);
    set("__method_compile_spec", spec);
    set("__backend", Value(values::MakeRef<values::Object>(std::move(custom_class))));
    set("__handles", Value(std::move(handles)));
    return {};
  }

  std::ostream& prints_;
};

}  // namespace

std::shared_ptr<const Backend> MakeReferenceBackend(std::ostream* print_to) {
  return std::make_shared<const ReferenceBackend>(print_to != nullptr ? *print_to : std::cout);
}

}  // namespace handrail
