// Archives for the mobile runtime (.ptl): bytecode, handles, and what the handles stand for.
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "archive/quoted.h"
#include "torch_debug/build_id.h"
#include "torch_debug/bytecode_record.h"
#include "torch_debug/call_stacks.h"
#include "torch_debug/file_readers.h"
#include "torch_debug/handle_nodes.h"
#include "torch_debug/handle_record.h"
#include "torch_debug/module_paths.h"
#include "torch_debug/own_records.h"
#include "torch_debug/tagged_ranges.h"

namespace handrail {
namespace {

constexpr std::string_view kDataName = "data.pkl";

// A record that is asked for by name.
struct NamedRecord {
  bool is_present = false;
  std::optional<RecordBytes> content;  // nothing if absent or unreadable

  BuildIdRecord ForBuildId() const {
    BuildIdRecord record{.is_present = is_present, .content = {}};
    if (content) record.content = content->bytes();
    return record;
  }
};

class MobileReader {
 public:
  MobileReader(const Archive& archive, const TorchReadOptions& options, MemoryBudget& budget,
               DebugInfoBuilder& builder, WarningList& warnings, TorchDebugInfo& result)
      : archive_(archive),
        options_(options),
        budget_(budget),
        builder_(builder),
        warnings_(warnings),
        result_(result),
        functions_charge_(budget) {}

  Status Run();

 private:
  NamedRecord Read(std::string_view name);
  void ReadHandles(const NamedRecord& record);
  void ReadBytecode(const NamedRecord& record);
  void CompareFunctions();
  void ListFunctions();
  void AddFunction(std::string_view name, size_t instruction_count, size_t handle_count);
  void ReadRanges(TaggedRanges& ranges);
  Status AddNodes(TaggedRanges& ranges);
  void WarnUnreadable(std::string_view record, Error error) {
    warnings_.Add(record, error.code == ErrorCode::kLimit ? Fault::kMemory : Fault::kRecord,
                  std::move(error));
  }

