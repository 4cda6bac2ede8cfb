#include "handrail/mobile_archive/program_reader.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "archive/archive.h"
#include "archive/quoted.h"
#include "mobile_archive/function_reader.h"
#include "torch_debug/bytecode_record.h"
#include "torch_debug/handle_record.h"
#include "values/values.h"

namespace handrail::mobile_archive {
namespace {

using bytecode::Function;
using bytecode::Program;
using values::ObjectGraph;
using values::ValueId;
using values::ValueKind;

constexpr int64_t kOldestVersion = 4;
constexpr int64_t kNewestVersion = 9;

class ProgramReader {
 public:
  ProgramReader(const Archive& archive, MemoryBudget& budget, uint64_t file_size)
      : archive_(archive), budget_(budget), program_budget_(file_size) {}

  Result<Program> Read(std::shared_ptr<const void> owner) {
    const std::string_view folder = HasOldConstants() ? "bytecode/" : "constants/";
    HANDRAIL_ASSIGN_OR_RETURN(
        const ObjectGraph graph,
        values::ReadObjectGraph(archive_, BytecodeRecord::kName, folder, budget_));
    Result<Program> program = Convert(graph, std::move(owner));
    if (!program) {
      return tl::unexpected<Error>(std::move(program).error().In(
          fmt::format("{}: record '{}'", archive_.name(), BytecodeRecord::kName)));
    }
    return program;
  }

  // Gives functions their handles.
  void ReadHandles(Program& program, WarningList& warnings) {
    if (archive_.Find(HandleRecord::kName) == nullptr) return;
    const Result<RecordBytes> content = archive_.Read(HandleRecord::kName, budget_);
    if (!content) return warnings.AddWhole(HandleRecord::kName, Fault::kRecord, content.error());
    const Result<HandleRecord> record = HandleRecord::Read(content->bytes(), budget_, warnings);
    if (!record) return warnings.Add(HandleRecord::kName, Fault::kRecord, record.error());
    if (record->entry_count() != program.functions.size()) {
      warnings.Add(HandleRecord::kName, Fault::kFunctionCount, ErrorCode::kCorrupt, [&] {
        return fmt::format("need handles of {} functions, have those of {}",
                           program.functions.size(), record->entry_count());
      });
    }
    for (const HandleRecord::Function& row : record->functions()) {
      if (row.index < program.functions.size()) {
        GiveHandles(row, program.functions[row.index], warnings);
      }
    }
  }

 private:
  // Up to version 4, constants that are tensors had a folder of their own.
  bool HasOldConstants() const {
    return std::any_of(
        archive_.records().begin(), archive_.records().end(),
        [](const ArchiveRecord& record) { return record.name.starts_with("bytecode/"); });
  }

  Result<Program> Convert(const ObjectGraph& graph, std::shared_ptr<const void> owner) {
    if (graph.kind(graph.root()) != ValueKind::kTuple) {
      return Fail(ErrorCode::kCorrupt, fmt::format("need a tuple of functions, have {}",
                                                   values::ToString(graph.kind(graph.root()))));
    }
    std::span<const ValueId> entries = graph.elements(graph.root());
    Program program;
    // Before version 4 there is no version.
    program.version = 3;
    if (!entries.empty() && graph.kind(entries[0]) == ValueKind::kInt) {
      program.version = graph.int_value(entries[0]);
      entries = entries.subspan(1);
    }
    if (program.version < kOldestVersion || program.version > kNewestVersion) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("need bytecode of version {} to {}, have {}", kOldestVersion,
                              kNewestVersion, program.version));
    }
    values::Instantiator instantiator(graph, {.owner = std::move(owner)});
    FunctionReader reader(graph, instantiator, program_budget_);
    for (size_t i = 0; i < entries.size(); ++i) {
      Result<Function> function = reader.Read(entries[i]);
      if (!function) {
        return tl::unexpected<Error>(
            std::move(function).error().In(fmt::format("function {}", i + 1)));
      }
      HANDRAIL_RETURN_IF_ERROR(bytecode::Verify(*function));
      program.functions.push_back(*std::move(function));
    }
    HANDRAIL_RETURN_IF_ERROR(VerifyNames(program));
    return program;
  }

  static Status VerifyNames(const Program& program) {
    std::unordered_set<std::string_view> names;
    for (const Function& function : program.functions) {
      if (!names.insert(function.name).second) {
        return Fail(ErrorCode::kConflict,
                    fmt::format("need one function {}, have several", Quoted(function.name)));
      }
    }
    return {};
  }

  void GiveHandles(const HandleRecord::Function& row, Function& function, WarningList& warnings) {
    if (row.name != function.name) {
      return warnings.Add(HandleRecord::kName, Fault::kFunctionName, ErrorCode::kCorrupt, [&] {
        return fmt::format("entry {}: need function {}, have {}", row.index + 1,
                           Quoted(function.name), Quoted(row.name));
      });
    }
    // PyTorch's own tests write functions without handles so.
    if (row.handles.empty()) return;
    if (row.handles.size() != function.instructions.size()) {
      return warnings.Add(HandleRecord::kName, Fault::kInstructionCount, ErrorCode::kCorrupt, [&] {
        return fmt::format("function {}: need {} handles, one for each instruction, have {}",
                           Quoted(function.name), function.instructions.size(), row.handles.size());
      });
    }
    Status taken = program_budget_.Take(row.handles.size() * sizeof(DebugHandle), "debug handles");
    if (!taken) return warnings.Add(HandleRecord::kName, Fault::kMemory, std::move(taken).error());
    function.handles.reserve(row.handles.size());
    for (const PickleValue handle : row.handles) function.handles.push_back(handle.as_int());
  }

  const Archive& archive_;
  MemoryBudget& budget_;
  MemoryBudget program_budget_;
};

}  // namespace

Result<ReadProgramResult> ReadProgram(std::span<const std::byte> file, std::string_view name,
                                      std::shared_ptr<const void> owner) {
  if (RecognizeContent(file) == ContentKind::kMobileFlatbuffer) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: need a zip archive, have a mobile flatbuffer", name));
  }
  MemoryBudget budget(file.size());
  HANDRAIL_ASSIGN_OR_RETURN(const Archive archive, Archive::Open(file, std::string(name), budget));
  if (archive.Find(BytecodeRecord::kName) == nullptr) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: need an archive for the mobile runtime, have one without a record "
                            "'{}'",
                            name, BytecodeRecord::kName));
  }
  ProgramReader reader(archive, budget, file.size());
  ReadProgramResult result;
  HANDRAIL_ASSIGN_OR_RETURN(result.program, reader.Read(std::move(owner)));
  WarningList warnings(name);
  reader.ReadHandles(result.program, warnings);
  result.warnings = warnings.Take();
  return result;
}

}  // namespace handrail::mobile_archive
