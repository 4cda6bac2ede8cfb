#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/graph/loaded_module.h"

#include "graph/lowered_class.h"
#include "runtime/load_archive.h"
#include "torch_debug/own_records.h"

namespace handrail::runtime {
namespace {

using graph::FunctionId;
using values::Value;

class ModuleArchiveReader {
 public:
  ModuleArchiveReader(graph::LoadedModule& module, std::shared_ptr<const void> owner)
      : module_(module),
        owner_(std::move(owner)),
        objects_(module.objects(), InstantiateOptions()),
        constants_(module.constants(), InstantiateOptions()) {}

  // Everything but the debug map of lowered parts.
  Result<ModuleParts> Read(DebugInfoBuilder& debug_info) {
    ModuleParts parts;
    HANDRAIL_ASSIGN_OR_RETURN(parts.root, objects_.ValueOf(module_.objects().root()));
    if (fault_) return tl::unexpected<Error>(*fault_);
    parts.states = objects_.TakeStates();
    HANDRAIL_RETURN_IF_ERROR(BeginUnit(debug_info, parts.states));
    HANDRAIL_ASSIGN_OR_RETURN(
        parts.program,
        bytecode::Compile(
            module_.unit(), Functions(parts.states),
            [this](FunctionId function) { return module_.GraphOf(function); },
            [this](uint32_t row) { return Constant(row); }, debug_info, &parts.left_out));
    for (values::ObjectState& state : constants_.TakeStates()) {
      parts.states.push_back(std::move(state));
    }
    for (const Error& warning : module_.warnings()) parts.warnings.push_back(warning.message);
    return parts;
  }

 private:
  values::InstantiateOptions InstantiateOptions() {
    return {.owner = owner_,
            .attributes_of = [this](std::string_view name) { return AttributesOf(name); },
            .sets_state = [this](std::string_view name) { return SetsState(name); }};
  }

  const graph::Definition* ClassNamed(std::string_view name) {
    const Result<graph::DefinitionId> id = module_.ClassNamed(name);
    if (id) return &module_.unit().definition(*id);
    if (!fault_) fault_ = id.error();
    return nullptr;
  }
  std::vector<std::string> AttributesOf(std::string_view name) {
    std::vector<std::string> attributes;
    if (const graph::Definition* const definition = ClassNamed(name)) {
      for (const graph::AttributeDefinition& attribute : definition->attributes) {
        attributes.emplace_back(module_.unit().text(attribute.name));
      }
    }
    return attributes;
  }
  FunctionId SetStateOf(std::string_view name) {
    const graph::Definition* const definition = ClassNamed(name);
    const StringId method = module_.unit().strings.Find("__setstate__");
    if (definition == nullptr || method.is_none()) return FunctionId::none();
    const auto row = definition->FindMethod(method);
    return row ? definition->methods[*row].function : FunctionId::none();
  }
  bool SetsState(std::string_view name) { return !SetStateOf(name).is_none(); }

  // The top module's methods, and those that set states.
  std::vector<FunctionId> Functions(const std::vector<values::ObjectState>& states) {
    std::vector<FunctionId> functions;
    for (const graph::MethodDefinition& method : module_.unit().definition(module_.top()).methods) {
      functions.push_back(method.function);
    }
    for (const values::ObjectState& state : states) {
      functions.push_back(SetStateOf(state.object->object_class().name));
    }
    return functions;
  }

  Result<Value> Constant(uint32_t row) {
    const values::ObjectGraph& constants = module_.constants();
    const auto rows = constants.root().is_none() ? std::span<const values::ValueId>()
                                                 : constants.elements(constants.root());
    if (row >= rows.size()) {
      return Fail(ErrorCode::kCorrupt,
                  fmt::format("constant {}: the archive has {}", row, rows.size()));
    }
    return constants_.ValueOf(rows[row]);
  }

  // The handles in blobs that others lowered may be any small numbers: those of the program keep
  // away from them, lest a blob's handle lead to a line of the program.
  Status BeginUnit(DebugInfoBuilder& debug_info,
                   const std::vector<values::ObjectState>& states) const {
    const bool has_blobs =
        std::any_of(states.begin(), states.end(), [](const values::ObjectState& state) {
          return graph::IsLoweredModule(state.object->object_class().name);
        });
    const graph::Definition& top = module_.unit().definition(module_.top());
    const std::string_view type = module_.unit().text(top.name);
    return debug_info.BeginUnit({.kind = has_blobs ? UnitKind::kBackend : UnitKind::kBytecode,
                                 .key = FieldHasher().Add("run").Add(type).Finish(),
                                 .top_type = type});
  }

  graph::LoadedModule& module_;
  std::shared_ptr<const void> owner_;
  values::Instantiator objects_;
  values::Instantiator constants_;
  std::optional<Error> fault_;  // of a class that an object names
};

Result<DebugMap> MapOf(DebugInfo own, const Archive& archive, MemoryBudget& budget,
                       std::vector<std::string>& warnings) {
  Result<DebugInfo> lowered = ReadOwnUnits(archive, budget);
  if (!lowered) {
    warnings.push_back(lowered.error().message);
  } else if (!lowered->units.empty()) {
    const DebugInfo* const infos[] = {&own, &*lowered};
    Result<DebugInfo> merged = MergeDebugInfo(infos);
    if (merged) {
      own = *std::move(merged);
    } else {
      warnings.push_back(merged.error().message);
    }
  }
  HANDRAIL_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, EncodeDebugMap(own));
  return DebugMap::FromBytes(std::move(bytes), archive.name());
}

}  // namespace

Result<ModuleParts> ReadModuleArchive(const Archive& archive, std::span<const std::byte> bytes,
                                      MemoryBudget& budget, std::shared_ptr<const void> owner) {
  HANDRAIL_ASSIGN_OR_RETURN(graph::LoadedModule module,
                            graph::LoadedModule::Load(bytes, archive.name()));
  DebugInfoBuilder debug_info;
  HANDRAIL_ASSIGN_OR_RETURN(ModuleParts parts,
                            ModuleArchiveReader(module, std::move(owner)).Read(debug_info));
  HANDRAIL_ASSIGN_OR_RETURN(parts.debug_map,
                            MapOf(std::move(debug_info).Finish(), archive, budget, parts.warnings));
  return parts;
}

}  // namespace handrail::runtime
