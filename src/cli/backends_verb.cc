// handrail backends: what modules can be lowered to, and whether it can run here.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "handrail/backend/registry.h"

#include "cli/json_line.h"
#include "cli/options.h"
#include "cli/text_table.h"
#include "cli/verbs.h"

namespace handrail::cli {
namespace {

struct BackendsOptions {
  bool as_json = false;
};

ExitCode RunBackends(const BackendsOptions& options, const Streams& streams) {
  const BackendRegistry& registry = BackendRegistry::OfProcess();
  TextTable table({TextTable::Align::kLeft, TextTable::Align::kLeft});
  for (const std::string& name : registry.names()) {
    const bool is_available = registry.FindAvailable(name).has_value();
    if (options.as_json) {
      WriteJsonLine({{"backend", name}, {"available", is_available}}, streams.out);
    } else {
      table.AddRow({name, is_available ? "available" : "not available on this machine"});
    }
  }
  table.Print(streams.out);
  return ExitCode::kDone;
}

}  // namespace

void AddBackends(CLI::App& app, Action& chosen) {
  CLI::App* verb = app.add_subcommand("backends", "What modules can be lowered to");
  const auto options = std::make_shared<BackendsOptions>();
  AddFormatOption(*verb, options->as_json);
  verb->final_callback([options, &chosen] {
    chosen = [options](const Streams& streams) { return RunBackends(*options, streams); };
  });
}

}  // namespace handrail::cli
