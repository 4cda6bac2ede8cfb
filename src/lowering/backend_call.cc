#include "lowering/backend_call.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "handrail/lowering/lower_methods.h"

#include "lowering/handle_order.h"

namespace handrail {
namespace {

using graph::Definition;
using graph::DefinitionId;
using graph::FunctionId;
using graph::LoadedModule;

constexpr std::string_view kForward = "forward";

class Caller {
 public:
  Caller(LoadedModule& module, const LowerSelection& selection, const BackendCall& call)
      : module_(module), unit_(module.unit()), selection_(selection), call_(call) {}

  Result<LoweredPart> Call(const Backend& backend) {
    HANDRAIL_ASSIGN_OR_RETURN(definition_, module_.ClassNamed(call_.class_name));
    HANDRAIL_ASSIGN_OR_RETURN(const std::vector<std::string> names, MethodNames());
    LoweredPart part;
    part.compile_spec = CompileSpec(names);
    HANDRAIL_ASSIGN_OR_RETURN(
        LoweredMethods lowered,
        LowerMethods(module_, backend, selection_.backend, names, part.compile_spec,
                     selection_.module_path, call_.other_lowerings));
    // Once the methods are compiled, all result types are known.
    for (const std::string& name : names) AddSignature(name, part);
    part.blob = std::move(lowered.blob);
    part.debug_info = std::move(lowered.debug_info);
    return part;
  }

 private:
  const Definition& definition() const { return unit_.definition(definition_); }

  FunctionId MethodNamed(std::string_view name) const {
    const StringId id = unit_.strings.Find(name);
    if (id.is_none()) return FunctionId::none();
    const auto row = definition().FindMethod(id);
    return row ? definition().methods[*row].function : FunctionId::none();
  }

  Result<std::vector<std::string>> MethodNames() {
    std::vector<std::string> names = selection_.methods;
    if (names.empty()) {
      if (!MethodNamed(kForward).is_none()) names.emplace_back(kForward);
      for (const ModuleCaller& caller : call_.callers) {
        HANDRAIL_RETURN_IF_ERROR(AddCalled(caller, names));
      }
    }
    if (names.empty()) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{} has no method 'forward', and no other module calls one of its "
                              "methods: name those to lower",
                              call_.class_name));
    }
    for (const std::string& name : names) {
      if (MethodNamed(name).is_none()) {
        return Fail(ErrorCode::kNotFound,
                    fmt::format("{} has no method '{}'", call_.class_name, name));
      }
    }
    return names;
  }

  // The methods that a module calls of what is in its attribute.
  Status AddCalled(const ModuleCaller& caller, std::vector<std::string>& names) {
    HANDRAIL_ASSIGN_OR_RETURN(const DefinitionId id, module_.ClassNamed(caller.class_name));
    const auto add = [&](StringId method) {
      const std::string name(unit_.text(method));
      const bool is_known = std::find(names.begin(), names.end(), name) != names.end();
      if (!is_known && !MethodNamed(name).is_none()) names.push_back(name);
    };
    const auto row = unit_.definition(id).FindAttribute(unit_.strings.Intern(caller.attribute));
    if (row) {
      const graph::TypeId type =
          unit_.types.WithoutOptional(unit_.definition(id).attributes[*row].type);
      const Definition* const held = unit_.DefinitionOf(type);
      if (held != nullptr && held->is_interface()) {
        // Whichever module stands behind it, these may be called.
        HANDRAIL_ASSIGN_OR_RETURN(const DefinitionId interface,
                                  module_.ClassNamed(unit_.text(held->name)));
        for (const graph::MethodDefinition& method : unit_.definition(interface).methods) {
          add(method.name);
        }
        return {};
      }
    }
    std::vector<FunctionId> functions;
    for (const graph::MethodDefinition& method : unit_.definition(id).methods) {
      functions.push_back(method.function);
    }
    for (const FunctionId function : functions) {
      HANDRAIL_ASSIGN_OR_RETURN(const graph::Graph* const graph, module_.GraphOf(function));
      ForEachNodeInHandleOrder(*graph, [&](graph::NodeId node) {
        if (graph->kind(node) == graph::symbols::kCallMethod &&
            graph->type(graph->input(node, 0)) == definition().type) {
          add(graph->name(node));
        }
        return true;
      });
    }
    return {};
  }

  std::string Annotation(graph::TypeId type) const {
    return graph::ToAnnotation(unit_.types, unit_.strings, type);
  }

  void AddSignature(const std::string& name, LoweredPart& part) const {
    const FunctionId function = MethodNamed(name);
    const graph::Schema& schema = unit_.schema(unit_.function(function).schema);
    LoweredMethod& method = part.methods.emplace_back();
    method.name = name;
    for (size_t i = 1; i < schema.arguments.size(); ++i) {
      const graph::Argument& argument = schema.arguments[i];
      method.arguments.push_back(
          {std::string(unit_.text(argument.name)), Annotation(argument.type)});
    }
    const graph::TypeId result =
        schema.results.empty() ? graph::types::kNone : schema.results[0].type;
    method.result_type = Annotation(result);
    method.returns_tuple = unit_.types.is(result, graph::TypeKind::kTuple) &&
                           !unit_.types.is_named_tuple(result) &&
                           !unit_.types.elements(result).empty();
    if (method.returns_tuple) {
      for (const graph::TypeId element : unit_.types.elements(result)) {
        method.output_types.push_back(Annotation(element));
      }
    } else {
      method.output_types.push_back(method.result_type);
    }
  }

  values::Value CompileSpec(const std::vector<std::string>& names) const {
    auto spec = values::MakeRef<values::Dict>();
    spec->type_text = "Dict[str, Any]";
    for (const std::string& name : names) {
      if (selection_.options.empty()) {
        spec->Set(values::Value(name), values::Value(""));
        continue;
      }
      auto options = values::MakeRef<values::Dict>();
      options->type_text = "Dict[str, str]";
      for (const auto& [key, value] : selection_.options) {
        options->Set(values::Value(key), values::Value(value));
      }
      spec->Set(values::Value(name), values::Value(std::move(options)));
    }
    return values::Value(std::move(spec));
  }

  LoadedModule& module_;
  graph::CompilationUnit& unit_;
  const LowerSelection& selection_;
  const BackendCall& call_;
  DefinitionId definition_;
};

}  // namespace

Result<LoweredPart> CallBackend(LoadedModule& module, const LowerSelection& selection,
                                const BackendCall& call, const Backend& backend) {
  return Caller(module, selection, call).Call(backend);
}

}  // namespace handrail