  const Archive& archive_;
  const TorchReadOptions& options_;
  MemoryBudget& budget_;
  DebugInfoBuilder& builder_;
  WarningList& warnings_;
  TorchDebugInfo& result_;
  MemoryCharge functions_charge_;
  std::optional<HandleRecord> handles_;
  std::optional<BytecodeRecord> bytecode_;
};

NamedRecord MobileReader::Read(std::string_view name) {
  NamedRecord record;
  record.is_present = archive_.Find(name) != nullptr;
  if (!record.is_present) return record;
  Result<RecordBytes> content = archive_.Read(name, budget_);
  if (content) {
    record.content = *std::move(content);
  } else {
    warnings_.AddWhole(name, Fault::kRecord, std::move(content).error());
  }
  return record;
}

void MobileReader::ReadHandles(const NamedRecord& record) {
  result_.has_debug_handles = record.is_present;
  if (!record.content) return;
  Result<HandleRecord> handles = HandleRecord::Read(record.content->bytes(), budget_, warnings_);
  if (!handles) return WarnUnreadable(HandleRecord::kName, std::move(handles).error());
  handles_ = *std::move(handles);
  result_.bytecode_version = handles_->version();
}

void MobileReader::ReadBytecode(const NamedRecord& record) {
  if (!record.is_present) {
    return warnings_.Add(BytecodeRecord::kName, Fault::kRecord, ErrorCode::kNotFound,
                         [] { return "need it in a mobile archive, have none"; });
  }
  if (!record.content || !options_.check_bytecode) return;
  Result<BytecodeRecord> bytecode =
      BytecodeRecord::Read(record.content->bytes(), budget_, warnings_);
  if (!bytecode) return WarnUnreadable(BytecodeRecord::kName, std::move(bytecode).error());
  bytecode_ = *std::move(bytecode);
  result_.bytecode_version = bytecode_->version();
}

// The checks of PyTorch's loader, which refuses the file where they fail. The handles stay what
// they are: each is named in full.
void MobileReader::CompareFunctions() {
  if (!bytecode_ || !handles_) return;
  const auto& functions = bytecode_->functions();
  if (functions.size() != handles_->entry_count()) {
    warnings_.Add(HandleRecord::kName, Fault::kFunctionCount, ErrorCode::kConflict, [&] {
      return fmt::format("need {} functions (from bytecode.pkl), have {}", functions.size(),
                         handles_->entry_count());
    });
  }
  for (const HandleRecord::Function& function : handles_->functions()) {
    if (function.index >= functions.size()) continue;
    const BytecodeRecord::Function& code = functions[function.index];
    if (code.name.empty()) continue;  // has its own warning
    if (code.name != function.name) {
      warnings_.Add(HandleRecord::kName, Fault::kFunctionName, ErrorCode::kConflict, [&] {
        return fmt::format("entry {}: need function {} (from bytecode.pkl), have {}",
                           function.index + 1, Quoted(code.name), Quoted(function.name));
      });
    }
    if (code.instruction_count && *code.instruction_count != function.handles.size()) {
      warnings_.Add(HandleRecord::kName, Fault::kInstructionCount, ErrorCode::kConflict, [&] {
        return fmt::format(
            "function {}: need {} debug handles (instructions in bytecode.pkl), have {}",
            Quoted(function.name), *code.instruction_count, function.handles.size());
      });
    }
  }
}

void MobileReader::AddFunction(std::string_view name, size_t instruction_count,
                               size_t handle_count) {
  const Status status = functions_charge_.Take(name.size() + kTorchFunctionBytes, "function names");
  if (!status) {
    return warnings_.Add(BytecodeRecord::kName, Fault::kMemory, status.error());
  }
  result_.functions.push_back(TorchFunction{std::string(name), instruction_count, handle_count});
}

void MobileReader::ListFunctions() {
  if (bytecode_) {
    for (const BytecodeRecord::Function& function : bytecode_->functions()) {
      AddFunction(function.name, function.instruction_count.value_or(0), 0);
    }
  }
  if (!handles_) return;
  for (const HandleRecord::Function& function : handles_->functions()) {
    if (!bytecode_) {
      AddFunction(function.name, function.handles.size(), function.handles.size());
    } else if (function.index < result_.functions.size() &&
               result_.functions[function.index].name == function.name) {
      result_.functions[function.index].handle_count = function.handles.size();
    }
  }
}

void MobileReader::ReadRanges(TaggedRanges& ranges) {
  // In the order of the directory, as PyTorch: where records disagree on a tag, the first counts.
  for (const ArchiveRecord& record : archive_.records()) {
    if (!record.name.ends_with(kRangesSuffix)) continue;
    Result<RecordBytes> content = archive_.Read(record, budget_);
    if (content) {
      ranges.AddRecord(record.name, content->bytes());
    } else {
      warnings_.AddWhole(record.name, Fault::kRecord, std::move(content).error());
    }
  }
  ranges.Index();
}

Status MobileReader::AddNodes(TaggedRanges& ranges) {
  NamedRecord map = Read(kCallStackMapName);
  const bool has_module_paths = archive_.Find(kModulePathsName) != nullptr;
  result_.has_debug_info = map.is_present || has_module_paths;
  // Both records number what they know on their own: what has handles counts by them.
  if (has_module_paths && !map.is_present && !result_.has_debug_handles) {
    const NamedRecord paths = Read(kModulePathsName);
    if (!paths.content) return {};
    return AddModulePathNodes(paths.content->bytes(), bytecode_ ? &*bytecode_ : nullptr, ranges,
                              builder_, budget_, warnings_);
  }
  bytecode_.reset();
  HandleNodesInput input;
  input.handles = std::move(handles_);
  if (map.is_present && !map.content) input.gap_without_map = RangeGap::kDamagedRecord;
  input.call_stack_map = std::move(map.content);
  return AddHandleNodes(std::move(input), ranges, builder_, budget_, warnings_);
}

Status MobileReader::Run() {
  result_.kind = TorchFileKind::kMobile;
  const NamedRecord handles = Read(HandleRecord::kName);
  ReadHandles(handles);
  const NamedRecord bytecode = Read(BytecodeRecord::kName);
  ReadBytecode(bytecode);
  CompareFunctions();
  ListFunctions();
  {
    const NamedRecord data = Read(kDataName);
    if (data.content) result_.top_type = RootTypeOf(data.content->bytes());
    const NamedRecord key = Read(kBuildKeyName);
    result_.build_id = BuildIdOfMobile(archive_, bytecode.ForBuildId(), handles.ForBuildId(),
                                       data.ForBuildId(), key.ForBuildId());
  }
  if (result_.top_type.empty() && !result_.functions.empty()) {
    result_.top_type = ClassOfMethod(result_.functions.front().name);
  }
  TaggedRanges ranges(TaggedRanges::Use::kTagged, builder_, budget_, warnings_);
  ReadRanges(ranges);
  HANDRAIL_RETURN_IF_ERROR(builder_.BeginUnit({.kind = UnitKind::kForeign,
                                               .key = UnitKeyOf(result_.build_id),
                                               .build_id = result_.build_id,
                                               .top_type = result_.top_type}));
  if (Status status = AddNodes(ranges); !status) {
    WarnUnreadable(archive_.Find(kCallStackMapName) != nullptr ? kCallStackMapName
                   : result_.has_debug_handles                 ? HandleRecord::kName
                                                               : kModulePathsName,
                   std::move(status).error());
  }
  return {};
}

}  // namespace

bool IsMobileArchive(const Archive& archive) {
  for (const std::string_view name :
       {BytecodeRecord::kName, HandleRecord::kName, kCallStackMapName, kModulePathsName}) {
    if (archive.Find(name) != nullptr) return true;
  }
  return false;
}

Status ReadMobileArchive(const Archive& archive, const TorchReadOptions& options,
                         MemoryBudget& budget, DebugInfoBuilder& builder, WarningList& warnings,
                         TorchDebugInfo& result) {
  return MobileReader(archive, options, budget, builder, warnings, result).Run();
}

}  // namespace handrail
