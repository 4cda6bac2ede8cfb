// handrail dump: what is in a file.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/dump_parts.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verbs.h"

namespace handrail::cli {
namespace {

struct DumpOptions {
  std::string input_path;
  bool handles = false;
  bool sources = false;
  bool sections = false;
  bool bytes = false;
  HandleDump handle_dump;
};

ExitCode RunDump(const DumpOptions& options, const Streams& streams) {
  if (options.handles + options.sources + options.sections + options.bytes > 1) {
    Say(streams, "--handles, --sources, --sections and --bytes: only one of them at a time");
    return ExitCode::kUsage;
  }
  if (options.handle_dump.tracebacks && !options.handles) {
    Say(streams, "--tracebacks needs --handles");
    return ExitCode::kUsage;
  }
  const bool as_json = options.handle_dump.as_json;
  // These two look at the bytes, whether or not all of them can be understood.
  if (options.sections) return DumpSections(options.input_path, as_json, streams);
  if (options.bytes) return DumpAnnotatedBytes(options.input_path, streams);

  Result<InputFile> input = [&] {
    Progress progress(streams);
    progress.Step("reading " + options.input_path);
    return OpenInputFile(options.input_path);
  }();
  if (!input) return SayUnusable(streams, input.error());
  if (input->torch) {
    for (const Error& warning : input->torch->warnings) Say(streams, warning.message);
  }
  if (options.handles) return DumpHandles(*input, options.input_path, options.handle_dump, streams);
  if (options.sources) return DumpSources(*input, as_json, streams);
  return DumpSummary(*input, options.input_path, as_json, streams);
}

}  // namespace

void AddDump(CLI::App& app, Action& chosen) {
  CLI::App* verb =
      app.add_subcommand("dump", "What is in a file: a summary, or one of the views below");
  const auto options = std::make_shared<DumpOptions>();
  verb->add_option("FILE", options->input_path, "A debug map or a PyTorch archive")
      ->required()
      ->type_name("");
  verb->add_flag("--handles", options->handles, "Every handle, and where its node came from");
  verb->add_flag("--sources", options->sources, "Every source");
  verb->add_flag("--sections", options->sections, "A map's sections, or an archive's records");
  verb->add_flag("--bytes", options->bytes, "A debug map byte by byte, with what each byte means");
  verb->add_flag("--tracebacks", options->handle_dump.tracebacks,
                 "With --handles: each handle's whole stack trace");
  AddStyleOption(*verb, options->handle_dump.style);
  AddFormatOption(*verb, options->handle_dump.as_json);
  verb->final_callback([options, &chosen] {
    chosen = [options](const Streams& streams) { return RunDump(*options, streams); };
  });
}

}  // namespace handrail::cli
