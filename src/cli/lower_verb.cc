// handrail lower: a module archive -> one with parts lowered to a backend, or an archive for the
// mobile runtime, or both; with debug info.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "handrail/base/byte_cursor.h"
#include "handrail/base/mapped_file.h"
#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/lowering/lowering.h"
#include "handrail/mobile_archive/mobile_archive.h"
#include "handrail/torch_debug/torch_debug.h"

#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verbs.h"

namespace handrail::cli {
namespace {

constexpr std::string_view kMobileSuffix = ".ptl";
constexpr std::string_view kModuleSuffix = ".pt";

struct LowerOptions {
  std::string input_path;
  std::string output_path;
  std::string map_path;  // "": none is asked for
  std::string backend;   // "": bytecode only
  std::vector<std::string> modules;
  std::vector<std::pair<std::string, std::string>> backend_options;

  bool is_mobile() const { return output_path.ends_with(kMobileSuffix); }
};

Status WriteDebugMap(std::string_view archive, const LowerOptions& options) {
  HANDRAIL_ASSIGN_OR_RETURN(const TorchDebugInfo debug,
                            ReadTorchDebugInfo(AsBytes(archive), options.output_path));
  HANDRAIL_ASSIGN_OR_RETURN(const std::vector<std::byte> map, EncodeDebugMap(debug.info));
  return WriteFileAtomically(options.map_path, map);
}

Result<std::string> LowerModules(std::span<const std::byte> archive, const LowerOptions& options) {
  std::vector<std::string> paths = options.modules;
  if (paths.empty()) paths.emplace_back();
  std::vector<LowerSelection> selections;
  selections.reserve(paths.size());
  for (std::string& path : paths) {
    selections.push_back({.module_path = std::move(path),
                          .backend = options.backend,
                          .methods = {},
                          .options = options.backend_options});
  }
  return Lower(archive, options.input_path, selections);
}

ExitCode RunLower(const LowerOptions& options, const Streams& streams) {
  if (options.backend.empty() && !options.is_mobile()) {
    Say(streams, "without --backend, OUT needs to end in .ptl");
    return ExitCode::kUsage;
  }
  Progress progress(streams);
  progress.Step("reading " + options.input_path);
  const Result<MappedFile> file = MappedFile::Open(options.input_path);
  if (!file) return SayUnusable(streams, file.error());

  std::string lowered;
  std::span<const std::byte> bytes = file->bytes();
  if (!options.backend.empty()) {
    progress.Step("lowering " + options.input_path);
    Result<std::string> result = LowerModules(bytes, options);
    if (!result) return SayUnusable(streams, result.error());
    lowered = *std::move(result);
    bytes = AsBytes(lowered);
  }
  mobile_archive::MobileArchive archive;
  if (options.is_mobile()) {
    progress.Step("compiling " + options.input_path);
    Result<mobile_archive::MobileArchive> result =
        mobile_archive::MakeMobileArchive(bytes, options.input_path);
    if (!result) return SayUnusable(streams, result.error());
    archive = *std::move(result);
  } else {
    archive.bytes = std::move(lowered);
  }

  // The map first: whenever the archive is there, so is what its handles stand for.
  if (!options.map_path.empty()) {
    progress.Step("writing " + options.map_path);
    if (Status status = WriteDebugMap(archive.bytes, options); !status) {
      return SayUnusable(streams, status.error());
    }
  }
  progress.Step("writing " + options.output_path);
  if (Status status = WriteFileAtomically(options.output_path, AsBytes(archive.bytes)); !status) {
    return SayUnusable(streams, status.error());
  }
  for (const Error& warning : archive.warnings) Say(streams, warning.message);
  return ExitCode::kDone;
}

// A check that says no unless a name ends in `suffix`.
auto EndsIn(const std::string& suffix) {
  return [suffix](const std::string& name) {
    return name.ends_with(suffix) ? "" : "'" + name + "' does not end in " + suffix;
  };
}

}  // namespace

void AddLower(CLI::App& app, Action& chosen) {
  CLI::App* verb = app.add_subcommand(
      "lower",
      "Give modules of a model to a backend, or make an archive for PyTorch's mobile runtime");
  const auto options = std::make_shared<LowerOptions>();
  verb->add_option("FILE", options->input_path, "A module archive that PyTorch or 'lower' saved")
      ->required()
      ->type_name("");
  verb->add_option("-o,--output", options->output_path,
                   "OUT.pt: a module archive with lowered parts. OUT.ptl: an archive for PyTorch's "
                   "mobile runtime")
      ->required()
      ->type_name("OUT")
      ->check([](const std::string& name) {
        return name.ends_with(kMobileSuffix) || name.ends_with(kModuleSuffix)
                   ? ""
                   : "'" + name + "' ends neither in .pt nor in .ptl";
      });
  CLI::Option* const backend = verb->add_option("--backend", options->backend,
                                                "To which backend; without it, to bytecode only")
                                   ->type_name("NAME");
  verb->add_option("--module", options->modules,
                   "A module to lower, by its dotted path; each is lowered on its own. Without it, "
                   "the whole model")
      ->type_name("PATH")
      ->allow_extra_args(false)
      ->needs(backend);
  verb->add_option_function<std::vector<std::string>>(
          "--option",
          [options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const size_t equals = text.find('=');
              options->backend_options.emplace_back(text.substr(0, equals),
                                                    text.substr(equals + 1));
            }
          },
          "An option of the backend")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->needs(backend)
      ->check([](const std::string& text) {
        const size_t equals = text.find('=');
        return equals != std::string::npos && equals != 0 ? "" : "'" + text + "' is no KEY=VALUE";
      });
  verb->add_option("--debug-map", options->map_path, "A debug map to write beside it")
      ->type_name("OUT.hdm")
      ->check(EndsIn(".hdm"));
  verb->final_callback([options, &chosen] {
    chosen = [options](const Streams& streams) { return RunLower(*options, streams); };
  });
}

}  // namespace handrail::cli
