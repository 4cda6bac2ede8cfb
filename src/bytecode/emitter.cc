// Facts of torch/csrc/jit/runtime/interpreter/code_impl.h of PyTorch 1.13 say in which order
// instructions come, and which registers they name.
#include "bytecode/emitter.h"

#include <algorithm>

#include <fmt/format.h>

#include "bytecode/constant_value.h"
#include "bytecode/stack_order.h"
#include "bytecode/type_text.h"

namespace handrail::bytecode {
namespace {

using graph::BlockId;
using graph::Graph;
using graph::NodeId;
using graph::ValueId;
namespace symbols = graph::symbols;

struct Promoted {
  std::string_view name;
  std::string_view overload;
  Opcode opcode;
};
constexpr Promoted kPromoted[] = {
#define HANDRAIL_PROMOTED(name, overload, opcode) {name, overload, Opcode::opcode},
#include "bytecode/promoted_operators.def"
};

class Emitter {
 public:
  Emitter(Graph& graph, const ExternalConstant& external, std::vector<StayingCall>& calls)
      : graph_(graph), unit_(graph.unit()), external_(external), calls_(calls) {}

  Result<EmittedFunction> Emit() && {
    drop_ = unit_.strings.Intern("prim::Drop");
    HANDRAIL_RETURN_IF_ERROR(InsertDrops(graph_));
    is_inline_ = FindInlineNodes(graph_);
    rows_.assign(graph_.value_count(), 0);
    used_counts_.assign(graph_.value_count(), 0);
    CountArguments(graph_.root());
    HANDRAIL_RETURN_IF_ERROR(EmitBlock(graph_.root()));
    Add(Opcode::RET, graph_.return_node(graph_.root()));
    // Method names stand behind all other constants.
    for (const auto& [instruction, name] : method_calls_) {
      HANDRAIL_ASSIGN_OR_RETURN(result_.function.instructions[instruction].x,
                                AddConstant(values::Value(unit_.text(name))));
    }
    result_.function.register_count = register_count_;
    return std::move(result_);
  }

 private:
  // A node whose operands are being loaded.
  struct Frame {
    NodeId node;
    size_t next;   // of its inputs
    size_t count;  // how many of its inputs are loaded
  };

  int32_t size() const { return static_cast<int32_t>(result_.function.instructions.size()); }
  void Add(Opcode opcode, NodeId node, int32_t x = 0, size_t n = 0) {
    result_.function.instructions.push_back({opcode, static_cast<uint16_t>(n), x});
    result_.nodes.push_back(node);
  }
  Instruction& At(int32_t instruction) {
    return result_.function.instructions[static_cast<size_t>(instruction)];
  }
  Result<int32_t> AddConstant(values::Value value) {
    result_.function.constants.push_back(std::move(value));
    return static_cast<int32_t>(result_.function.constants.size()) - 1;
  }
  int32_t AddType(graph::TypeId type) {
    result_.function.types.push_back(TypeText(unit_, type));
    return static_cast<int32_t>(result_.function.types.size()) - 1;
  }
  tl::unexpected<Error> Unsupported(NodeId node) const {
    const graph::RangeId range = graph_.range(node);
    const graph::RangeRow& row = unit_.origins.range(range);
    std::string place;
    if (!row.source.is_none()) {
      place = fmt::format(", at {}:{}",
                          unit_.origins.source(row.source).file_name.value_or("<unknown>"),
                          unit_.origins.PlaceOf(range).line);
    }
    return Fail(ErrorCode::kUnsupported,
                fmt::format("bytecode: no instruction for {}{}", graph_.kind_name(node), place));
  }

  // Calls of one operator take equally many arguments: as many as the one that needs most.
  void CountArguments(BlockId block) {
    for (const NodeId node : graph_.nodes(block)) {
      for (const BlockId inner : graph_.blocks(node)) CountArguments(inner);
      const graph::SchemaId schema = graph_.schema(node);
      if (schema.is_none()) continue;
      const auto& arguments = unit_.schema(schema).arguments;
      const auto inputs = graph_.inputs(node);
      size_t count = inputs.size();
      while (count > 0 && count <= arguments.size() &&
             IsDefault(inputs[count - 1], arguments[count - 1])) {
        --count;
      }
      size_t& known = argument_counts_[schema];
      known = std::max(known, count);
    }
  }
  bool IsDefault(ValueId value, const graph::Argument& argument) const {
    if (!argument.has_default()) return false;
    const NodeId producer = graph_.producer(value);
    if (graph_.kind(producer) != symbols::kConstant) return false;
    const graph::ConstantId constant = graph_.constant(producer);
    if (!constant.is_none()) return constant == argument.default_value;
    return unit_.constants.at(argument.default_value).kind == graph::ConstantKind::kNone;
  }

