// handrail map: the debug info of a file -> a debug map.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "handrail/debug_map/debug_map_writer.h"

#include "cli/input_file.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verbs.h"

namespace handrail::cli {
namespace {

struct MapOptions {
  std::string input_path;
  std::string output_path;
  bool no_source = false;
  DebugMapOptions encoding;
};

ExitCode RunMap(const MapOptions& options, const Streams& streams) {
  Progress progress(streams);
  progress.Step("reading " + options.input_path);
  Result<InputDebugInfo> input = ReadInputDebugInfo(options.input_path);
  if (!input) return SayUnusable(streams, input.error());

  progress.Step("encoding");
  DebugMapOptions encoding = options.encoding;
  encoding.source_text = !options.no_source;
  const Result<std::vector<std::byte>> bytes = EncodeDebugMap(input->info, encoding);
  if (!bytes) return SayUnusable(streams, Error(bytes.error()).In(options.input_path));

  progress.Step("writing " + options.output_path);
  if (Status status = WriteFileAtomically(options.output_path, *bytes); !status) {
    return SayUnusable(streams, status.error());
  }
  for (const Error& warning : input->warnings) Say(streams, warning.message);
  const uint64_t unknown_count = CountUnknownHandles(input->info);
  if (unknown_count == 0) return ExitCode::kDone;
  Say(streams, options.input_path + ": does not say what " + std::to_string(unknown_count) +
                   (unknown_count == 1 ? " handle stands for" : " handles stand for"));
  return ExitCode::kFaults;
}

}  // namespace

void AddMap(CLI::App& app, Action& chosen) {
  CLI::App* verb = app.add_subcommand("map", "The debug info of a file as a debug map");
  const auto options = std::make_shared<MapOptions>();
  verb->add_option("FILE", options->input_path, "A PyTorch archive or a debug map")
      ->required()
      ->type_name("");
  AddDebugMapOutput(*verb, options->output_path);
  verb->add_flag("--no-source", options->no_source, "Leave the sources' texts out");
  AddPathMapOption(*verb, options->encoding.path_map);
  verb->final_callback([options, &chosen] {
    chosen = [options](const Streams& streams) { return RunMap(*options, streams); };
  });
}

}  // namespace handrail::cli
