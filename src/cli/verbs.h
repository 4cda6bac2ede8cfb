// The verbs of the command line. Each has a file of its own, <verb>_verb.cc: its options, what it
// does, and the function here that adds both to the command line.
#pragma once

#include <functional>

#include "cli/streams.h"

namespace CLI {
class App;
}  // namespace CLI

namespace handrail::cli {

// What was asked for, to be run once all arguments were understood.
using Action = std::function<ExitCode(const Streams&)>;

// Each adds a verb to `app`. If the arguments choose it, `chosen` becomes what it does.
void AddSymbolize(CLI::App& app, Action& chosen);
void AddDump(CLI::App& app, Action& chosen);
void AddMap(CLI::App& app, Action& chosen);
void AddStats(CLI::App& app, Action& chosen);
void AddVerify(CLI::App& app, Action& chosen);
void AddLower(CLI::App& app, Action& chosen);
void AddStrip(CLI::App& app, Action& chosen);
void AddMerge(CLI::App& app, Action& chosen);
void AddGraph(CLI::App& app, Action& chosen);
void AddRun(CLI::App& app, Action& chosen);
void AddBackends(CLI::App& app, Action& chosen);

}  // namespace handrail::cli
