#include "compile.h"

#include <map>
#include <sstream>

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>

#include "program.h"

namespace handrail_peer {
namespace {

using torch::jit::Graph;
using torch::jit::Node;
using torch::jit::Value;

class MethodCompiler {
 public:
  MethodCompiler(const torch::jit::Module& module, Graph& graph,
                 const torch::jit::NodeToDebugHandle& handles, Accepts accepts)
      : handles_(handles), accepts_(accepts), constants_(c10::AnyType::get()) {
    objects_[graph.inputs().at(0)] = module._ivalue();
    for (size_t i = 1; i < graph.inputs().size(); ++i) Register(graph.inputs()[i]);
    program_.input_count = graph.inputs().size() - 1;
    for (Node* node : graph.nodes()) AddNode(node);
    for (const Value* output : graph.outputs()) AddResult(output);
  }

  c10::IValue Blob(bool chained) {
    program_.chained = chained;
    return c10::ivalue::Tuple::create(ToText(program_), constants_);
  }

 private:
  size_t Register(const Value* value) {
    return registers_.emplace(value, registers_.size()).first->second;
  }

  // A method that returns a tuple returns its elements to PyTorch's generated caller.
  void AddResult(const Value* output) {
    const Node* node = output->node();
    if (node->kind() == c10::prim::TupleConstruct) {
      for (const Value* element : node->inputs()) program_.results.push_back(Register(element));
    } else {
      program_.results.push_back(Register(output));
    }
  }

  void AddNode(Node* node) {
    if (node->kind() == c10::prim::GetAttr) return AddAttribute(node);
    if (node->kind() == c10::prim::TupleConstruct) return;  // AddResult
    if (node->kind() == c10::prim::Constant) {
      const auto value = torch::jit::toIValue(node->output());
      if (!value) Refuse(node);
      return AddLoad(node, *value);
    }
    Step step;
    step.op = node->kind().toQualString();
    if (node->kind() == c10::prim::ListConstruct) {
      const auto type = node->output()->type()->cast<c10::ListType>();
      if (!type) Refuse(node);
      step.op += "." + type->getElementType()->str();
    } else {
      const auto* schema = node->maybeSchema();
      const bool sums = node->kind() == c10::aten::add || node->kind() == c10::aten::sub;
      if (!schema || !node->blocks().empty() || (accepts_ == Accepts::kAddAndSub && !sums)) {
        Refuse(node);
      }
      if (!schema->overload_name().empty()) step.op += "." + schema->overload_name();
    }
    for (const Value* input : node->inputs()) step.inputs.push_back(Register(input));
    AddStep(node, std::move(step));
  }

  // Submodules are known while compiling; what is no module is a constant of the program.
  void AddAttribute(Node* node) {
    const auto owner = objects_.find(node->input());
    if (owner == objects_.end()) Refuse(node);
    const c10::IValue value = owner->second.toObjectRef().getAttr(node->s(c10::attr::name));
    if (value.isObject()) {
      objects_[node->output()] = value;
    } else {
      AddLoad(node, value);
    }
  }

  void AddLoad(Node* node, const c10::IValue& value) {
    Step step;
    step.op = node->kind().toQualString();
    step.inputs.push_back(constants_.size());
    constants_.push_back(value);
    AddStep(node, std::move(step));
  }

  void AddStep(Node* node, Step step) {
    for (const Value* output : node->outputs()) step.outputs.push_back(Register(output));
    step.debug_handle = handles_.at(node);
    program_.steps.push_back(std::move(step));
  }

  [[noreturn]] static void Refuse(const Node* node) {
    std::ostringstream where;
    node->sourceRange().highlight(where);
    TORCH_CHECK(false, "the peer backend cannot take ", node->kind().toQualString(), ":\n",
                where.str());
  }

  const torch::jit::NodeToDebugHandle& handles_;
  Accepts accepts_;
  std::map<const Value*, c10::IValue> objects_;
  std::map<const Value*, size_t> registers_;
  c10::List<c10::IValue> constants_;
  Program program_;
};

}  // namespace

c10::IValue Compile(const torch::jit::Module& module,
                    const c10::Dict<c10::IValue, c10::IValue>& spec,
                    const torch::jit::BackendDebugHandleGenerator& generate_debug_handles,
                    Accepts accepts) {
  c10::Dict<c10::IValue, c10::IValue> blobs(c10::StringType::get(), c10::AnyType::get());
  for (const auto& entry : spec) {
    const auto graph = module.get_method(entry.key().toStringRef()).graph()->copy();
    torch::jit::Inline(*graph);
    const auto handles = generate_debug_handles(graph);
    const bool chained = entry.value().isString() && entry.value().toStringRef() == "chained";
    blobs.insert(entry.key(), MethodCompiler(module, *graph, handles, accepts).Blob(chained));
  }
  return blobs;
}

}  // namespace handrail_peer
