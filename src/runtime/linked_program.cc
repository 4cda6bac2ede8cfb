#include "runtime/linked_program.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "graph/operators.h"

namespace handrail::runtime {
namespace {

using bytecode::Opcode;
using values::Value;

// A default value of a schema: a scalar, or a list of scalars.
std::optional<Value> ValueOf(const graph::CompilationUnit& unit, graph::ConstantId id) {
  const graph::ConstantTable& constants = unit.constants;
  switch (constants.at(id).kind) {
    case graph::ConstantKind::kNone:
      return Value();
    case graph::ConstantKind::kBool:
      return Value(constants.bool_value(id));
    case graph::ConstantKind::kInt:
      return Value(constants.int_value(id));
    case graph::ConstantKind::kFloat:
      return Value(constants.float_value(id));
    case graph::ConstantKind::kString:
      return Value(unit.text(constants.name(id)));
    case graph::ConstantKind::kDevice:
      return Value::Device(std::string(unit.text(constants.name(id))));
    case graph::ConstantKind::kList: {
      std::vector<Value> elements;
      for (const graph::ConstantId element : constants.elements(id)) {
        if (constants.at(element).kind >= graph::ConstantKind::kFunction) return std::nullopt;
        std::optional<Value> value = ValueOf(unit, element);
        if (!value) return std::nullopt;
        elements.push_back(*std::move(value));
      }
      return values::MakeList(std::move(elements));
    }
    default:
      return std::nullopt;
  }
}

// The operator without its kernel. Nothing if it is not known, or if calls leave out more than has
// a default.
std::optional<LinkedOperator> LinkArguments(graph::CompilationUnit& unit,
                                            const bytecode::Operator& op) {
  LinkedOperator linked;
  const graph::SchemaId id = graph::FindOperator(unit, unit.strings.Intern(op.name), op.overload);
  if (id.is_none()) return linked;  // prim::TupleUnpack and its kin have no schema
  const std::vector<graph::Argument>& arguments = unit.schema(id).arguments;
  linked.argument_count =
      op.argument_count < 0 ? arguments.size() : static_cast<size_t>(op.argument_count);
  if (linked.argument_count > arguments.size()) return std::nullopt;
  for (size_t i = linked.argument_count; i < arguments.size(); ++i) {
    if (!arguments[i].has_default()) return std::nullopt;
    std::optional<Value> value = ValueOf(unit, arguments[i].default_value);
    if (!value) return std::nullopt;
    linked.defaults.push_back(*std::move(value));
  }
  return linked;
}

}  // namespace

std::string FullName(const bytecode::Operator& op) {
  return op.overload.empty() ? op.name : op.name + "." + op.overload;
}

LinkedProgram::LinkedProgram(const bytecode::Program& program,
                             const std::vector<bytecode::LeftOutFunction>& left_out,
                             const FindKernel& find_kernel)
    : left_out_(left_out) {
  graph::CompilationUnit unit;  // of the operators' schemas
  functions_.reserve(program.functions.size());
  for (const bytecode::Function& function : program.functions) {
    by_name_.try_emplace(function.name, functions_.size());
    Link(unit, function, find_kernel);
  }
}

bool LinkedProgram::is_left_out(std::string_view name) const {
  return std::any_of(
      left_out_.begin(), left_out_.end(),
      [&](const bytecode::LeftOutFunction& function) { return function.name == name; });
}

std::string LinkedProgram::WhyMissing(std::string_view name) const {
  for (const bytecode::LeftOutFunction& function : left_out_) {
    if (function.name == name) return function.error.message;
  }
  return fmt::format("there is no method '{}'", name);
}

const LinkedFunction* LinkedProgram::Find(std::string_view name) const {
  const auto row = by_name_.find(name);
  return row == by_name_.end() ? nullptr : &functions_[row->second];
}

void LinkedProgram::Link(graph::CompilationUnit& unit, const bytecode::Function& function,
                         const FindKernel& find_kernel) {
  LinkedFunction& linked = functions_.emplace_back();
  linked.function = &function;
  for (const bytecode::Operator& op : function.operators) {
    LinkedOperator& row = linked.operators.emplace_back();
    std::optional<LinkedOperator> known = LinkArguments(unit, op);
    if (!known) continue;
    row = *std::move(known);
    row.kernel = find_kernel(op.name, op.overload);
  }
  for (const std::string& type : function.types) linked.type_tests.emplace_back(type);
  for (const bytecode::Argument& argument : function.arguments) {
    linked.argument_tests.emplace_back(argument.type);
  }
  linked.classes.resize(function.types.size());
  for (size_t at = 0; at < function.instructions.size(); ++at) {
    const bytecode::Instruction& instruction = function.instructions[at];
    const auto x = static_cast<size_t>(instruction.x);
    if (instruction.opcode == Opcode::CREATE_OBJECT && linked.classes[x] == nullptr) {
      linked.classes[x] = std::make_shared<values::ObjectClass>(
          values::ObjectClass{.name = function.types[x], .attributes = {}});
    }
    const bool is_operator = instruction.opcode == Opcode::OP || instruction.opcode == Opcode::OPN;
    if (!is_operator || linked.operators[x].kernel != nullptr) continue;
    const std::string name = FullName(function.operators[x]);
    auto missing = std::find_if(missing_.begin(), missing_.end(),
                                [&](const MissingOperator& each) { return each.name == name; });
    if (missing == missing_.end()) missing = missing_.insert(missing_.end(), {name, {}});
    if (!function.handles.empty()) missing->handles.push_back(function.handles[at]);
  }
}

}  // namespace handrail::runtime
