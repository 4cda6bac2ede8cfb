// handrail merge: several debug maps -> one that has the units of all.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "handrail/debug_map/debug_map_writer.h"

#include "cli/input_file.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verbs.h"

namespace handrail::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> input_paths;
  std::string output_path;
};

ExitCode RunMerge(const MergeOptions& options, const Streams& streams) {
  Progress progress(streams);
  std::vector<InputDebugInfo> inputs;
  uint64_t unknown_count = 0;
  for (const std::string& path : options.input_paths) {
    progress.Step("reading " + path);
    Result<InputDebugInfo> input = ReadInputDebugInfo(path);
    if (!input) return SayUnusable(streams, input.error());
    for (const Error& warning : input->warnings) Say(streams, warning.message);
    unknown_count += CountUnknownHandles(input->info);
    inputs.push_back(*std::move(input));
  }
  progress.Step("merging");
  std::vector<const DebugInfo*> infos;
  infos.reserve(inputs.size());
  for (const InputDebugInfo& input : inputs) infos.push_back(&input.info);
  const Result<DebugInfo> merged = MergeDebugInfo(infos);
  if (!merged) return SayUnusable(streams, merged.error());
  const Result<std::vector<std::byte>> bytes = EncodeDebugMap(*merged);
  if (!bytes) return SayUnusable(streams, bytes.error());

  progress.Step("writing " + options.output_path);
  if (Status status = WriteFileAtomically(options.output_path, *bytes); !status) {
    return SayUnusable(streams, status.error());
  }
  return unknown_count == 0 ? ExitCode::kDone : ExitCode::kFaults;
}

}  // namespace

void AddMerge(CLI::App& app, Action& chosen) {
  CLI::App* verb = app.add_subcommand("merge", "Several debug maps as one");
  const auto options = std::make_shared<MergeOptions>();
  verb->add_option("MAP", options->input_paths, "Debug maps or PyTorch archives, at least two")
      ->required()
      ->type_name("")
      ->expected(2, -1);
  AddDebugMapOutput(*verb, options->output_path);
  verb->final_callback([options, &chosen] {
    chosen = [options](const Streams& streams) { return RunMerge(*options, streams); };
  });
}

}  // namespace handrail::cli
