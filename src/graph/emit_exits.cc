#include "graph/emit_exits.h"

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "handrail/base/limits.h"

#include "graph/operators.h"
#include "graph/subtyping.h"

namespace handrail::graph {
namespace {

enum class ExitStatus : uint8_t { kNever, kMaybe, kAlways, kThrows };

// Whether a block or node leaves for the target, and with which values.
struct Exit {
  ExitStatus status = ExitStatus::kNever;
  ValueId has_exited;  // of kMaybe
  std::vector<ValueId> values;
};

void ReplaceResults(Graph& graph, BlockId block, std::span<const ValueId> results) {
  const std::vector<ValueId> copies(results.begin(), results.end());
  graph.RemoveAllInputs(graph.return_node(block));
  for (const ValueId result : copies) graph.AddResult(block, result);
}

std::vector<ValueId> Copy(std::span<const ValueId> values) {
  return {values.begin(), values.end()};
}

// Removes the exits of one kind.
class ExitRemover {
 public:
  ExitRemover(Graph& graph, const Exits& exits, Symbol kind)
      : graph_(graph), exits_(exits), kind_(kind) {
    false_ = InsertAtStart(graph_.unit().constants.Bool(false));
    true_ = InsertAtStart(graph_.unit().constants.Bool(true));
  }

  Status Remove() {
    static_cast<void>(RemoveFrom(graph_.root()));
    if (is_too_deep_) {
      return Fail(ErrorCode::kLimit, "too many early exits in one function body");
    }
    return {};
  }

 private:
  ValueId InsertAtStart(ConstantId constant) {
    return graph_.InsertConstant(graph_.after(graph_.param_node(graph_.root())), constant,
                                 OriginTable::null_range());
  }

  // A value that no one reads.
  ValueId Unset(TypeId type) {
    const auto [found, is_new] = unset_.try_emplace(type);
    if (is_new) {
      const NodeId node = graph_.Insert(graph_.after(graph_.param_node(graph_.root())),
                                        symbols::kUninitialized, {}, OriginTable::null_range());
      found->second = graph_.AddOutput(node, type);
    }
    return found->second;
  }

  std::vector<ValueId> UnsetLike(std::span<const ValueId> values) {
    std::vector<TypeId> types;
    types.reserve(values.size());
    for (const ValueId value : values) types.push_back(graph_.type(value));
    std::vector<ValueId> unset;
    unset.reserve(types.size());
    for (const TypeId type : types) unset.push_back(Unset(type));
    return unset;
  }

  ValueId HasExited(const Exit& exit) {
    switch (exit.status) {
      case ExitStatus::kNever:
        return false_;
      case ExitStatus::kAlways:
        return true_;
      case ExitStatus::kThrows:
        return Unset(types::kBool);
      case ExitStatus::kMaybe:
        break;
    }
    return exit.has_exited;
  }

  bool IsTarget(BlockId block) const {
    const NodeId owner = graph_.owner(block);
    if (kind_ == exits_.loop_continuation) {
      return !owner.is_none() && graph_.kind(owner) == symbols::kLoop;
    }
    return owner.is_none() || graph_.kind(owner) == symbols::kFork;
  }

  void AddOutputs(NodeId node, std::span<const ValueId> in_true,
                  std::span<const ValueId> in_false) {
    const BlockId true_block = graph_.blocks(node)[0];
    const BlockId false_block = graph_.blocks(node)[1];
    for (size_t row = 0; row < in_true.size(); ++row) {
      const TypeId true_type = graph_.type(in_true[row]);
      const auto both =
          UnifyTypes(graph_.unit(), true_type, graph_.type(in_false[row]), /*or_union=*/true);
      graph_.AddResult(true_block, in_true[row]);
      graph_.AddResult(false_block, in_false[row]);
      graph_.AddOutput(node, both ? *both : true_type);
    }
  }

  std::vector<ValueId> LastOutputs(NodeId node, size_t count) const {
    const auto outputs = graph_.outputs(node);
    return Copy(outputs.subspan(outputs.size() - count));
  }

