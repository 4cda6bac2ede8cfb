#include "handrail/inlining/inlining.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace handrail::graph {

namespace {

constexpr std::string_view kSelfInstance = "SELF";
constexpr std::string_view kUnknownInstance = "INSTANCE_NAME_UNKNOWN";

// What one call asks for.
struct Call {
  FunctionId function;  // none: it stays a call
  StringId module_type;
  StringId module_name;
  uint32_t first_argument = 0;
};

// A block that is being copied.
struct OpenBlock {
  BlockId from;
  NodeId next;
  InsertPoint to;
};

// One body that is being pasted.
struct Frame {
  const Graph* from;
  FunctionId function;  // none: the outermost graph
  NodeId call;          // in the caller's graph; none for the outermost
  StackPrefixer prefix;
  StackId stack;
  std::vector<ValueId> values;  // what the body's values became
  std::vector<OpenBlock> blocks;
  // By which attribute a value that an inlined call gave was reached, in the callee.
  std::unordered_map<ValueId, StringId> instance_names;
};

class Inliner {
 public:
  Inliner(const Graph& graph, const BodyOf& body_of, const InlineOptions& options)
      : unit_(graph.unit()), body_of_(body_of), options_(options), result_(graph.unit()) {}

  Result<Graph> Run(const Graph& graph, FunctionId function) {
    Enter(graph, function, NodeId::none(), StackId::none());
    Frame& top = frames_.back();
    for (const ValueId input : graph.inputs()) {
      top.values[input.index] = result_.AddInput(graph.type(input), graph.debug_name(input));
    }
    top.blocks.push_back(Open(graph, graph.root(), result_.end_of(result_.root())));
    while (!frames_.empty()) {
      if (frames_.back().blocks.empty()) {
        Leave();
      } else {
        HANDRAIL_RETURN_IF_ERROR(Step());
      }
    }
    return std::move(result_);
  }

 private:
  static OpenBlock Open(const Graph& from, BlockId block, InsertPoint to) {
    return {block, from.next(from.param_node(block)), to};
  }

  void Enter(const Graph& graph, FunctionId function, NodeId call, StackId stack) {
    frames_.push_back(Frame{&graph,
                            function,
                            call,
                            StackPrefixer(unit_.origins, stack),
                            stack,
                            std::vector<ValueId>(graph.value_count()),
                            {},
                            {}});
    if (!function.is_none()) SetRunning(function, true);
  }

  bool IsRunning(FunctionId function) const {
    return function.index < running_.size() && running_[function.index];
  }
  void SetRunning(FunctionId function, bool is_running) {
    if (function.index >= running_.size()) running_.resize(function.index + 1);
    running_[function.index] = is_running;
  }

  // Ends a body: its results become the outputs of the call.
  void Leave() {
    Frame& frame = frames_.back();
    const Graph& from = *frame.from;
    if (!frame.function.is_none()) SetRunning(frame.function, false);
    if (frames_.size() == 1) {
      for (const ValueId result : from.results()) result_.AddResult(frame.values[result.index]);
      frames_.pop_back();
      return;
    }
    Frame& caller = frames_[frames_.size() - 2];
    const auto outputs = caller.from->outputs(frame.call);
    for (uint32_t i = 0; i < outputs.size(); ++i) {
      const ValueId result = from.results()[i];
      caller.values[outputs[i].index] = frame.values[result.index];
      caller.instance_names.emplace(outputs[i], NameOfResult(caller, frame, result));
    }
    frames_.pop_back();
  }

  // How a value was reached that is the receiver of a call.
  StringId InstanceNameOf(const Frame& frame, ValueId value) {
    const Graph& from = *frame.from;
    // The parameters of a fork's block are its inputs.
    while (from.kind(from.producer(value)) == symbols::kParam) {
      const NodeId owner = from.owner(from.block(from.producer(value)));
      if (owner.is_none() || from.kind(owner) != symbols::kFork) break;
      value = from.input(owner, from.output_index(value));
    }
    if (const auto known = frame.instance_names.find(value); known != frame.instance_names.end()) {
      return known->second;
    }
    const NodeId producer = from.producer(value);
    if (from.kind(producer) == symbols::kGetAttr) return from.name(producer);
    const bool is_self = !from.inputs().empty() && from.inputs()[0] == value;
    return unit_.strings.Intern(is_self ? kSelfInstance : kUnknownInstance);
  }

  // The same for a result of a body, seen from its caller.
  StringId NameOfResult(const Frame& caller, const Frame& callee, ValueId result) {
    const Graph& from = *callee.from;
    const auto inputs = from.inputs();
    const auto input = std::find(inputs.begin(), inputs.end(), result);
    if (input == inputs.end()) return InstanceNameOf(callee, result);
    const auto row = static_cast<uint32_t>(input - inputs.begin());
    const auto arguments = caller.from->inputs(callee.call);
    return InstanceNameOf(caller, arguments[arguments.size() - inputs.size() + row]);
  }

  Call ReadCall(const Frame& frame, NodeId node) {
    const Graph& from = *frame.from;
    Call call;
    if (from.kind(node) == symbols::kCallFunction) {
      const TypeRow& type = unit_.types.at(from.type(from.input(node, 0)));
      if (type.kind == TypeKind::kFunction) call.function = unit_.FindFunction(type.name);
      call.first_argument = 1;
      return call;
    }
    const ValueId receiver = from.input(node, 0);
    const TypeRow& type = unit_.types.at(from.type(receiver));
    if (type.kind != TypeKind::kClass) return call;
    const Definition& definition = unit_.definition(type.definition);
    const auto method = definition.FindMethod(from.name(node));
    if (!method) return call;
    call.function = definition.methods[*method].function;
    call.module_type = definition.name;
    call.module_name = InstanceNameOf(frame, receiver);
    return call;
  }

