// handrail run: a model and its inputs -> what it gives, or which line of it failed.
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "handrail/backends/backends.h"
#include "handrail/base/mapped_file.h"
#include "handrail/runtime/load.h"

#include "cli/input_spec.h"
#include "cli/json_line.h"
#include "cli/npy.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/run_result.h"
#include "cli/verbs.h"

namespace handrail::cli {
namespace {

struct RunOptions {
  std::string path;
  std::string method = "forward";
  std::vector<std::string> inputs;
  std::string output;
  uint64_t seed = 0;
  bool as_json = false;
  TraceStyle style = TraceStyle::kHandrail;
};

// Every tensor and number of the result as out_0, out_1, ….
Status WriteOutput(const std::string& path, const std::vector<ResultPart>& parts) {
  std::vector<std::pair<std::string, values::TensorRef>> arrays;
  for (const ResultPart& part : parts) {
    values::TensorRef tensor = TensorOf(part.value);
    if (tensor) arrays.emplace_back(fmt::format("out_{}", arrays.size()), std::move(tensor));
  }
  return WriteNpz(path, arrays);
}

void Print(const std::vector<ResultPart>& parts, bool as_json, std::ostream& out) {
  for (const ResultPart& part : parts) {
    if (as_json) {
      JsonObject line = {{"path", part.path}};
      line.update(DescribeAsJson(part.value));
      WriteJsonLine(line, out);
    } else {
      out << (part.path.empty() ? "result" : "result" + part.path) << '\t' << Describe(part.value)
          << '\n';
    }
  }
}

ExitCode SayFailed(const RunOptions& options, const runtime::RunError& error,
                   const Streams& streams) {
  Say(streams, fmt::format("{}: {}", options.path, error.message));
  if (!error.trace.empty()) {
    streams.err << error.trace << (error.trace.ends_with('\n') ? "" : "\n");
  }
  return ExitCode::kFaults;
}

ExitCode RunRun(const RunOptions& options, const Streams& streams) {
  std::vector<values::Value> inputs;
  RandomNumbers random(options.seed);
  for (const std::string& spec : options.inputs) {
    Result<values::Value> input = MakeInput(spec, random);
    if (!input) {
      const ExitCode code = SayUnusable(streams, input.error());
      return input.error().code == ErrorCode::kInvalidArgument ? ExitCode::kUsage : code;
    }
    inputs.push_back(*std::move(input));
  }

  BackendRegistry backends;
  if (Status status = RegisterShippedBackends(backends, &streams.err); !status) {
    return SayUnusable(streams, status.error());
  }
  Progress progress(streams);
  progress.Step("reading " + options.path);
  const Result<MappedFile> file = MappedFile::Open(options.path);
  if (!file) return SayUnusable(streams, file.error());
  Result<runtime::Module> module = runtime::Load(file->bytes(), options.path,
                                                 {.style = options.style,
                                                  .backends = &backends,
                                                  .print_to = &streams.err,
                                                  .warn_to = &streams.err});
  if (!module) return SayUnusable(streams, module.error());
  for (const std::string& warning : module->warnings()) Say(streams, "warning: " + warning);

  progress.Step("running " + options.method);
  const runtime::RunResult<values::Value> result = module->Run(options.method, inputs);
  progress.Step("writing");
  if (!result && result.error().is_misuse) {
    Say(streams, fmt::format("{}: {}", options.path, result.error().message));
    return ExitCode::kUsage;
  }
  if (!result) return SayFailed(options, result.error(), streams);
  const Result<std::vector<ResultPart>> parts = PartsOf(*result);
  if (!parts) return SayUnusable(streams, parts.error());
  if (options.output.empty()) {
    Print(*parts, options.as_json, streams.out);
  } else if (Status status = WriteOutput(options.output, *parts); !status) {
    return SayUnusable(streams, status.error());
  }
  return ExitCode::kDone;
}

}  // namespace

void AddRun(CLI::App& app, Action& chosen) {
  CLI::App* verb =
      app.add_subcommand("run", "Runs a model; where it fails, says which line failed");
  const auto options = std::make_shared<RunOptions>();
  verb->add_option("FILE", options->path, "A module archive (.pt) or mobile archive (.ptl)")
      ->required()
      ->type_name("");
  verb->add_option("--method", options->method, "Of the top module")->type_name("NAME");
  verb->add_option("--input", options->inputs,
                   "An input, in order: ones:2x3, zeros:…, rand:…, arange:…, each with :f32, :f64, "
                   ":i64 or :bool behind; int:5, float:0.5, bool:true, str:text, none; @FILE.npy")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  verb->add_option("--output", options->output,
                   "Where to write the tensors and numbers of the result, as out_0, out_1, …")
      ->type_name("OUT.npz")
      ->check([](const std::string& name) {
        return name.ends_with(".npz") ? "" : "'" + name + "' does not end in .npz";
      });
  verb->add_option("--seed", options->seed, "Of rand: inputs; 0 by default")->type_name("N");
  AddFormatOption(*verb, options->as_json);
  AddStyleOption(*verb, options->style);
  verb->final_callback([options, &chosen] {
    chosen = [options](const Streams& streams) { return RunRun(*options, streams); };
  });
}

}  // namespace handrail::cli