  Exit RemoveFrom(BlockId block) {
    if (depth_ >= limits::kEmitDepthMax) is_too_deep_ = true;
    if (is_too_deep_) return {};
    ++depth_;
    Exit exit;
    for (NodeId node = graph_.next(graph_.param_node(block)); node != graph_.return_node(block);) {
      const NodeId next = graph_.next(node);
      const Symbol kind = graph_.kind(node);
      if (kind == symbols::kRaiseException) {
        exit = {.status = ExitStatus::kThrows, .has_exited = {}, .values = {}};
      } else if (kind == kind_) {
        exit = {
            .status = ExitStatus::kAlways, .has_exited = {}, .values = Copy(graph_.inputs(node))};
        graph_.Erase(node);
      } else if (kind == symbols::kIf) {
        exit = RemoveFromIf(node);
      } else if (kind == symbols::kLoop) {
        exit = RemoveFromLoop(node);
      } else if (kind == exits_.with) {
        exit = RemoveFrom(graph_.blocks(node)[0]);
      } else if (kind == symbols::kFork) {
        static_cast<void>(RemoveFrom(graph_.blocks(node)[0]));
      }
      if (exit.status == ExitStatus::kAlways || exit.status == ExitStatus::kThrows) {
        EraseFrom(block, next);
        break;
      }
      if (exit.status == ExitStatus::kMaybe) {
        if (next != graph_.return_node(block)) exit = Guard(block, exit, next);
        break;
      }
      node = next;
    }
    if (IsTarget(block)) {
      ArriveAt(block, exit);
      exit = {};
    }
    --depth_;
    return exit;
  }

  // The target gets the values of the exit, if there was one.
  void ArriveAt(BlockId block, const Exit& exit) {
    if (exit.status == ExitStatus::kAlways) {
      ReplaceResults(graph_, block, exit.values);
    } else if (exit.status == ExitStatus::kMaybe) {
      const NodeId node = graph_.Insert(graph_.end_of(block), symbols::kIf,
                                        std::array{exit.has_exited}, OriginTable::null_range());
      graph_.AddBlock(node);
      graph_.AddBlock(node);
      AddOutputs(node, exit.values, Copy(graph_.results(block)));
      ReplaceResults(graph_, block, graph_.outputs(node));
    }
  }

  Exit RemoveFromIf(NodeId node) {
    Exit in_true = RemoveFrom(graph_.blocks(node)[0]);
    Exit in_false = RemoveFrom(graph_.blocks(node)[1]);
    ExitStatus status = ExitStatus::kMaybe;
    if (in_true.status == ExitStatus::kThrows) {
      status = in_false.status;
    } else if (in_false.status == ExitStatus::kThrows || in_true.status == in_false.status) {
      status = in_true.status;
    }
    if (status == ExitStatus::kThrows || status == ExitStatus::kNever) {
      return {.status = status, .has_exited = {}, .values = {}};
    }
    // The values of a side that does not exit are not read.
    const auto has_values = [](const Exit& exit) {
      return exit.status == ExitStatus::kMaybe || exit.status == ExitStatus::kAlways;
    };
    if (!has_values(in_true)) {
      in_true.values = UnsetLike(in_false.values);
    } else if (!has_values(in_false)) {
      in_false.values = UnsetLike(in_true.values);
    }
    Exit exit{.status = status, .has_exited = {}, .values = {}};
    if (status == ExitStatus::kMaybe) {
      AddOutputs(node, std::array{HasExited(in_true)}, std::array{HasExited(in_false)});
      exit.has_exited = graph_.outputs(node).back();
    }
    AddOutputs(node, in_true.values, in_false.values);
    exit.values = LastOutputs(node, in_true.values.size());
    return exit;
  }

  // A loop whose body leaves for an outer target ends, and says so.
  Exit RemoveFromLoop(NodeId node) {
    const BlockId body = graph_.blocks(node)[0];
    const Exit inner = RemoveFrom(body);
    if (inner.status == ExitStatus::kNever || inner.status == ExitStatus::kThrows) return {};
    const ValueId has_exited = HasExited(inner);
    const NodeId next = graph_.Insert(graph_.end_of(body), symbols::kIf, std::array{has_exited},
                                      OriginTable::null_range());
    graph_.AddBlock(next);
    graph_.AddBlock(next);
    AddOutputs(next, std::array{false_}, std::array{graph_.results(body)[0]});
    graph_.SetInput(graph_.return_node(body), 0, graph_.output(next));

    Exit exit{.status = ExitStatus::kMaybe, .has_exited = {}, .values = {}};
    exit.has_exited = Carry(node, false_, has_exited);
    for (const ValueId value : inner.values) {
      exit.values.push_back(Carry(node, Unset(graph_.type(value)), value));
    }
    return exit;
  }