  std::string Recursion(FunctionId function) const {
    std::string names;
    bool is_inside = false;
    for (const Frame& frame : frames_) {
      is_inside |= frame.function == function;
      if (!is_inside) continue;
      if (names.size() > kMessageBytesMax) {
        names += "... -> ";
        break;
      }
      names += std::string(unit_.text(unit_.function(frame.function).name)) + " -> ";
    }
    return names + std::string(unit_.text(unit_.function(function).name));
  }

  // Begins to paste what `node` calls. False: it stays a call.
  Result<bool> TryInline(NodeId node) {
    Frame& frame = frames_.back();
    const Graph& from = *frame.from;
    const Call call = ReadCall(frame, node);
    if (call.function.is_none()) return false;
    if (IsRunning(call.function)) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("inlining: need calls that end, have {}", Recursion(call.function)));
    }
    HANDRAIL_ASSIGN_OR_RETURN(const Graph* const body, body_of_(call.function));
    if (body == nullptr) return false;
    const auto arguments = from.inputs(node).subspan(call.first_argument);
    if (body->inputs().size() != arguments.size() ||
        body->results().size() != from.outputs(node).size()) {
      return Fail(
          ErrorCode::kCorrupt,
          fmt::format("inlining: call of {}: need {} arguments and {} results, have {} and {}",
                      unit_.text(unit_.function(call.function).name), body->inputs().size(),
                      body->results().size(), arguments.size(), from.outputs(node).size()));
    }
    if (frames_.size() >= limits::kCallStackDepthMax) {
      return Fail(ErrorCode::kLimit, fmt::format("inlining: need at most {} calls inside of calls",
                                                 limits::kCallStackDepthMax));
    }
    const StackId own = frame.prefix(from.stack(node));
    const StackId stack = unit_.origins.AddStack(
        {.caller = own,
         .function = unit_.strings.Intern(LastAtom(unit_.text(unit_.function(call.function).name))),
         .module_type = call.module_type,
         .module_name = call.module_name,
         .range = from.range(node)});
    const InsertPoint to = frame.blocks.back().to;
    std::vector<ValueId> values(body->value_count());
    for (uint32_t i = 0; i < arguments.size(); ++i) {
      values[body->inputs()[i].index] = frame.values[arguments[i].index];
    }
    Enter(*body, call.function, node, stack);
    frames_.back().values = std::move(values);
    frames_.back().blocks.push_back(Open(*body, body->root(), to));
    return true;
  }

  Status Step() {
    Frame& frame = frames_.back();
    const Graph& from = *frame.from;
    OpenBlock& block = frame.blocks.back();
    const NodeId node = block.next;
    if (node == from.return_node(block.from)) {
      if (frame.blocks.size() > 1) {
        const BlockId copy = result_.block(block.to.before);
        for (const ValueId result : from.results(block.from)) {
          result_.AddResult(copy, frame.values[result.index]);
        }
      }
      frame.blocks.pop_back();
      return {};
    }
    block.next = from.next(node);
    if (from.kind(node) == symbols::kCallMethod || from.kind(node) == symbols::kCallFunction) {
      HANDRAIL_ASSIGN_OR_RETURN(const bool is_inlined, TryInline(node));
      if (is_inlined) return {};
    }
    if (result_.node_count() >= options_.node_count_max) {
      return Fail(ErrorCode::kLimit, fmt::format("inlining: need at most {} nodes, have more",
                                                 options_.node_count_max));
    }
    Copy(node);
    return {};
  }

  void Copy(NodeId node) {
    Frame& frame = frames_.back();
    const Graph& from = *frame.from;
    inputs_.clear();
    for (const ValueId input : from.inputs(node)) inputs_.push_back(frame.values[input.index]);
    const NodeId copy =
        result_.Insert(frame.blocks.back().to, from.kind(node), inputs_, from.range(node),
                       from.schema(node), frame.prefix(from.stack(node)));
    for (const NodeAttribute& attribute : from.attributes(node)) {
      result_.AddAttribute(copy, attribute);
    }
    for (const ValueId output : from.outputs(node)) {
      frame.values[output.index] =
          result_.AddOutput(copy, from.type(output), from.debug_name(output));
    }
    const auto blocks = from.blocks(node);
    const size_t first = frame.blocks.size();
    for (const BlockId block : blocks) {
      const BlockId block_copy = result_.AddBlock(copy);
      for (const ValueId parameter : from.parameters(block)) {
        frame.values[parameter.index] =
            result_.AddParameter(block_copy, from.type(parameter), from.debug_name(parameter));
      }
      frame.blocks.push_back(Open(from, block, result_.end_of(block_copy)));
    }
    // The first block is copied first.
    std::reverse(frame.blocks.begin() + static_cast<ptrdiff_t>(first), frame.blocks.end());
  }

  static constexpr size_t kMessageBytesMax = 1000;

  CompilationUnit& unit_;
  const BodyOf& body_of_;
  const InlineOptions& options_;
  Graph result_;
  std::vector<Frame> frames_;
  std::vector<bool> running_;  // by FunctionId
  std::vector<ValueId> inputs_;
};

}  // namespace

Result<Graph> Inline(const Graph& graph, const BodyOf& body_of, const InlineOptions& options) {
  return Inliner(graph, body_of, options).Run(graph, FunctionId::none());
}

Result<Graph> InlineFunction(FunctionId function, const BodyOf& body_of,
                             const InlineOptions& options) {
  HANDRAIL_ASSIGN_OR_RETURN(const Graph* const body, body_of(function));
  if (body == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "inlining: need a function with a body");
  }
  return Inliner(*body, body_of, options).Run(*body, function);
}

}  // namespace handrail::graph
