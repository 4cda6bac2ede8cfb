#include "lowering/backend_call.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "handrail/inlining/inlining.h"
#include "handrail/lowering/backend_debug_info_recorder.h"
#include "handrail/lowering/lowering_key.h"
#include "handrail/values/instantiate.h"

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
    for (const std::string& name : names) HANDRAIL_RETURN_IF_ERROR(AddMethod(name, part));
    ModuleToLower to_lower{.type_name = call_.class_name,
                           .methods = methods_,
                           .object = {},
                           .states = {},
                           .external_constant = {}};
    HANDRAIL_RETURN_IF_ERROR(MakeObject(to_lower));
    values::Instantiator constants(module_.constants());
    to_lower.external_constant = [&](uint32_t row) {
      return constants.ValueOf(module_.constants().elements(module_.constants().root())[row]);
    };
    part.compile_spec = CompileSpec(names);

    BackendDebugInfoRecorder recorder(unit_, {.key = Key(), .top_type = call_.class_name});
    HANDRAIL_ASSIGN_OR_RETURN(
        part.blob, backend.Preprocess(to_lower, part.compile_spec, [&](const graph::Graph& graph) {
          recorder.BeginFunction(FunctionOf(graph));
          return recorder.GenerateDebugHandles(graph);
        }));
    HANDRAIL_ASSIGN_OR_RETURN(part.debug_info, recorder.StopRecording());
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
      const Definition* const interface = unit_.DefinitionOf(type);
      if (interface != nullptr && interface->is_interface()) {
        for (const graph::MethodDefinition& method : interface->methods) add(method.name);
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

  Status AddMethod(const std::string& name, LoweredPart& part) {
    const FunctionId function = MethodNamed(name);
    const graph::BodyOf body_of = [this](FunctionId callee) { return module_.GraphOf(callee); };
    Result<graph::Graph> graph = graph::InlineFunction(function, body_of);
    if (!graph) {
      return tl::unexpected<Error>(
          std::move(graph).error().In(fmt::format("method '{}' of {}", name, call_.class_name)));
    }
    graphs_.push_back(*std::move(graph));
    methods_.push_back({name, &graphs_.back()});

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
    return {};
  }

  std::string FunctionOf(const graph::Graph& graph) const {
    for (const MethodToLower& method : methods_) {
      if (method.graph == &graph) return call_.class_name + "." + method.name;
    }
    return {};
  }

  Status MakeObject(ModuleToLower& to_lower) {
    const values::ObjectGraph& objects = module_.objects();
    values::ValueId row = objects.root();
    std::string_view rest = selection_.module_path;
    while (!rest.empty()) {
      const size_t dot = rest.find('.');
      row = objects.FindAttribute(row, rest.substr(0, dot));
      if (row.is_none()) {
        return Fail(ErrorCode::kNotFound,
                    fmt::format("module path '{}' leads nowhere", selection_.module_path));
      }
      rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    }
    values::InstantiateOptions options;
    options.attributes_of = [this](std::string_view class_name) {
      std::vector<std::string> names;
      const Result<DefinitionId> id = module_.ClassNamed(class_name);
      if (!id) return names;
      for (const graph::AttributeDefinition& attribute : unit_.definition(*id).attributes) {
        names.emplace_back(unit_.text(attribute.name));
      }
      return names;
    };
    options.sets_state = [this](std::string_view class_name) {
      const Result<DefinitionId> id = module_.ClassNamed(class_name);
      return id && unit_.definition(*id).FindMethod(unit_.strings.Intern("__setstate__"));
    };
    values::Instantiator instantiator(objects, std::move(options));
    HANDRAIL_ASSIGN_OR_RETURN(to_lower.object, instantiator.ValueOf(row));
    to_lower.states = instantiator.TakeStates();
    return {};
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

  // The lowering's own key, or another one made of it if its handle space is taken.
  Hash128 Key() const {
    std::string options;
    for (const auto& [key, value] : selection_.options) {
      options += fmt::format("{}:{}={}:{}\n", key.size(), key, value.size(), value);
    }
    const Hash128 key = LoweringKey({.backend = selection_.backend,
                                     .module_type = call_.class_name,
                                     .module_path = selection_.module_path,
                                     .options = options},
                                    unit_, methods_);
    std::map<uint32_t, Hash128> taken;
    if (call_.other_lowerings != nullptr) {
      for (const Unit& unit : call_.other_lowerings->units) {
        if (unit.kind != UnitKind::kBackend || unit.handles.empty()) continue;
        // Handles ascend: the spaces of a unit are few, and each is one run.
        uint32_t space = HandleSpaceOf(unit.handles.front());
        taken.emplace(space, unit.key);
        for (const DebugHandle handle : unit.handles) {
          if (HandleSpaceOf(handle) == space) continue;
          space = HandleSpaceOf(handle);
          taken.emplace(space, unit.key);
        }
      }
    }
    Hash128 free = key;
    for (uint64_t salt = 1;; ++salt) {
      const auto clash = taken.find(HandleSpaceForKey(free, 0));
      if (clash == taken.end() || clash->second == free) return free;
      free = SaltedKey(key, salt);
    }
  }

  LoadedModule& module_;
  graph::CompilationUnit& unit_;
  const LowerSelection& selection_;
  const BackendCall& call_;
  DefinitionId definition_;
  std::deque<graph::Graph> graphs_;
  std::vector<MethodToLower> methods_;
};

}  // namespace

Result<LoweredPart> CallBackend(LoadedModule& module, const LowerSelection& selection,
                                const BackendCall& call, const Backend& backend) {
  return Caller(module, selection, call).Call(backend);
}

}  // namespace handrail