  // One more carried value, that nothing in the body reads.
  ValueId Carry(NodeId loop, ValueId before, ValueId after) {
    const BlockId body = graph_.blocks(loop)[0];
    const TypeId type = graph_.type(after);
    graph_.AddOperand(loop, before);
    graph_.AddParameter(body, type);
    graph_.AddResult(body, after);
    return graph_.AddOutput(loop, type);
  }

  // Puts what follows a possible exit into the branch where it did not happen.
  Exit Guard(BlockId block, const Exit& exit, NodeId first) {
    const NodeId node = graph_.Insert(graph_.before(first), symbols::kIf,
                                      std::array{exit.has_exited}, OriginTable::null_range());
    const BlockId exit_block = graph_.AddBlock(node);
    const BlockId guarded = graph_.AddBlock(node);
    for (NodeId moved = first; moved != graph_.return_node(block);) {
      const NodeId next = graph_.next(moved);
      graph_.Move(moved, graph_.end_of(guarded));
      moved = next;
    }
    const std::vector<ValueId> results = Copy(graph_.results(block));
    for (const ValueId result : results) {
      const TypeId type = graph_.type(result);
      graph_.AddResult(exit_block, Unset(type));
      graph_.AddResult(guarded, result);
      graph_.AddOutput(node, type);
    }
    ReplaceResults(graph_, block, graph_.outputs(node));
    graph_.Insert(graph_.end_of(exit_block), kind_, exit.values, OriginTable::null_range());
    return RemoveFromIf(node);
  }

  // What stands behind an exit is never reached.
  void EraseFrom(BlockId block, NodeId first) {
    if (first == graph_.return_node(block)) return;
    const NodeId before = graph_.previous(first);
    for (NodeId node = graph_.previous(graph_.return_node(block)); node != before;) {
      const NodeId previous = graph_.previous(node);
      for (const ValueId output : Copy(graph_.outputs(node))) {
        if (graph_.is_used(output)) {
          const ValueId unset = Unset(graph_.type(output));
          graph_.ReplaceAllUses(output, unset);
        }
      }
      graph_.Erase(node);
      node = previous;
    }
  }

