#include "matrix_backend.h"

#include <unordered_map>

#include "handrail/kernels/kernels.h"
#include "handrail/values/object.h"

namespace {

using namespace handrail;
using values::Value;

// What it can do, and how many values each takes.
const std::unordered_map<std::string, size_t> kOperators = {
    {"aten::matmul", 2}, {"aten::relu", 1}, {"aten::tanh", 1}};

tl::unexpected<Error> Refuse(const graph::Graph& graph, graph::NodeId node) {
  const auto place = graph.unit().origins.PlaceOf(graph.range(node));
  return Fail(ErrorCode::kUnsupported, "the matrix backend has no " +
                                           std::string(graph.kind_name(node)) + " (line " +
                                           std::to_string(place.line) + ")");
}

// A blob is (weights, steps); a step is (operator, inputs, handle). Values are counted: first the
// inputs, then the weights, then the step's results. The last result is the method's.
Result<Value> BlobOf(const MethodToLower& method, const ModuleToLower& module,
                     const NodeHandles& handles) {
  const graph::Graph& graph = *method.graph;
  std::unordered_map<graph::ValueId, Value> attributes{{graph.inputs()[0], module.object}};
  std::unordered_map<graph::ValueId, int64_t> numbers;
  for (const graph::ValueId input : graph.inputs().subspan(1)) {
    numbers.emplace(input, static_cast<int64_t>(numbers.size()));
  }
  std::vector<Value> weights;
  std::vector<Value> steps;
  for (const graph::NodeId node : graph.nodes(graph.root())) {
    if (graph.kind_name(node) != "prim::GetAttr") continue;
    Value& object = attributes.at(graph.input(node, 0));
    Value value = *object.object().FindAttribute(graph.unit().text(graph.name(node)));
    if (value.kind() == Value::Kind::kTensor) {
      numbers.emplace(graph.output(node), static_cast<int64_t>(numbers.size()));
      weights.push_back(value);
    }
    attributes.emplace(graph.output(node), std::move(value));
  }
  for (const graph::NodeId node : graph.nodes(graph.root())) {
    if (graph.kind_name(node) == "prim::GetAttr") continue;
    const std::string op(graph.kind_name(node));
    if (!kOperators.contains(op)) return Refuse(graph, node);
    std::vector<Value> inputs;
    for (const graph::ValueId input : graph.inputs(node)) {
      if (!numbers.contains(input)) return Refuse(graph, node);
      inputs.emplace_back(numbers.at(input));
    }
    numbers.emplace(graph.output(node), static_cast<int64_t>(numbers.size()));
    steps.push_back(
        values::MakeTuple({Value(op), values::MakeTuple(std::move(inputs)), Value(handles[node])}));
  }
  return values::MakeTuple({values::MakeTuple(weights), values::MakeTuple(steps)});
}

struct Step {
  kernels::Kernel kernel;
  std::vector<size_t> inputs;
  DebugHandle handle;
};
struct Method {
  std::vector<Value> weights;
  std::vector<Step> steps;
};

class MatrixBackend final : public Backend {
 public:
  Result<Value> Preprocess(const ModuleToLower& module, const Value&,
                           const GenerateDebugHandles& generate_handles) const override {
    auto blob = values::MakeRef<values::Dict>();
    for (const MethodToLower& method : module.methods) {
      HANDRAIL_ASSIGN_OR_RETURN(const NodeHandles handles, generate_handles(*method.graph));
      HANDRAIL_ASSIGN_OR_RETURN(Value value, BlobOf(method, module, handles));
      blob->Set(Value(method.name), std::move(value));
    }
    return Value(std::move(blob));
  }

  // A real backend must not trust a blob: it comes from a file. The checked accessors of Value end
  // the process where something else is there; docs/write_a_backend.md says more.
  Result<std::vector<CompiledMethod>> Compile(const Value& blob, const Value&) const override {
    std::vector<CompiledMethod> methods;
    for (const auto& [name, value] : blob.dict().entries()) {
      auto method = std::make_shared<Method>();
      method->weights = value.tuple().elements[0].tuple().elements;
      for (const Value& step : value.tuple().elements[1].tuple().elements) {
        const auto& parts = step.tuple().elements;
        Step& row = method->steps.emplace_back();
        row.kernel = kernels::FindKernel(parts[0].string(), "");
        for (const Value& input : parts[1].tuple().elements) {
          row.inputs.push_back(static_cast<size_t>(input.int_value()));
        }
        row.handle = parts[2].int_value();
      }
      methods.push_back({name.string(), Value(values::MakeRef<values::Capsule>(method))});
    }
    return methods;
  }

  std::vector<Value> Execute(const Value& handle, std::span<const Value> inputs) const override {
    const auto& method = *static_cast<const Method*>(handle.capsule().object.get());
    std::vector<Value> known(inputs.begin(), inputs.end());
    known.insert(known.end(), method.weights.begin(), method.weights.end());
    for (const Step& step : method.steps) {
      values::Stack stack;
      for (const size_t input : step.inputs) stack.push_back(known.at(input));
      try {
        step.kernel(stack);
      } catch (const kernels::KernelError& error) {
        throw BackendError(error.what(), step.handle);
      }
      known.push_back(std::move(stack.back()));
    }
    return {known.back()};
  }
};

}  // namespace

std::shared_ptr<const handrail::Backend> MakeMatrixBackend() {
  return std::make_shared<const MatrixBackend>();
}
