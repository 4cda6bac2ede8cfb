// A backend that adds and subtracts: small enough to read, and what docs and tests lower to.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "handrail/backends/backends.h"
#include "handrail/kernels/kernels.h"
#include "handrail/values/object.h"

#include "backends/demo/demo_program.h"
#include "backends/method_handle.h"
#include "bytecode/constant_value.h"
#include "symbolize/snippet.h"

namespace handrail {
namespace {

using demo::Program;
using demo::Step;
using graph::Graph;
using graph::NodeId;
using graph::ValueId;
using values::Value;

// The lines of the model that a node comes from, as traces show them.
std::string SourceOf(const Graph& graph, NodeId node) {
  const graph::OriginTable& origins = graph.unit().origins;
  const graph::RangeRow& range = origins.range(graph.range(node));
  if (range.source.is_none()) return "";
  const graph::SourceRow& source = origins.source(range.source);
  const RangeText text =
      RenderRange(source.text.value_or(""), range.start, range.end, source.file_name.has_value(),
                  source.file_name.value_or(""), origins.PlaceOf(graph.range(node)).line);
  return text.header + "\n" + text.body;
}

// Each takes two tensors, or a tensor and a number, and by what to multiply the second.
constexpr size_t kSumInputs = 3;
bool IsSum(std::string_view op) {
  return op == "aten::add.Tensor" || op == "aten::add.Scalar" || op == "aten::sub.Tensor" ||
         op == "aten::sub.Scalar";
}

class MethodCompiler {
 public:
  MethodCompiler(const ModuleToLower& module, const MethodToLower& method,
                 const NodeHandles& handles)
      : module_(module), graph_(*method.graph), handles_(handles) {}

  // (text, constants)
  Result<Value> Compile() && {
    const auto inputs = graph_.inputs();
    objects_.emplace(inputs[0], module_.object);
    for (const ValueId input : inputs.subspan(1)) RegisterOf(input);
    program_.input_count = static_cast<uint32_t>(inputs.size() - 1);
    for (const NodeId node : graph_.nodes(graph_.root())) HANDRAIL_RETURN_IF_ERROR(Add(node));
    for (const ValueId result : graph_.results()) AddResult(result);
    return values::MakeTuple(
        {Value(demo::ToText(program_)),
         Value(values::MakeRef<values::List>(std::move(constants_), "List[Any]"))});
  }

 private:
  uint32_t RegisterOf(ValueId value) {
    return registers_.emplace(value, static_cast<uint32_t>(registers_.size())).first->second;
  }

  tl::unexpected<Error> Refuse(NodeId node) const {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("The node of {} is not supported in this compiler. Source code: {}",
                            graph_.kind_name(node), SourceOf(graph_, node)));
  }

  Status Add(NodeId node) {
    const std::string_view kind = graph_.kind_name(node);
    if (kind == "prim::GetAttr") return AddAttribute(node);
    if (kind == "prim::Constant") {
      const graph::ConstantId id = graph_.constant(node);
      if (id.is_none()) return AddLoad(node, Value());
      // What names a function that was inlined is left over.
      if (graph_.unit().constants.at(id).kind == graph::ConstantKind::kFunction) return {};
      HANDRAIL_ASSIGN_OR_RETURN(Value value,
                                bytecode::ValueOf(graph_.unit(), id, module_.external_constant));
      return AddLoad(node, std::move(value));
    }
    // A method that returns a tuple gives its elements to the caller.
    if (kind == "prim::TupleConstruct") return {};
    Step step;
    step.op = fmt::format("{}.{}", kind, graph_.overload(node));
    if (!IsSum(step.op)) return Refuse(node);
    for (const ValueId input : graph_.inputs(node)) step.inputs.push_back(RegisterOf(input));
    AddStep(node, std::move(step));
    return {};
  }

  // Submodules are known here; what is no module is a constant of the program.
  Status AddAttribute(NodeId node) {
    const auto owner = objects_.find(graph_.input(node, 0));
    if (owner == objects_.end() || owner->second.kind() != Value::Kind::kObject) {
      return Refuse(node);
    }
    const Value* const value =
        owner->second.object().FindAttribute(graph_.unit().text(graph_.name(node)));
    if (value == nullptr) return Refuse(node);
    if (value->kind() == Value::Kind::kObject) {
      objects_.emplace(graph_.output(node), *value);
      return {};
    }
    return AddLoad(node, *value);
  }

  Status AddLoad(NodeId node, Value value) {
    Step step;
    step.op = graph_.kind_name(node);
    step.inputs.push_back(static_cast<uint32_t>(constants_.size()));
    constants_.push_back(std::move(value));
    AddStep(node, std::move(step));
    return {};
  }

  void AddStep(NodeId node, Step step) {
    for (const ValueId output : graph_.outputs(node)) step.outputs.push_back(RegisterOf(output));
    step.handle = handles_[node];
    program_.steps.push_back(std::move(step));
  }

  void AddResult(ValueId result) {
    const NodeId producer = graph_.producer(result);
    if (graph_.kind_name(producer) != "prim::TupleConstruct") {
      program_.results.push_back(RegisterOf(result));
      return;
    }
    for (const ValueId element : graph_.inputs(producer)) {
      program_.results.push_back(RegisterOf(element));
    }
  }

