#include "handrail/mobile_archive/mobile_archive.h"

#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "handrail/base/hash128.h"
#include "handrail/bytecode/bytecode.h"
#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/graph/loaded_module.h"
#include "handrail/torch_debug/torch_debug.h"

#include "archive/archive_edit.h"
#include "graph/lowered_class.h"
#include "mobile_archive/backend_units.h"
#include "mobile_archive/bytecode_writer.h"
#include "mobile_archive/exported_functions.h"
#include "mobile_archive/mobile_limits.h"
#include "torch_debug/bytecode_record.h"
#include "torch_debug/call_stacks.h"
#include "torch_debug/debug_record_writer.h"
#include "torch_debug/handle_record.h"
#include "torch_debug/own_records.h"
#include "torch_debug/tagged_ranges.h"

namespace handrail::mobile_archive {
namespace {

constexpr std::string_view kNewRangesName = "delegated_backends.debug_pkl";

class Maker {
 public:
  Maker(std::span<const std::byte> file, const Archive& archive, graph::LoadedModule module,
        MemoryBudget& budget)
      : file_(file),
        archive_(archive),
        module_(std::move(module)),
        budget_(budget),
        warnings_(archive.name()),
        constants_(module_.constants()),
        storages_(module_.constants(), constants_) {}

  Result<MobileArchive> Make() && {
    HANDRAIL_RETURN_IF_ERROR(ReadUnitsOfBlobs());
    HANDRAIL_RETURN_IF_ERROR(Compile());
    HANDRAIL_RETURN_IF_ERROR(InFile(AddBackendUnits(blobs_, debug_info_)));
    const std::vector<RangeTags::KnownTag> known = KnownTags();
    const DebugInfo info = std::move(debug_info_).Finish();
    HANDRAIL_RETURN_IF_ERROR(InFile(CheckForMobile(program_, module_.objects(), info)));

    ArchiveEdit edit;
    Result<std::string> bytecode = WriteBytecode(program_, storages_);
    HANDRAIL_RETURN_IF_ERROR(InFile(bytecode));
    edit.added.push_back({std::string(BytecodeRecord::kName), *std::move(bytecode)});
    edit.added.push_back({std::string(HandleRecord::kName), WriteHandles(program_)});
    const RangeTags tags(info, known);
    edit.added.push_back({std::string(kNewRangesName), WriteRangeRecord(info, tags)});
    edit.added.push_back(
        {std::string(kCallStackMapName), WriteCallStackMap(info, UnitOfAllHandles(info), tags)});
    HANDRAIL_ASSIGN_OR_RETURN(std::string key, BuildKeyOf(info));
    edit.added.push_back({std::string(kBuildKeyName), std::move(key)});

    MobileArchive result;
    HANDRAIL_ASSIGN_OR_RETURN(result.bytes, EditArchive(archive_, edit));
    result.warnings = module_.warnings();
    for (Error& warning : warnings_.Take()) result.warnings.push_back(std::move(warning));
    return result;
  }

 private:
  template <typename T>
  Status InFile(const Result<T>& result) const {
    if (result) return {};
    return tl::unexpected<Error>(Error(result.error()).In(archive_.name()));
  }

  Status Compile() {
    HANDRAIL_ASSIGN_OR_RETURN(const std::vector<graph::FunctionId> functions,
                              ExportedFunctions(module_));
    // The handles in blobs that others lowered are in no record, and may be any small numbers:
    // those of the bytecode keep away from them, lest a blob's handle lead to a line of the
    // bytecode.
    HANDRAIL_RETURN_IF_ERROR(
        debug_info_.BeginUnit({.kind = HasForeignBlobs() ? UnitKind::kBackend : UnitKind::kBytecode,
                               .key = HashBytes(file_)}));
    const auto body_of = [this](graph::FunctionId function) { return module_.GraphOf(function); };
    const auto constant = [this](uint32_t row) -> Result<values::Value> {
      const values::ObjectGraph& graph = module_.constants();
      return constants_.ValueOf(graph.elements(graph.root())[row]);
    };
    Result<bytecode::Program> program =
        bytecode::Compile(module_.unit(), functions, body_of, constant, debug_info_);
    HANDRAIL_RETURN_IF_ERROR(InFile(program));
    program_ = *std::move(program);
    return {};
  }

  Status ReadUnitsOfBlobs() {
    if (archive_.Find(kOwnDebugInfoName) == nullptr) return {};
    HANDRAIL_ASSIGN_OR_RETURN(TorchDebugInfo debug, ReadTorchDebugInfo(file_, archive_.name()));
    blobs_ = std::move(debug.info);
    return {};
  }

  // Whether there are more lowered modules than units that say what is in them.
  bool HasForeignBlobs() const {
    const values::ObjectGraph& objects = module_.objects();
    std::unordered_set<std::string_view> lowered;
    for (uint32_t row = 0; row < objects.size(); ++row) {
      if (objects.kind({row}) != values::ValueKind::kObject) continue;
      const std::string_view name = objects.class_name({row});
      if (graph::IsLoweredModule(name)) lowered.insert(name);
    }
    return lowered.size() > blobs_.units.size();
  }

  // A hash of all that handles stand for (own_records.h).
  static Result<std::string> BuildKeyOf(const DebugInfo& info) {
    HANDRAIL_ASSIGN_OR_RETURN(const std::vector<std::byte> map, EncodeDebugMap(info));
    return HashBytes(map).ToHex();
  }

  // The tags that the kept records give to ranges.
  std::vector<RangeTags::KnownTag> KnownTags() {
    TaggedRanges ranges(TaggedRanges::Use::kTagged, debug_info_, budget_, warnings_);
    for (const ArchiveRecord& record : archive_.records()) {
      if (!record.name.ends_with(kRangesSuffix)) continue;
      const Result<RecordBytes> content = archive_.Read(record, budget_);
      if (content) ranges.AddRecord(record.name, content->bytes());
    }
    ranges.Index();
    debug_info_.AddGap(RangeGap::kNull);  // the tag of nodes without a range
    std::vector<RangeTags::KnownTag> known;
    for (const int64_t tag : ranges.DefinedTags()) known.emplace_back(ranges.Find(tag), tag);
    return known;
  }

  std::span<const std::byte> file_;
  const Archive& archive_;
  graph::LoadedModule module_;
  MemoryBudget& budget_;
  WarningList warnings_;
  DebugInfo blobs_;  // with the units of what Handrail lowered
  DebugInfoBuilder debug_info_;
  values::Instantiator constants_;
  StorageNames storages_;
  bytecode::Program program_;
};

}  // namespace

Result<MobileArchive> MakeMobileArchive(std::span<const std::byte> file, std::string_view name) {
  HANDRAIL_ASSIGN_OR_RETURN(graph::LoadedModule module,
                            graph::LoadedModule::Load(file, std::string(name)));
  MemoryBudget budget(file.size());
  HANDRAIL_ASSIGN_OR_RETURN(const Archive archive, Archive::Open(file, std::string(name), budget));
  if (archive.Find(BytecodeRecord::kName) != nullptr) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: need a module archive, have one that has bytecode", name));
  }
  return Maker(file, archive, std::move(module), budget).Make();
}

}  // namespace handrail::mobile_archive
