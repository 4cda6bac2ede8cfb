// handrail strip: an archive for the mobile runtime -> one without debug info, and a debug map.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "handrail/base/byte_cursor.h"
#include "handrail/base/mapped_file.h"
#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/torch_debug/strip.h"
#include "handrail/torch_debug/torch_debug.h"

#include "cli/input_file.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verbs.h"

namespace handrail::cli {
namespace {

struct StripOptions {
  std::string input_path;
  std::string output_path;
  std::string map_path;
  bool no_source = false;
  DebugMapOptions encoding;
};

ExitCode RunStrip(const StripOptions& options, const Streams& streams) {
  Progress progress(streams);
  progress.Step("reading " + options.input_path);
  const Result<MappedFile> file = MappedFile::Open(options.input_path);
  if (!file) return SayUnusable(streams, file.error());
  const Result<std::string> stripped = StripTorchArchive(file->bytes(), options.input_path);
  if (!stripped) return SayUnusable(streams, stripped.error());
  const Result<TorchDebugInfo> debug = ReadTorchDebugInfo(file->bytes(), options.input_path);
  if (!debug) return SayUnusable(streams, debug.error());

  progress.Step("encoding");
  DebugMapOptions encoding = options.encoding;
  encoding.source_text = !options.no_source;
  const Result<std::vector<std::byte>> map = EncodeDebugMap(debug->info, encoding);
  if (!map) return SayUnusable(streams, Error(map.error()).In(options.input_path));

  // The map first: whenever the stripped archive is there, so is what its handles stand for.
  progress.Step("writing " + options.map_path);
  if (Status status = WriteFileAtomically(options.map_path, *map); !status) {
    return SayUnusable(streams, status.error());
  }
  progress.Step("writing " + options.output_path);
  if (Status status = WriteFileAtomically(options.output_path, AsBytes(*stripped)); !status) {
    return SayUnusable(streams, status.error());
  }
  for (const Error& warning : debug->warnings) Say(streams, warning.message);
  const uint64_t unknown_count = CountUnknownHandles(debug->info);
  if (unknown_count == 0) return ExitCode::kDone;
  Say(streams, options.input_path + ": does not say what " + std::to_string(unknown_count) +
                   (unknown_count == 1 ? " handle stands for" : " handles stand for"));
  return ExitCode::kFaults;
}

}  // namespace

void AddStrip(CLI::App& app, Action& chosen) {
  CLI::App* verb = app.add_subcommand(
      "strip", "An archive without its debug info, which goes in a debug map; handles stay");
  const auto options = std::make_shared<StripOptions>();
  verb->add_option("FILE", options->input_path, "A PyTorch archive for the mobile runtime")
      ->required()
      ->type_name("");
  verb->add_option("-o,--output", options->output_path, "The archive to write")
      ->required()
      ->type_name("OUT")
      ->check([](const std::string& name) {
        return name.ends_with(".hdm") ? "'" + name + "' is a name for a debug map" : std::string();
      });
  verb->add_option("--debug-map", options->map_path, "The debug map to write")
      ->required()
      ->type_name("OUT.hdm")
      ->check([](const std::string& name) {
        return name.ends_with(".hdm") ? "" : "'" + name + "' does not end in .hdm";
      });
  verb->add_flag("--no-source", options->no_source, "Leave the sources' texts out of the map");
  AddPathMapOption(*verb, options->encoding.path_map);
  verb->final_callback([options, &chosen] {
    chosen = [options](const Streams& streams) { return RunStrip(*options, streams); };
  });
}

}  // namespace handrail::cli
