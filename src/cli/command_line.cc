#include "cli/command_line.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include <CLI/CLI.hpp>

#include "handrail/backends/backends.h"

#include "cli/verbs.h"

namespace handrail::cli {
namespace {

ExitCode SayWrongUse(const Streams& streams, const std::string& message) {
  Say(streams, message);
  streams.err << "try 'handrail --help', or 'handrail VERB --help'\n";
  return ExitCode::kUsage;
}

}  // namespace

ExitCode RunCommandLine(const std::vector<std::string>& arguments, const Streams& streams) {
  CLI::App app{
      "Turns the debug handles of lowered machine-learning models back into stack traces."};
  app.name("handrail");
  app.require_subcommand(1);
  app.set_version_flag("--version", "handrail " HANDRAIL_VERSION);
  app.get_formatter()->column_width(30);
  // Usage says which arguments are optional.
  app.get_formatter()->label("REQUIRED", "");
  app.get_formatter()->label("SUBCOMMAND", "VERB");

  Action chosen;
  AddSymbolize(app, chosen);
  AddDump(app, chosen);
  AddMap(app, chosen);
  AddStats(app, chosen);
  AddVerify(app, chosen);
  AddLower(app, chosen);
  AddStrip(app, chosen);
  AddMerge(app, chosen);
  AddGraph(app, chosen);
  AddRun(app, chosen);
  AddBackends(app, chosen);
  const std::vector<CLI::App*> verbs = app.get_subcommands(nullptr);
  for (CLI::App* verb : verbs) verb->group("Verbs");

  // CLI11's own messages would not name the verb.
  const auto is_asked_for = [&](const CLI::App* verb) {
    return verb->get_name() == arguments.front();
  };
  if (arguments.empty()) return SayWrongUse(streams, "need a verb");
  if (!arguments.front().starts_with('-') &&
      std::none_of(verbs.begin(), verbs.end(), is_asked_for)) {
    return SayWrongUse(streams, "there is no verb '" + arguments.front() + "'");
  }

  // CLI11 takes the arguments from the back, and says by exceptions what it found.
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    streams.out << app.help();
    return ExitCode::kDone;
  } catch (const CLI::CallForVersion& version) {
    streams.out << version.what() << '\n';
    return ExitCode::kDone;
  } catch (const CLI::ParseError& error) {
    return SayWrongUse(streams, error.what());
  }
  // Once for a process: the registry is the process's.
  static const Status registered = RegisterShippedBackends();
  if (!registered) return SayUnusable(streams, registered.error());
  return chosen(streams);
}

}  // namespace handrail::cli