  const ModuleToLower& module_;
  const Graph& graph_;
  const NodeHandles& handles_;
  std::unordered_map<ValueId, Value> objects_;
  std::unordered_map<ValueId, uint32_t> registers_;
  std::vector<Value> constants_;
  Program program_;
};

// A method that is ready to run.
struct Loaded {
  const void* tag = MethodHandleTag<Loaded>();  // first
  Program program;
  std::vector<Value> constants;
  std::vector<kernels::Kernel> kernels;  // one for each step; null: it loads a constant
};

class DemoBackend final : public Backend {
 public:
  Result<Value> Preprocess(const ModuleToLower& module, const Value&,
                           const GenerateDebugHandles& generate_handles) const override {
    auto blobs = values::MakeRef<values::Dict>();
    blobs->type_text = "Dict[str, Any]";
    for (const MethodToLower& method : module.methods) {
      HANDRAIL_ASSIGN_OR_RETURN(const NodeHandles handles, generate_handles(*method.graph));
      HANDRAIL_ASSIGN_OR_RETURN(Value blob, MethodCompiler(module, method, handles).Compile());
      blobs->Set(Value(method.name), std::move(blob));
    }
    return Value(std::move(blobs));
  }

  Result<std::vector<CompiledMethod>> Compile(const Value& blob, const Value&) const override {
    if (blob.kind() != Value::Kind::kDict) return NoBlob();
    std::vector<CompiledMethod> methods;
    for (const auto& [name, method] : blob.dict().entries()) {
      if (name.kind() != Value::Kind::kString || method.kind() != Value::Kind::kTuple ||
          method.tuple().elements.size() != 2) {
        return NoBlob();
      }
      const Value& text = method.tuple().elements[0];
      const Value& constants = method.tuple().elements[1];
      if (text.kind() != Value::Kind::kString || constants.kind() != Value::Kind::kList) {
        return NoBlob();
      }
      auto loaded = std::make_shared<Loaded>();
      loaded->constants = constants.list().elements;
      HANDRAIL_ASSIGN_OR_RETURN(loaded->program,
                                demo::FromText(text.string(), loaded->constants.size()));
      for (const Step& step : loaded->program.steps) {
        HANDRAIL_ASSIGN_OR_RETURN(const kernels::Kernel kernel, KernelOf(step));
        loaded->kernels.push_back(kernel);
      }
      methods.push_back(
          {name.string(), Value(values::MakeRef<values::Capsule>(std::move(loaded)))});
    }
    return methods;
  }

  std::vector<Value> Execute(const Value& handle, std::span<const Value> inputs) const override {
    const Loaded* const loaded = MethodHandle<Loaded>(handle);
    if (loaded == nullptr) throw BackendError("demo: need a method of its own", kUnknownHandle);
    const Loaded& method = *loaded;
    if (inputs.size() != method.program.input_count) {
      throw BackendError(
          fmt::format("demo: need {} inputs, have {}", method.program.input_count, inputs.size()),
          kUnknownHandle);
    }
    std::vector<Value> registers(inputs.begin(), inputs.end());
    registers.resize(method.program.register_count);
    for (size_t i = 0; i < method.program.steps.size(); ++i) {
      const Step& step = method.program.steps[i];
      registers[step.outputs[0]] = step.is_load() ? method.constants[step.inputs[0]]
                                                  : RunStep(step, method.kernels[i], registers);
    }
    std::vector<Value> results;
    for (const uint32_t result : method.program.results) results.push_back(registers[result]);
    return results;
  }

 private:
  static tl::unexpected<Error> NoBlob() {
    return Fail(ErrorCode::kCorrupt, "need a blob of the demo backend");
  }

  static Result<kernels::Kernel> KernelOf(const Step& step) {
    if (step.is_load()) return nullptr;
    const std::string_view op = step.op;
    const size_t dot = op.find('.');
    const std::string_view name = op.substr(0, dot);
    const std::string_view overload =
        dot == std::string_view::npos ? std::string_view() : op.substr(dot + 1);
    const kernels::Kernel kernel = IsSum(op) ? kernels::FindKernel(name, overload) : nullptr;
    if (kernel == nullptr || step.inputs.size() != kSumInputs) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("demo: cannot run {} of {} inputs", op, step.inputs.size()));
    }
    return kernel;
  }

  static Value RunStep(const Step& step, kernels::Kernel kernel,
                       const std::vector<Value>& registers) {
    values::Stack stack;
    for (const uint32_t input : step.inputs) stack.push_back(registers[input]);
    try {
      kernel(stack);
    } catch (const kernels::KernelError& error) {
      throw BackendError(error.what(), step.handle);
    }
    if (stack.size() != 1) throw BackendError("demo: need one result", step.handle);
    return std::move(stack.front());
  }
};

}  // namespace

std::shared_ptr<const Backend> MakeDemoBackend() {
  return std::make_shared<const DemoBackend>();
}

}  // namespace handrail