  Status EmitBlock(BlockId block) {
    Store(graph_.param_node(block));
    for (const NodeId node : graph_.nodes(block)) {
      if (graph_.kind(node) == symbols::kConstant) {
        HANDRAIL_RETURN_IF_ERROR(AddConstantOf(node));
      } else if (!is_inline_[node.index]) {
        HANDRAIL_RETURN_IF_ERROR(EmitNode(node));
        Store(node);
      }
    }
    return EmitNode(graph_.return_node(block));
  }

  Status AddConstantOf(NodeId node) {
    const graph::ConstantId constant = graph_.constant(node);
    if (!constant.is_none() &&
        unit_.constants.at(constant).kind == graph::ConstantKind::kFunction) {
      return {};  // only calls use it, and those are refused where they stand
    }
    values::Value value;
    if (!constant.is_none()) {
      HANDRAIL_ASSIGN_OR_RETURN(value, ValueOf(unit_, constant, external_));
    }
    HANDRAIL_ASSIGN_OR_RETURN(rows_[graph_.output(node).index], AddConstant(std::move(value)));
    return {};
  }

  void Store(NodeId node) {
    const auto outputs = graph_.outputs(node);
    if (outputs.empty()) return;
    const auto first = static_cast<int32_t>(register_count_) + 1;
    for (const ValueId output : outputs) {
      rows_[output.index] = static_cast<int32_t>(++register_count_);
    }
    if (outputs.size() == 1) {
      Add(Opcode::STORE, node, first);
    } else {
      Add(Opcode::STOREN, node, first, outputs.size());
    }
  }

  size_t LoadedCount(NodeId node) const {
    const size_t count = graph_.inputs(node).size();
    const graph::SchemaId schema = graph_.schema(node);
    // What became an instruction takes all of its operands.
    const bool is_instruction = PromotedAs(node) != nullptr ||
                                graph_.kind(node) == symbols::kRaiseException ||
                                graph_.kind(node) == symbols::kWarn;
    if (schema.is_none() || unit_.schema(schema).takes_more || is_instruction) return count;
    return std::min(count, argument_counts_.at(schema));
  }

  Frame Open(NodeId node) {
    if (graph_.kind(node) == symbols::kLoop) {
      // The number of trips so far.
      result_.function.constants.emplace_back(int64_t{0});
      Add(Opcode::LOADC, node, static_cast<int32_t>(result_.function.constants.size()) - 1);
    }
    return {node, 0, LoadedCount(node)};
  }

  // A node, and the inline nodes that make its operands, innermost first.
  Status EmitNode(NodeId node) {
    std::vector<Frame> frames{Open(node)};
    while (!frames.empty()) {
      Frame& frame = frames.back();
      if (frame.next == frame.count) {
        const NodeId done = frame.node;
        frames.pop_back();
        HANDRAIL_RETURN_IF_ERROR(Finish(done));
        if (!frames.empty() && graph_.kind(frames.back().node) == drop_) {
          Add(Opcode::DROP, frames.back().node);
        }
        continue;
      }
      const ValueId value = graph_.inputs(frame.node)[frame.next++];
      const NodeId producer = graph_.producer(value);
      if (is_inline_[producer.index]) {
        frames.push_back(Open(producer));
      } else {
        Load(value, frame.node);
      }
    }
    return {};
  }

  void Load(ValueId value, NodeId node) {
    const uint32_t use_count = CountUses(value);
    const bool is_last = ++used_counts_[value.index] == use_count;
    Opcode opcode = is_last ? Opcode::MOVE : Opcode::LOAD;
    if (graph_.kind(node) == drop_) opcode = Opcode::DROPR;
    if (graph_.kind(graph_.producer(value)) == symbols::kConstant) opcode = Opcode::LOADC;
    Add(opcode, node, rows_[value.index]);
  }
  uint32_t CountUses(ValueId value) {
    const auto [row, is_new] = use_counts_.try_emplace(value, 0);
    if (is_new) {
      for (graph::UseId use = graph_.first_use(value); !use.is_none(); use = graph_.next_use(use)) {
        ++row->second;
      }
    }
    return row->second;
  }

