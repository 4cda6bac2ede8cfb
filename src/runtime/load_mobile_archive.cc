#include <fmt/format.h>

#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/mobile_archive/program_reader.h"
#include "handrail/torch_debug/torch_debug.h"

#include "runtime/load_archive.h"
#include "values/values.h"

namespace handrail::runtime {
namespace {

constexpr std::string_view kObjectsRecord = "data.pkl";
constexpr std::string_view kObjectsFolder = "data/";

// Damaged debug info must not keep a model from running.
void AddDebugInfo(std::span<const std::byte> bytes, const std::string& name, ModuleParts& parts) {
  Result<TorchDebugInfo> read = ReadTorchDebugInfo(bytes, name, {.check_bytecode = false});
  if (!read) {
    parts.warnings.push_back(read.error().message);
    return;
  }
  parts.build_id = read->build_id;
  for (const Error& warning : read->warnings) parts.warnings.push_back(warning.message);
  if (!read->has_debug_info) return;
  Result<std::vector<std::byte>> encoded = EncodeDebugMap(read->info);
  Result<DebugMap> map = encoded ? DebugMap::FromBytes(*std::move(encoded), name)
                                 : Result<DebugMap>(tl::unexpected<Error>(encoded.error()));
  if (map) {
    parts.debug_map = *std::move(map);
  } else {
    parts.warnings.push_back(map.error().message);
  }
}

}  // namespace

Result<ModuleParts> ReadMobileArchive(const Archive& archive, std::span<const std::byte> bytes,
                                      MemoryBudget& budget, std::shared_ptr<const void> owner) {
  ModuleParts parts;
  HANDRAIL_ASSIGN_OR_RETURN(mobile_archive::ReadProgramResult read,
                            mobile_archive::ReadProgram(bytes, archive.name(), owner));
  parts.program = std::move(read.program);
  for (const Error& warning : read.warnings) parts.warnings.push_back(warning.message);

  HANDRAIL_ASSIGN_OR_RETURN(
      const values::ObjectGraph objects,
      values::ReadObjectGraph(archive, kObjectsRecord, kObjectsFolder, budget));
  const auto sets_state = [&](std::string_view class_name) {
    return parts.program.Find(std::string(class_name) + ".__setstate__") != nullptr;
  };
  values::Instantiator instantiator(objects, {.owner = std::move(owner), .sets_state = sets_state});
  Result<values::Value> root = instantiator.ValueOf(objects.root());
  if (!root) {
    return tl::unexpected<Error>(
        std::move(root).error().In(fmt::format("{}: record '{}'", archive.name(), kObjectsRecord)));
  }
  parts.root = *std::move(root);
  parts.states = instantiator.TakeStates();
  AddDebugInfo(bytes, archive.name(), parts);
  return parts;
}

}  // namespace handrail::runtime
