// The walk, the links and the places of values; verifier_types.cc checks what nodes mean.
#include "graph/verifier.h"

#include <vector>

#include <fmt/format.h>

#include "handrail/graph/compilation_unit.h"

#include "graph/structural_kinds.h"
#include "graph/verifier_types.h"

namespace handrail::graph {
namespace {

constexpr uint32_t kInvisible = 0;

class Verifier {
 public:
  Verifier(const Graph& graph, std::string_view what)
      : graph_(graph), unit_(graph.unit()), what_(what), scope_of_(graph.value_count()) {}

  Status Run() {
    HANDRAIL_RETURN_IF_ERROR(EnterBlock(graph_.root(), NodeId::none()));
    while (!open_.empty()) {
      const Open current = open_.back();
      if (current.next == graph_.return_node(current.block)) {
        HANDRAIL_RETURN_IF_ERROR(LeaveBlock(current));
        continue;
      }
      open_.back().next = graph_.next(current.next);
      HANDRAIL_RETURN_IF_ERROR(VisitNode(current.next));
    }
    // Every listed use is an input; are all inputs listed?
    if (input_count_ != use_count_) {
      return Fault(graph_.return_node(graph_.root()), "{} inputs, but {} listed uses", input_count_,
                   use_count_);
    }
    return {};
  }

 private:
  struct Open {
    BlockId block;
    NodeId next;
    uint32_t scope;             // values of another scope are not seen
    size_t defined;             // how long defined_ was
    std::vector<BlockId> rest;  // blocks of the owner that follow, last first
  };

  template <typename... Args>
  tl::unexpected<Error> Fault(NodeId node, fmt::format_string<Args...> format, Args&&... args) {
    return tl::unexpected(
        ErrorAtNode(graph_, node, what_, fmt::format(format, std::forward<Args>(args)...)));
  }

  Status EnterBlock(BlockId block, NodeId owner) {
    const NodeId param = graph_.param_node(block);
    if (graph_.owner(block) != owner) return Fault(param, "the block belongs to another node");
    if (graph_.kind(param) != symbols::kParam || !graph_.inputs(param).empty()) {
      return Fault(param, "need a prim::Param without inputs at the head of the block");
    }
    uint32_t scope = open_.empty() ? 1 : open_.back().scope;
    if (!owner.is_none() && graph_.kind(owner) == symbols::kFork) scope = ++last_scope_;
    open_.push_back({block, graph_.next(param), scope, defined_.size(), {}});
    HANDRAIL_RETURN_IF_ERROR(CheckLinks(param, block));
    return Define(param);
  }

  Status LeaveBlock(const Open& closed) {
    const NodeId result = graph_.return_node(closed.block);
    if (graph_.kind(result) != symbols::kReturn || !graph_.outputs(result).empty()) {
      return Fault(result, "need a prim::Return without outputs at the end of the block");
    }
    if (graph_.block(result) != closed.block) return Fault(result, "broken links");
    HANDRAIL_RETURN_IF_ERROR(CheckUses(result));
    for (size_t i = closed.defined; i < defined_.size(); ++i) {
      scope_of_[defined_[i].index] = kInvisible;
    }
    defined_.resize(closed.defined);
    const NodeId owner = graph_.owner(closed.block);
    std::vector<BlockId> rest = closed.rest;
    open_.pop_back();
    if (owner.is_none()) return {};
    if (!rest.empty()) {
      const BlockId next = rest.back();
      rest.pop_back();
      HANDRAIL_RETURN_IF_ERROR(EnterBlock(next, owner));
      open_.back().rest = std::move(rest);
      return {};
    }
    // All blocks are checked: what the node makes of them, and its outputs.
    HANDRAIL_RETURN_IF_ERROR(CheckNodeTypes(graph_, owner, what_));
    return Define(owner);
  }

  Status VisitNode(NodeId node) {
    HANDRAIL_RETURN_IF_ERROR(CheckLinks(node, open_.back().block));
    HANDRAIL_RETURN_IF_ERROR(CheckShape(node));
    HANDRAIL_RETURN_IF_ERROR(CheckUses(node));
    const auto blocks = graph_.blocks(node);
    if (blocks.empty()) {
      HANDRAIL_RETURN_IF_ERROR(CheckNodeTypes(graph_, node, what_));
      return Define(node);
    }
    std::vector<BlockId> rest(blocks.rbegin(), blocks.rend() - 1);
    HANDRAIL_RETURN_IF_ERROR(EnterBlock(blocks.front(), node));
    open_.back().rest = std::move(rest);
    return {};
  }