  const Promoted* PromotedAs(NodeId node) const {
    const std::string_view name = graph_.kind_name(node);
    const std::string_view overload = graph_.overload(node);
    const auto* const found = std::find_if(
        std::begin(kPromoted), std::end(kPromoted),
        [&](const Promoted& each) { return each.name == name && each.overload == overload; });
    return found == std::end(kPromoted) ? nullptr : found;
  }

  // The instructions of a node whose operands are on the stack.
  Status Finish(NodeId node) {
    const size_t input_count = graph_.inputs(node).size();
    const auto count = static_cast<int32_t>(input_count);
    switch (graph_.kind(node).index) {
      case symbols::kReturn.index:
        return {};
      case symbols::kIf.index:
        return EmitIf(node);
      case symbols::kLoop.index:
        return EmitLoop(node);
      case symbols::kGetAttr.index:
      case symbols::kSetAttr.index:
        return EmitAttribute(node);
      case symbols::kListUnpack.index:
        Add(Opcode::LIST_UNPACK, node, static_cast<int32_t>(graph_.outputs(node).size()));
        return {};
      case symbols::kTupleConstruct.index:
        if (unit_.types.is_named_tuple(graph_.type(graph_.output(node)))) {
          Add(Opcode::NAMED_TUPLE_CONSTRUCT, node, AddType(graph_.type(graph_.output(node))),
              input_count);
        } else {
          Add(Opcode::TUPLE_CONSTRUCT, node, count);
        }
        return {};
      case symbols::kListConstruct.index:
        Add(Opcode::LIST_CONSTRUCT, node, AddType(graph_.type(graph_.output(node))), input_count);
        return {};
      case symbols::kDictConstruct.index:
        Add(Opcode::DICT_CONSTRUCT, node, AddType(graph_.type(graph_.output(node))), input_count);
        return {};
      case symbols::kCreateObject.index:
        Add(Opcode::CREATE_OBJECT, node, AddType(graph_.type(graph_.output(node))));
        return {};
      case symbols::kIsInstance.index:
        return EmitIsInstance(node);
      case symbols::kTupleSlice.index:
        return EmitTupleSlice(node);
      case symbols::kTupleIndex.index:
        Add(Opcode::TUPLE_INDEX, node);
        return {};
      case symbols::kRaiseException.index:
        if (input_count == 1) {
          HANDRAIL_ASSIGN_OR_RETURN(const int32_t none, AddConstant(values::Value()));
          Add(Opcode::LOADC, node, none);
        }
        Add(Opcode::RAISE_EXCEPTION, node);
        return {};
      case symbols::kUninitialized.index:
        Add(Opcode::UN_INITIALIZED, node);
        return {};
      case symbols::kToList.index:
        Add(Opcode::TO_LIST, node);
        return {};
      case symbols::kFormat.index:
        Add(Opcode::FORMAT, node, count);
        return {};
      case symbols::kWarn.index:
        Add(Opcode::WARN, node, warning_count_++);
        return {};
      case symbols::kPrint.index:
        return EmitOperator(node, Opcode::OPN, -1, input_count);
      case symbols::kCallMethod.index:
        calls_.push_back({graph_.type(graph_.input(node, 0)), graph_.name(node)});
        method_calls_.push_back({static_cast<size_t>(size()), graph_.name(node)});
        Add(Opcode::INTERFACE_CALL, node, 0, input_count);
        return {};
      case symbols::kTupleUnpack.index:
      case symbols::kUncheckedCast.index:
      case symbols::kUncheckedUnwrapOptional.index:
        return EmitOperator(node, Opcode::OP, count, 0);
      case symbols::kFork.index:
      case symbols::kWait.index:
      case symbols::kEnter.index:
      case symbols::kExit.index:
      case symbols::kCallFunction.index:
        return Unsupported(node);
      default:
        break;
    }
    if (graph_.kind(node) == drop_) return {};
    if (const Promoted* const promoted = PromotedAs(node)) {
      Add(promoted->opcode, node);
      return {};
    }
    if (graph_.schema(node).is_none()) return Unsupported(node);
    if (unit_.schema(graph_.schema(node)).takes_more) {
      return EmitOperator(node, Opcode::OPN, -1, input_count);
    }
    return EmitOperator(node, Opcode::OP, static_cast<int32_t>(LoadedCount(node)), 0);
  }

