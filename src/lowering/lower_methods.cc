#include "handrail/lowering/lower_methods.h"

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "handrail/inlining/inlining.h"
#include "handrail/lowering/backend_debug_info_recorder.h"
#include "handrail/lowering/lowering_key.h"
#include "handrail/values/instantiate.h"

#include "values/value_writer.h"

namespace handrail {
namespace {

using graph::Definition;
using graph::DefinitionId;
using graph::FunctionId;
using graph::LoadedModule;

class MethodsLowering {
 public:
  MethodsLowering(LoadedModule& module, std::string_view module_path)
      : module_(module), unit_(module.unit()), module_path_(module_path) {}

  Status Find(std::span<const std::string> methods) {
    HANDRAIL_RETURN_IF_ERROR(FindModule());
    for (const std::string& name : methods) HANDRAIL_RETURN_IF_ERROR(AddMethod(name));
    return {};
  }

  Result<LoweredMethods> GiveTo(const Backend& backend, const values::Value& compile_spec,
                                const Hash128& key) {
    ModuleToLower to_lower{.type_name = class_name_,
                           .methods = methods_,
                           .object = {},
                           .states = {},
                           .external_constant = {}};
    HANDRAIL_RETURN_IF_ERROR(MakeObject(to_lower));
    values::Instantiator constants(module_.constants());
    to_lower.external_constant = [&](uint32_t row) {
      return constants.ValueOf(module_.constants().elements(module_.constants().root())[row]);
    };
    BackendDebugInfoRecorder recorder(unit_, {.key = key, .top_type = class_name_});
    LoweredMethods lowered;
    HANDRAIL_ASSIGN_OR_RETURN(
        lowered.blob, backend.Preprocess(to_lower, compile_spec, [&](const graph::Graph& graph) {
          recorder.BeginFunction(FunctionOf(graph));
          return recorder.GenerateDebugHandles(graph);
        }));
    HANDRAIL_ASSIGN_OR_RETURN(lowered.debug_info, recorder.StopRecording());
    return lowered;
  }

  // The lowering's own key, or another one made of it if its handle space is taken.
  Result<Hash128> Key(std::string_view backend_name, const values::Value& compile_spec,
                      const DebugInfo* other_lowerings) const {
    PickleWriter options;
    const values::StorageNameOf name_of = [](const values::Tensor& tensor) {
      return Result<values::StorageName>(
          values::StorageName{"", "", tensor.buffer()->size() / tensor.element_bytes()});
    };
    HANDRAIL_RETURN_IF_ERROR(values::WriteValue(compile_spec, name_of, options));
    const Hash128 key = LoweringKey({.backend = backend_name,
                                     .module_type = class_name_,
                                     .module_path = module_path_,
                                     .options = std::move(options).Finish()},
                                    unit_, methods_);
    std::map<uint32_t, Hash128> taken;
    if (other_lowerings != nullptr) {
      for (const Unit& unit : other_lowerings->units) {
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

 private:
  Status FindModule() {
    const values::ObjectGraph& objects = module_.objects();
    object_ = objects.root();
    std::string_view rest = module_path_;
    while (!rest.empty()) {
      const size_t dot = rest.find('.');
      object_ = objects.FindAttribute(object_, rest.substr(0, dot));
      if (object_.is_none() || objects.kind(object_) != values::ValueKind::kObject) {
        return Fail(ErrorCode::kNotFound,
                    fmt::format("module path '{}' leads to no module", module_path_));
      }
      rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    }
    class_name_ = objects.class_name(object_);
    HANDRAIL_ASSIGN_OR_RETURN(definition_, module_.ClassNamed(class_name_));
    return {};
  }

  Status AddMethod(const std::string& name) {
    const Definition& definition = unit_.definition(definition_);
    const auto row = definition.FindMethod(unit_.strings.Intern(name));
    if (!row) {
      return Fail(ErrorCode::kNotFound, fmt::format("{} has no method '{}'", class_name_, name));
    }
    Result<graph::Graph> graph =
        graph::InlineFunction(definition.methods[*row].function,
                              [this](FunctionId callee) { return module_.GraphOf(callee); });
    if (!graph) {
      return tl::unexpected<Error>(
          std::move(graph).error().In(fmt::format("method '{}' of {}", name, class_name_)));
    }
    graphs_.push_back(*std::move(graph));
    methods_.push_back({name, &graphs_.back()});
    return {};
  }

  std::string FunctionOf(const graph::Graph& graph) const {
    for (const MethodToLower& method : methods_) {
      if (method.graph == &graph) return class_name_ + "." + method.name;
    }
    return {};
  }

  Status MakeObject(ModuleToLower& to_lower) {
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
    values::Instantiator instantiator(module_.objects(), std::move(options));
    HANDRAIL_ASSIGN_OR_RETURN(to_lower.object, instantiator.ValueOf(object_));
    to_lower.states = instantiator.TakeStates();
    return {};
  }

  LoadedModule& module_;
  graph::CompilationUnit& unit_;
  std::string_view module_path_;
  values::ValueId object_;
  std::string class_name_;
  DefinitionId definition_;
  std::deque<graph::Graph> graphs_;
  std::vector<MethodToLower> methods_;
};

}  // namespace

Result<LoweredMethods> LowerMethods(graph::LoadedModule& module, const Backend& backend,
                                    std::string_view backend_name,
                                    std::span<const std::string> methods,
                                    const values::Value& compile_spec, std::string_view module_path,
                                    const DebugInfo* other_lowerings) {
  MethodsLowering lowering(module, module_path);
  HANDRAIL_RETURN_IF_ERROR(lowering.Find(methods));
  HANDRAIL_ASSIGN_OR_RETURN(const Hash128 key,
                            lowering.Key(backend_name, compile_spec, other_lowerings));
  return lowering.GiveTo(backend, compile_spec, key);
}

}  // namespace handrail