  Status CheckLinks(NodeId node, BlockId block) {
    const NodeId next = graph_.next(node);
    if (graph_.block(node) != block || next.is_none() || graph_.previous(next) != node ||
        ++visited_ > graph_.node_count()) {
      return Fault(node, "broken links");
    }
    if (graph_.range(node).index >= unit_.origins.range_count() ||
        (!graph_.stack(node).is_none() &&
         graph_.stack(node).index >= unit_.origins.stack_count())) {
      return Fault(node, "its range or call stack is not of the unit");
    }
    return {};
  }

  Status CheckShape(NodeId node) {
    const StructuralKind* kind = FindStructuralKind(graph_.kind(node));
    const auto block_count = static_cast<uint32_t>(graph_.blocks(node).size());
    if (kind == nullptr) {
      if (graph_.kind(node) == symbols::kParam || graph_.kind(node) == symbols::kReturn) {
        return Fault(node, "only blocks begin and end with this");
      }
      if (graph_.schema(node).is_none()) return Fault(node, "there is no such operator");
      if (unit_.schema(graph_.schema(node)).name != graph_.kind(node)) {
        return Fault(node, "its schema is that of '{}'",
                     unit_.text(unit_.schema(graph_.schema(node)).name));
      }
      if (block_count != 0) return Fault(node, "need no blocks, have {}", block_count);
      return {};
    }
    const auto in_range = [](size_t count, uint32_t least, uint32_t most) {
      return count >= least && count <= most;
    };
    const size_t inputs = graph_.inputs(node).size();
    const size_t outputs = graph_.outputs(node).size();
    if (!in_range(inputs, kind->least_inputs, kind->most_inputs)) {
      return Fault(node, "wrong number of inputs: {}", inputs);
    }
    if (!in_range(outputs, kind->least_outputs, kind->most_outputs)) {
      return Fault(node, "wrong number of outputs: {}", outputs);
    }
    if (block_count != kind->block_count) {
      return Fault(node, "need {} blocks, have {}", kind->block_count, block_count);
    }
    return {};
  }

  Status CheckUses(NodeId node) {
    const auto inputs = graph_.inputs(node);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const ValueId value = inputs[i];
      if (scope_of_[value.index] != open_.back().scope) {
        return Fault(node, "input {}: its value is not visible here", i);
      }
    }
    input_count_ += inputs.size();
    return {};
  }

  Status Define(NodeId node) {
    const auto outputs = graph_.outputs(node);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const ValueId value = outputs[i];
      if (graph_.producer(value) != node || graph_.output_index(value) != i) {
        return Fault(node, "output {}: the value names another producer", i);
      }
      if (graph_.type(value).is_none() || graph_.type(value).index >= unit_.types.size()) {
        return Fault(node, "output {}: the value has no type", i);
      }
      if (unit_.types.has_variables(graph_.type(value))) {
        return Fault(node, "output {}: its type '{}' has variables", i,
                     unit_.ToString(graph_.type(value)));
      }
      for (UseId use = graph_.first_use(value); !use.is_none(); use = graph_.next_use(use)) {
        const NodeId user = graph_.user(use);
        const auto inputs = graph_.inputs(user);
        const uint32_t index = graph_.input_index(use);
        if (index >= inputs.size() || inputs[index] != value || graph_.is_erased(user)) {
          return Fault(node, "output {}: its list of uses is broken", i);
        }
        ++use_count_;
      }
      scope_of_[value.index] = open_.empty() ? 1 : open_.back().scope;
      defined_.push_back(value);
    }
    return {};
  }

  const Graph& graph_;
  const CompilationUnit& unit_;
  std::string_view what_;
  std::vector<Open> open_;
  std::vector<uint32_t> scope_of_;  // by ValueId: the scope that sees it; kInvisible: none
  std::vector<ValueId> defined_;    // in open blocks
  uint32_t last_scope_ = 1;
  uint64_t visited_ = 0;
  uint64_t input_count_ = 0;  // of all nodes
  uint64_t use_count_ = 0;    // of all values
};

}  // namespace

Status VerifyGraph(const Graph& graph, std::string_view what) {
  return Verifier(graph, what).Run();
}

}  // namespace handrail::graph