  Graph& graph_;
  const Exits& exits_;
  Symbol kind_;
  ValueId false_;
  ValueId true_;
  std::unordered_map<TypeId, ValueId> unset_;
  uint32_t depth_ = 0;
  bool is_too_deep_ = false;
};

// All nodes with blocks, an outer one in front of those in it.
std::vector<NodeId> NodesWithBlocks(const Graph& graph) {
  std::vector<NodeId> found;
  std::vector<BlockId> open{graph.root()};
  while (!open.empty()) {
    const BlockId block = open.back();
    open.pop_back();
    for (const NodeId node : graph.nodes(block)) {
      if (graph.blocks(node).empty()) continue;
      found.push_back(node);
      for (const BlockId inner : graph.blocks(node)) open.push_back(inner);
    }
  }
  return found;
}

bool IsInside(const Graph& graph, NodeId node, BlockId block, NodeId limit) {
  for (BlockId at = graph.block(node); !at.is_none();) {
    if (at == block) return true;
    const NodeId owner = graph.owner(at);
    if (owner.is_none() || owner == limit) return false;
    at = graph.block(owner);
  }
  return false;
}

std::optional<bool> BoolConstant(const Graph& graph, ValueId value) {
  const NodeId producer = graph.producer(value);
  if (graph.kind(producer) != symbols::kConstant || graph.type(value) != types::kBool) {
    return std::nullopt;
  }
  const ConstantId constant = graph.constant(producer);
  if (constant.is_none()) return std::nullopt;
  return graph.unit().constants.bool_value(constant);
}

// `if x: return 1` and what follows became two ifs, of which the second asks what the first knows:
// they become one.
bool JoinWithNext(Graph& graph, NodeId first) {
  const NodeId second = graph.next(first);
  if (graph.kind(first) != symbols::kIf || graph.kind(second) != symbols::kIf) return false;
  const ValueId condition = graph.input(second, 0);
  if (graph.producer(condition) != first) return false;
  const uint32_t place = graph.output_index(condition);
  const BlockId into[] = {graph.blocks(first)[0], graph.blocks(first)[1]};
  const auto in_true = BoolConstant(graph, graph.results(into[0])[place]);
  const auto in_false = BoolConstant(graph, graph.results(into[1])[place]);
  if (!in_true || !in_false || *in_true == *in_false) return false;
  const BlockId from[] = {graph.blocks(second)[*in_true ? 0 : 1],
                          graph.blocks(second)[*in_false ? 0 : 1]};
  for (int side = 0; side < 2; ++side) {
    const std::vector<ValueId> results = Copy(graph.results(from[side]));
    for (NodeId node = graph.next(graph.param_node(from[side]));
         node != graph.return_node(from[side]);) {
      const NodeId next = graph.next(node);
      graph.Move(node, graph.end_of(into[side]));
      node = next;
    }
    for (const ValueId result : results) graph.AddResult(into[side], result);
    graph.RemoveAllInputs(graph.return_node(from[side]));
  }
  // Inside, the outputs of the first are what its blocks give.
  const std::vector<ValueId> outputs = Copy(graph.outputs(first));
  for (size_t row = 0; row < outputs.size(); ++row) {
    for (UseId use = graph.first_use(outputs[row]); !use.is_none();) {
      const UseId next = graph.next_use(use);
      const NodeId user = graph.user(use);
      for (const BlockId block : into) {
        if (!IsInside(graph, user, block, first)) continue;
        graph.SetInput(user, graph.input_index(use), graph.results(block)[row]);
        break;
      }
      use = next;
    }
  }
  for (const ValueId output : Copy(graph.outputs(second))) {
    const ValueId joined = graph.AddOutput(first, graph.type(output), graph.debug_name(output));
    graph.ReplaceAllUses(output, joined);
  }
  graph.Erase(second);
  return true;
}

// Inner blocks first.
void JoinIfs(Graph& graph, BlockId block) {
  struct Open {
    BlockId block;
    NodeId node;          // whose blocks are being worked off
    uint32_t next_block;  // of it
  };
  std::vector<Open> open{{block, graph.next(graph.param_node(block)), 0}};
  while (!open.empty()) {
    Open& at = open.back();
    if (at.node == graph.return_node(at.block)) {
      open.pop_back();
      continue;
    }
    if (at.next_block < graph.blocks(at.node).size()) {
      const BlockId inner = graph.blocks(at.node)[at.next_block++];
      open.push_back({inner, graph.next(graph.param_node(inner)), 0});
      continue;
    }
    at.next_block = 0;
    if (!JoinWithNext(graph, at.node)) at.node = graph.next(at.node);
  }
}

// Between the two ends of a `with`, its body becomes a block: an exit from it must not jump over
// the end.
void WrapWith(Graph& graph, const Exits& exits) {
  std::vector<BlockId> blocks{graph.root()};
  for (const NodeId node : NodesWithBlocks(graph)) {
    for (const BlockId block : graph.blocks(node)) blocks.push_back(block);
  }
  for (const BlockId block : blocks) {
    std::vector<NodeId> entered;
    for (NodeId node = graph.next(graph.param_node(block)); node != graph.return_node(block);) {
      const NodeId next = graph.next(node);
      if (graph.kind(node) == symbols::kEnter) entered.push_back(node);
      if (graph.kind(node) == symbols::kExit && !entered.empty()) {
        const NodeId enter = entered.back();
        entered.pop_back();
        const NodeId with =
            graph.Insert(graph.before(node), exits.with, {}, OriginTable::null_range());
        const BlockId body = graph.AddBlock(with);
        const BlockId end = graph.AddBlock(with);
        for (NodeId moved = graph.next(enter); moved != with;) {
          const NodeId following = graph.next(moved);
          graph.Move(moved, graph.end_of(body));
          moved = following;
        }
        graph.Move(node, graph.end_of(end));
      }
      node = next;
    }
  }
}

void UnwrapWith(Graph& graph, const Exits& exits) {
  for (const NodeId node : NodesWithBlocks(graph)) {
    if (graph.kind(node) != exits.with) continue;
    for (const BlockId block : {graph.blocks(node)[0], graph.blocks(node)[1]}) {
      for (NodeId inner = graph.next(graph.param_node(block)); inner != graph.return_node(block);) {
        const NodeId next = graph.next(inner);
        graph.Move(inner, graph.before(node));
        inner = next;
      }
    }
    graph.Erase(node);
  }
}

// A `for` with an early exit has a number of trips and a condition: it becomes a `while`, which can
// be written in Python.
void MakeWhile(Graph& graph, NodeId loop) {
  CompilationUnit& unit = graph.unit();
  const BlockId body = graph.blocks(loop)[0];
  const ValueId trips = graph.input(loop, 0);
  const ValueId condition = graph.input(loop, 1);
  const NodeId trip_producer = graph.producer(trips);
  const bool has_trips = graph.kind(trip_producer) != symbols::kConstant ||
                         unit.constants.int_value(graph.constant(trip_producer)) !=
                             std::numeric_limits<int64_t>::max();
  const auto first = BoolConstant(graph, condition);
  const auto next = BoolConstant(graph, graph.results(body)[0]);
  if (!has_trips || (first.value_or(false) && next.value_or(false))) return;

  const RangeId range = graph.range(loop);
  const auto call = [&](InsertPoint at, std::string_view name, std::string_view overload,
                        std::array<ValueId, 2> inputs, TypeId type) {
    const Symbol symbol = unit.strings.Intern(name);
    const NodeId node =
        graph.Insert(at, symbol, inputs, range, FindOperator(unit, symbol, overload));
    return graph.AddOutput(node, type);
  };
  const InsertPoint before = graph.before(loop);
  const ValueId zero = graph.InsertConstant(before, unit.constants.Int(0), range);
  const ValueId one = graph.InsertConstant(before, unit.constants.Int(1), range);
  ValueId start = call(before, "aten::gt", "int", {trips, zero}, types::kBool);
  const ValueId unlimited =
      graph.InsertConstant(before, unit.constants.Int(std::numeric_limits<int64_t>::max()), range);
  graph.SetInput(loop, 0, unlimited);
  if (!first.value_or(false)) {
    start = call(before, "aten::__and__", "bool", {start, condition}, types::kBool);
  }
  graph.SetInput(loop, 1, start);
  graph.AddOperand(loop, zero);
  graph.AddOutput(loop, types::kInt);
  const ValueId trip = graph.AddParameter(body, types::kInt);
  graph.ReplaceAllUses(graph.parameters(body)[0], trip);
  const InsertPoint end = graph.end_of(body);
  const ValueId next_trip = call(end, "aten::add", "int", {trip, one}, types::kInt);
  const ValueId is_less = call(end, "aten::lt", "int", {next_trip, trips}, types::kBool);
  const ValueId goes_on =
      call(end, "aten::__and__", "bool", {is_less, graph.results(body)[0]}, types::kBool);
  graph.AddResult(body, next_trip);
  graph.SetInput(graph.return_node(body), 0, goes_on);
}

}  // namespace

Exits::Exits(CompilationUnit& unit)
    : return_statement(unit.strings.Intern("prim::ReturnStmt")),
      loop_continuation(unit.strings.Intern("prim::LoopContinuation")),
      with(unit.strings.Intern("prim::With")) {}

Status RemoveExits(Graph& graph, const Exits& exits, TypeId result_type) {
  if (!exits.has_continuations && !exits.has_inner_exits) {
    // The only exit is the function's last node.
    const NodeId last = graph.previous(graph.return_node(graph.root()));
    graph.AddResult(graph.input(last, 0));
    graph.Erase(last);
    return {};
  }
  // What a function gives that leaves in another way than by its end.
  const NodeId unset = graph.Insert(graph.end_of(graph.root()), symbols::kUninitialized, {},
                                    OriginTable::null_range());
  graph.AddResult(graph.AddOutput(unset, result_type));
  if (exits.has_with) WrapWith(graph, exits);
  if (exits.has_continuations) {
    HANDRAIL_RETURN_IF_ERROR(ExitRemover(graph, exits, exits.loop_continuation).Remove());
  }
  HANDRAIL_RETURN_IF_ERROR(ExitRemover(graph, exits, exits.return_statement).Remove());
  JoinIfs(graph, graph.root());
  if (exits.has_with) UnwrapWith(graph, exits);
  const std::vector<NodeId> nodes = NodesWithBlocks(graph);
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (graph.kind(*node) == symbols::kLoop) MakeWhile(graph, *node);
  }
  return {};
}

}  // namespace handrail::graph
