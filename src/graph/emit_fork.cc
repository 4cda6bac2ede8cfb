// The part of FunctionEmitter that is about calls that run beside the caller.
#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "graph/emit_function.h"

namespace handrail::graph {

// prim::fork with the call in its block. What the call needs are the node's inputs.
Result<Meaning> FunctionEmitter::EmitFork(SyntaxId call) {
  const script::CallView view = tree_.call(call);
  const TextRange range = tree_.range(call);
  if (view.arguments.empty()) return FailAt(call, "need a function as fork's first argument");
  HANDRAIL_ASSIGN_OR_RETURN(const Meaning forked, EmitMeaning(view.arguments[0]));
  HANDRAIL_ASSIGN_OR_RETURN(Arguments arguments,
                            EmitArguments(view.arguments.subspan(1), view.keywords));
  const BlockId around = block_;
  const NodeId node = InsertNode(symbols::kFork, {}, RangeOf(range));
  block_ = graph_.AddBlock(node);
  // Constants and loops of the block are its own.
  std::unordered_map<ConstantId, ValueId> constants;
  std::vector<OpenLoop> loops;
  constants.swap(constants_);
  loops.swap(open_loops_);
  const NodeId last_constant = std::exchange(last_constant_, NodeId::none());
  const BlockId constant_block = std::exchange(constant_block_, block_);
  TypeId type;
  if (forked.kind == MeaningKind::kClosure) {
    HANDRAIL_ASSIGN_OR_RETURN(type, EmitClosure(forked.syntax));
  } else {
    HANDRAIL_ASSIGN_OR_RETURN(const Meaning result,
                              CallMeaning(forked, range, std::move(arguments)));
    HANDRAIL_ASSIGN_OR_RETURN(const Operand value, AsValue(result, range));
    graph_.AddResult(block_, value.value);
    type = value.type;
  }
  constants_ = std::move(constants);
  open_loops_ = std::move(loops);
  last_constant_ = last_constant;
  constant_block_ = constant_block;
  block_ = around;
  CaptureValues(node);
  const TypeId future = unit_.types.Future(type);
  return ValueMeaning({graph_.AddOutput(node, future), future});
}

Result<TypeId> FunctionEmitter::EmitClosure(SyntaxId function_syntax) {
  const script::FunctionView function = tree_.function(function_syntax);
  if (!function.parameters.empty()) {
    return FailAt(function.name_range, "a function inside a function can have no parameters",
                  ErrorCode::kUnsupported);
  }
  OpenFunction open;
  if (!function.result_type.is_none()) {
    HANDRAIL_ASSIGN_OR_RETURN(open.declared_result, ReadType(unit_, text_, function.result_type));
  }
  const BlockId block = block_;
  open_functions_.push_back(open);
  scope_.Open();
  HANDRAIL_RETURN_IF_ERROR(EmitStatements(function.body));
  HANDRAIL_RETURN_IF_ERROR(EmitImplicitReturn(function_syntax));
  scope_.Close();
  const TypeId type = open_functions_.back().merged_result;
  open_functions_.pop_back();
  graph_.AddResult(block, InsertUninitialized(type, OriginTable::null_range()).value);
  return type;
}

// Values from around the node's block become its inputs and the block's parameters, in the order of
// their first use; constants are copied.
void FunctionEmitter::CaptureValues(NodeId node) {
  const BlockId body = graph_.blocks(node)[0];
  std::vector<BlockId> open{body};
  std::vector<NodeId> nodes;
  std::unordered_map<ValueId, ValueId> inside;
  while (!open.empty()) {
    const BlockId block = open.back();
    open.pop_back();
    for (const ValueId parameter : graph_.parameters(block)) inside[parameter] = parameter;
    for (NodeId inner = graph_.next(graph_.param_node(block));; inner = graph_.next(inner)) {
      nodes.push_back(inner);
      for (const ValueId output : graph_.outputs(inner)) inside[output] = output;
      for (const BlockId nested : graph_.blocks(inner)) open.push_back(nested);
      if (inner == graph_.return_node(block)) break;
    }
  }
  for (const NodeId inner : nodes) {
    for (uint32_t row = 0; row < graph_.inputs(inner).size(); ++row) {
      const ValueId input = graph_.input(inner, row);
      const auto known = inside.find(input);
      if (known != inside.end()) {
        if (known->second != input) graph_.SetInput(inner, row, known->second);
        continue;
      }
      const NodeId producer = graph_.producer(input);
      ValueId copy;
      if (graph_.kind(producer) == symbols::kConstant && !graph_.constant(producer).is_none()) {
        copy = graph_.InsertConstant(graph_.after(graph_.param_node(body)),
                                     graph_.constant(producer), graph_.range(producer));
        inside[copy] = copy;
      } else {
        graph_.AddOperand(node, input);
        copy = graph_.AddParameter(body, graph_.type(input), graph_.debug_name(input));
        inside[copy] = copy;
      }
      inside[input] = copy;
      graph_.SetInput(inner, row, copy);
    }
  }
}

}  // namespace handrail::graph