  Status EmitOperator(NodeId node, Opcode opcode, int32_t argument_count, size_t n) {
    Operator op{std::string(graph_.kind_name(node)), std::string(graph_.overload(node)),
                argument_count};
    const std::string key = op.name + "." + op.overload;
    const auto [row, is_new] =
        operators_.try_emplace(key, static_cast<int32_t>(result_.function.operators.size()));
    if (is_new) result_.function.operators.push_back(std::move(op));
    Add(opcode, node, row->second, n);
    return {};
  }

  Status EmitIf(NodeId node) {
    const int32_t branch = size();
    Add(Opcode::JF, node);
    HANDRAIL_RETURN_IF_ERROR(EmitBlock(graph_.blocks(node)[0]));
    const int32_t jump = size();
    Add(Opcode::JMP, node);
    At(branch).x = size() - branch;
    HANDRAIL_RETURN_IF_ERROR(EmitBlock(graph_.blocks(node)[1]));
    At(jump).x = size() - jump;
    return {};
  }

  Status EmitLoop(NodeId node) {
    const int32_t loop = size();
    Add(Opcode::LOOP, node, 0, graph_.inputs(node).size());
    HANDRAIL_RETURN_IF_ERROR(EmitBlock(graph_.blocks(node)[0]));
    Add(Opcode::JMP, node, loop - size());
    At(loop).x = size() - loop;
    return {};
  }

  Status EmitAttribute(NodeId node) {
    const graph::Definition* const definition =
        unit_.DefinitionOf(graph_.type(graph_.input(node, 0)));
    const auto slot =
        definition == nullptr ? std::nullopt : definition->FindAttribute(graph_.name(node));
    if (!slot) {
      return Fail(ErrorCode::kCorrupt,
                  fmt::format("bytecode: no attribute '{}'", unit_.text(graph_.name(node))));
    }
    Add(graph_.kind(node) == symbols::kGetAttr ? Opcode::GET_ATTR : Opcode::SET_ATTR, node,
        static_cast<int32_t>(*slot));
    return {};
  }

  Status EmitIsInstance(NodeId node) {
    const graph::TypeId wanted{graph_.attribute(node, symbols::kAttributeTypes)};
    if (wanted.is_none()) return Unsupported(node);
    const std::vector<graph::TypeId> wanted_types(unit_.types.elements(wanted).begin(),
                                                  unit_.types.elements(wanted).end());
    const auto first = static_cast<int32_t>(result_.function.types.size());
    for (const graph::TypeId type : wanted_types) AddType(type);
    Add(Opcode::ISINSTANCE, node, first, wanted_types.size());
    return {};
  }

  Status EmitTupleSlice(NodeId node) {
    const auto bound = [&](StringId name) {
      return unit_.constants.int_value({graph_.attribute(node, name)});
    };
    const int64_t begin = bound(symbols::kAttributeBegin);
    Add(Opcode::TUPLE_SLICE, node, static_cast<int32_t>(begin),
        static_cast<size_t>(bound(symbols::kAttributeEnd) - begin));
    return {};
  }

  Graph& graph_;
  graph::CompilationUnit& unit_;
  const ExternalConstant& external_;
  std::vector<StayingCall>& calls_;
  graph::Symbol drop_;
  EmittedFunction result_;
  std::vector<bool> is_inline_;        // by NodeId
  std::vector<int32_t> rows_;          // by ValueId: register or row of constants
  std::vector<uint32_t> used_counts_;  // by ValueId: loaded so far
  std::unordered_map<ValueId, uint32_t> use_counts_;
  std::unordered_map<graph::SchemaId, size_t> argument_counts_;
  std::unordered_map<std::string, int32_t> operators_;
  struct MethodCall {
    size_t instruction;
    StringId name;
  };
  std::vector<MethodCall> method_calls_;
  uint32_t register_count_ = 0;
  int32_t warning_count_ = 0;
};

}  // namespace

Result<EmittedFunction> Emit(Graph& graph, const ExternalConstant& external,
                             std::vector<StayingCall>& calls) {
  return Emitter(graph, external, calls).Emit();
}

}  // namespace handrail::bytecode
