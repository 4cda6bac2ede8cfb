#include "cli/command_line.h"

#include <ostream>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/verbs.h"

namespace handrail::cli {

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
  AddMerge(app, chosen);
  for (CLI::App* verb : app.get_subcommands(nullptr)) verb->group("Verbs");

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
    Say(streams, error.what());
    streams.err << "try 'handrail --help', or 'handrail VERB --help'\n";
    return ExitCode::kUsage;
  }
  return chosen(streams);
}

}  // namespace handrail::cli
