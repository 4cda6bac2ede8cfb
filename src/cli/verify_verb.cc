// handrail verify: every check there is.
#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "handrail/base/mapped_file.h"

#include "archive/archive.h"
#include "cli/input_file.h"
#include "cli/json_line.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "debug_map/verify.h"

namespace handrail::cli {
namespace {

struct VerifyOptions {
  std::vector<std::string> paths;
  bool as_json = false;
};

// Faults of one file; each names the file. The same fault, seen by two checks, counts once.
class FaultList {
 public:
  void Add(const Error& error) {
    const auto is_same = [&](const Error& known) { return known.message == error.message; };
    if (std::none_of(faults_.begin(), faults_.end(), is_same)) faults_.push_back(error);
  }
  const std::vector<Error>& faults() const { return faults_; }

 private:
  std::vector<Error> faults_;
};

// A file that is not there, or of no kind that we read, was not checked. Anything else that is
// wrong is what was looked for.
bool IsFault(const Error& error) {
  return error.code != ErrorCode::kIo && error.code != ErrorCode::kUnsupported;
}

// Every record's checksum, weights too.
Status CheckRecords(std::span<const std::byte> bytes, const std::string& path, FaultList& faults) {
  MemoryBudget budget(bytes.size());
  HANDRAIL_ASSIGN_OR_RETURN(const Archive archive, Archive::Open(bytes, path, budget));
  for (const std::string& warning : archive.warnings()) {
    faults.Add({ErrorCode::kCorrupt, Error::kNoOffset, warning});
  }
  for (const ArchiveRecord& record : archive.records()) {
    if (const auto content = archive.Read(record, budget); !content) faults.Add(content.error());
  }
  return {};
}

Status CheckFile(const std::string& path, FaultList& faults) {
  HANDRAIL_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  if (!IsPytorchFile(file.bytes())) {
    HANDRAIL_ASSIGN_OR_RETURN(const DebugMap map, DebugMap::Open(path));
    for (const debug_map::Fault& fault : debug_map::Verify(map)) {
      faults.Add({ErrorCode::kCorrupt, fault.offset, path + ": " + fault.message});
    }
    return {};
  }
  if (RecognizeContent(file.bytes()) == ContentKind::kZip) {
    HANDRAIL_RETURN_IF_ERROR(CheckRecords(file.bytes(), path, faults));
  }
  HANDRAIL_ASSIGN_OR_RETURN(const TorchDebugInfo torch, ReadTorchDebugInfo(file.bytes(), path));
  for (const Error& warning : torch.warnings) faults.Add(warning);
  return {};
}

void Print(const std::string& path, const FaultList& faults, const VerifyOptions& options,
           std::ostream& out) {
  if (options.as_json) {
    JsonObject list = JsonObject::array();
    for (const Error& fault : faults.faults()) {
      JsonObject object = {{"code", ToString(fault.code)}};
      if (fault.offset != Error::kNoOffset) object["offset"] = fault.offset;
      object["message"] = fault.message;
      list.push_back(std::move(object));
    }
    WriteJsonLine({{"file", path}, {"ok", faults.faults().empty()}, {"faults", list}}, out);
    return;
  }
  if (faults.faults().empty()) out << path << ": no faults\n";
  for (const Error& fault : faults.faults()) out << fault.message << '\n';
}

ExitCode RunVerify(const VerifyOptions& options, const Streams& streams) {
  Progress progress(streams);
  ExitCode code = ExitCode::kDone;
  for (const std::string& path : options.paths) {
    progress.Step("checking " + path);
    FaultList faults;
    if (Status status = CheckFile(path, faults); !status) {
      if (!IsFault(status.error())) {
        code = SayUnusable(streams, status.error());
        continue;
      }
      faults.Add(status.error());
    }
    if (!faults.faults().empty()) code = std::max(code, ExitCode::kFaults);
    Print(path, faults, options, streams.out);
  }
  return code;
}

}  // namespace

void AddVerify(CLI::App& app, Action& chosen) {
  CLI::App* verb = app.add_subcommand("verify", "Check everything in files, and name each fault");
  const auto options = std::make_shared<VerifyOptions>();
  verb->add_option("FILE", options->paths, "Debug maps or PyTorch archives")
      ->required()
      ->type_name("");
  AddFormatOption(*verb, options->as_json);
  verb->final_callback([options, &chosen] {
    chosen = [options](const Streams& streams) { return RunVerify(*options, streams); };
  });
}

}  // namespace handrail::cli
