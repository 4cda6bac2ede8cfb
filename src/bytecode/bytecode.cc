#include "handrail/bytecode/bytecode.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "bytecode/constant_value.h"
#include "bytecode/emitter.h"
#include "inlining/node_origins.h"

namespace handrail::bytecode {
namespace {

using graph::CompilationUnit;
using graph::FunctionId;

class Compiler {
 public:
  Compiler(CompilationUnit& unit, const graph::BodyOf& body_of, const ExternalConstant& external,
           DebugInfoBuilder& debug_info, std::vector<LeftOutFunction>* left_out)
      : unit_(unit),
        body_of_(body_of),
        external_(external),
        debug_info_(debug_info),
        left_out_(left_out),
        origins_(unit, debug_info) {}

  Result<Program> Compile(std::span<const FunctionId> functions) && {
    for (const FunctionId function : functions) Ask(function);
    for (size_t i = 0; i < asked_.size(); ++i) {
      const std::string name(unit_.text(unit_.function(asked_[i]).name));
      const size_t compiled_count = program_.functions.size();
      if (Status status = CompileOne(asked_[i], name); !status) {
        Error error = std::move(status).error().In("function '" + name + "'");
        if (left_out_ == nullptr) return tl::unexpected<Error>(std::move(error));
        program_.functions.resize(compiled_count);
        left_out_->push_back({name, std::move(error)});
      }
    }
    return std::move(program_);
  }

 private:
  void Ask(FunctionId function) {
    if (!function.is_none() && known_.insert(function).second) asked_.push_back(function);
  }

  Status CompileOne(FunctionId id, const std::string& name) {
    HANDRAIL_ASSIGN_OR_RETURN(graph::Graph graph, graph::InlineFunction(id, body_of_));
    std::vector<StayingCall> calls;
    HANDRAIL_ASSIGN_OR_RETURN(EmittedFunction emitted, Emit(graph, external_, calls));
    Function& function = program_.functions.emplace_back(std::move(emitted.function));
    function.name = name;
    debug_info_.BeginFunction(name);
    function.handles.reserve(emitted.nodes.size());
    for (const graph::NodeId node : emitted.nodes) {
      HANDRAIL_ASSIGN_OR_RETURN(const DebugHandle handle,
                                debug_info_.AddNode(origins_.NameOf(graph.kind(node)),
                                                    origins_.RangeOf(graph.range(node)),
                                                    origins_.StackOf(graph.stack(node))));
      function.handles.push_back(handle);
    }
    HANDRAIL_RETURN_IF_ERROR(AddSchema(id, function));
    for (const StayingCall& call : calls) AskForTargets(call);
    return Verify(function);
  }

  Result<std::vector<Argument>> ArgumentsOf(std::span<const graph::Argument> arguments) const {
    std::vector<Argument> result;
    for (const graph::Argument& argument : arguments) {
      Argument& row = result.emplace_back();
      if (!argument.name.is_none()) row.name = unit_.text(argument.name);
      row.type = ToAnnotation(unit_.types, unit_.strings, argument.type);
      row.has_default = argument.has_default();
      if (row.has_default) {
        HANDRAIL_ASSIGN_OR_RETURN(row.default_value,
                                  ValueOf(unit_, argument.default_value, external_));
      }
    }
    return result;
  }

  Status AddSchema(FunctionId id, Function& function) const {
    const graph::SchemaId schema = unit_.function(id).schema;
    if (schema.is_none()) return {};
    HANDRAIL_ASSIGN_OR_RETURN(function.arguments, ArgumentsOf(unit_.schema(schema).arguments));
    HANDRAIL_ASSIGN_OR_RETURN(function.results, ArgumentsOf(unit_.schema(schema).results));
    return {};
  }

  // The methods that a call through an interface may reach: those of classes with all methods of
  // the interface.
  void AskForTargets(const StayingCall& call) {
    const graph::Definition* const receiver = unit_.DefinitionOf(call.receiver);
    if (receiver == nullptr || !receiver->is_interface()) return;
    for (uint32_t i = 0; i < unit_.definition_count(); ++i) {
      const graph::Definition& definition = unit_.definition({i});
      if (definition.is_interface()) continue;
      const bool fits = std::all_of(receiver->methods.begin(), receiver->methods.end(),
                                    [&](const graph::MethodDefinition& method) {
                                      return definition.FindMethod(method.name).has_value();
                                    });
      if (!fits) continue;
      const auto method = definition.FindMethod(call.method);
      if (method) Ask(definition.methods[*method].function);
    }
  }

  CompilationUnit& unit_;
  const graph::BodyOf& body_of_;
  const ExternalConstant& external_;
  DebugInfoBuilder& debug_info_;
  std::vector<LeftOutFunction>* left_out_;
  NodeOrigins origins_;
  Program program_;
  std::vector<FunctionId> asked_;  // in the order of the program
  std::unordered_set<FunctionId> known_;
};

}  // namespace

Result<Program> Compile(CompilationUnit& unit, std::span<const FunctionId> functions,
                        const graph::BodyOf& body_of, const ExternalConstant& external,
                        DebugInfoBuilder& debug_info, std::vector<LeftOutFunction>* left_out) {
  return Compiler(unit, body_of, external, debug_info, left_out).Compile(functions);
}

}  // namespace handrail::bytecode
