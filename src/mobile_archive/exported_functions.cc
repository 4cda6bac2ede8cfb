#include "mobile_archive/exported_functions.h"

#include <optional>
#include <unordered_set>

namespace handrail::mobile_archive {
namespace {

using graph::Definition;
using graph::FunctionId;
using values::ValueId;
using values::ValueKind;

class Collector {
 public:
  explicit Collector(graph::LoadedModule& module)
      : module_(module), objects_(module.objects()), met_(objects_.size()) {}

  Result<std::vector<FunctionId>> Collect() && {
    const Definition& top = module_.unit().definition(module_.top());
    for (const graph::MethodDefinition& method : top.methods) Add(method.function);
    std::vector<ValueId> waiting{objects_.root()};
    while (!waiting.empty()) {
      const ValueId value = waiting.back();
      waiting.pop_back();
      if (met_[value.index]) continue;
      met_[value.index] = true;
      HANDRAIL_RETURN_IF_ERROR(Visit(value, waiting));
    }
    return std::move(functions_);
  }

 private:
  void Add(FunctionId function) {
    if (!function.is_none() && known_.insert(function).second) functions_.push_back(function);
  }

  std::optional<FunctionId> MethodOf(const Definition& definition, std::string_view name) const {
    const auto method = definition.FindMethod(module_.unit().strings.Find(name));
    if (!method) return std::nullopt;
    return definition.methods[*method].function;
  }

  Status Visit(ValueId value, std::vector<ValueId>& waiting) {
    const ValueKind kind = objects_.kind(value);
    if (kind == ValueKind::kObject) {
      HANDRAIL_RETURN_IF_ERROR(AddStateMethods(value));
      if (const ValueId state = objects_.state(value); !state.is_none()) waiting.push_back(state);
    } else if (kind == ValueKind::kList || kind == ValueKind::kTuple || kind == ValueKind::kDict) {
      const auto parts = objects_.elements(value);
      for (size_t i = parts.size(); i-- > 0;) waiting.push_back(parts[i]);
    }
    return {};
  }

  Status AddStateMethods(ValueId object) {
    const Result<graph::DefinitionId> id = module_.ClassNamed(objects_.class_name(object));
    if (!id) {
      // Custom classes of C++ are in no code.
      if (id.error().code == ErrorCode::kNotFound) return {};
      return tl::unexpected<Error>(id.error());
    }
    const Definition& definition = module_.unit().definition(*id);
    const auto sets = MethodOf(definition, "__setstate__");
    const auto gets = MethodOf(definition, "__getstate__");
    if (sets && gets) {
      Add(*sets);
      Add(*gets);
    }
    return {};
  }

  graph::LoadedModule& module_;
  const values::ObjectGraph& objects_;
  std::vector<bool> met_;  // by ValueId
  std::vector<FunctionId> functions_;
  std::unordered_set<FunctionId> known_;
};

}  // namespace

Result<std::vector<FunctionId>> ExportedFunctions(graph::LoadedModule& module) {
  return Collector(module).Collect();
}

}  // namespace handrail::mobile_archive
