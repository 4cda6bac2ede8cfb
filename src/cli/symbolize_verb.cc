// handrail symbolize: handles, or a log that holds them -> stack traces.
#include <charconv>
#include <memory>
#include <ostream>
#include <span>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "handrail/symbolize/log_filter.h"
#include "handrail/symbolize/map_set.h"
#include "handrail/symbolize/map_set_symbolizer.h"

#include "cli/options.h"
#include "cli/verbs.h"

namespace handrail::cli {
namespace {

struct SymbolizeOptions {
  std::vector<std::string> map_paths;
  std::vector<std::string> handle_lists;  // empty: filter a log
  TraceStyle style = TraceStyle::kHandrail;
  bool as_json = false;
};

// "446,72" as numbers. Nothing: not a list of handles.
std::optional<std::vector<DebugHandle>> ParseHandles(std::string_view list) {
  std::vector<DebugHandle> handles;
  const char* at = list.data();
  const char* const end = at + list.size();
  for (;;) {
    DebugHandle handle = 0;
    const auto [next, fault] = std::from_chars(at, end, handle);
    if (fault != std::errc()) return std::nullopt;
    handles.push_back(handle);
    if (next == end) return handles;
    if (*next != ',') return std::nullopt;
    at = next + 1;
  }
}

// Says each warning about the maps once.
class MapWarnings {
 public:
  MapWarnings(const MapSet& maps, const Streams& streams) : maps_(maps), streams_(streams) {}

  void SayNew() {
    const std::vector<std::string> warnings = maps_.warnings();
    for (; said_ < warnings.size(); ++said_) Say(streams_, warnings[said_]);
  }

 private:
  const MapSet& maps_;
  const Streams& streams_;
  size_t said_ = 0;
};

// Why folders gave no map: what was looked at.
void SayTried(const MapSet& maps, const Streams& streams) {
  constexpr size_t kTriedMax = 10;
  const std::vector<MapSet::Tried> tried = maps.tried();
  for (size_t i = 0; i < tried.size() && i < kTriedMax; ++i) {
    Say(streams, "looked at " + tried[i].path + ": " + tried[i].outcome);
  }
  if (tried.size() > kTriedMax) {
    Say(streams, "looked at " + std::to_string(tried.size() - kTriedMax) + " more files");
  }
}

ExitCode SymbolizeLists(const SymbolizeOptions& options, MapSet& maps, const Streams& streams) {
  MapSetSymbolizer symbolizer(maps, options.style);
  Trace trace;
  std::string text;
  ExitCode code = ExitCode::kDone;
  for (const std::string& list : options.handle_lists) {
    const auto handles = ParseHandles(list);
    symbolizer.Symbolize(std::nullopt, *handles, trace);
    if (!trace.unknown.empty()) code = ExitCode::kFaults;
    text.clear();
    if (options.as_json) {
      AppendTraceJson(trace, text);
    } else {
      // A blank line keeps traces apart.
      if (&list != &options.handle_lists.front()) text += '\n';
      text += trace.text;
    }
    if (text.empty() || text.back() != '\n') text += '\n';
    if (!streams.out.write(text.data(), static_cast<std::streamsize>(text.size()))) break;
  }
  return code;
}

ExitCode FilterLog(const SymbolizeOptions& options, MapSet& maps, MapWarnings& warnings,
                   const Streams& streams) {
  LogFilter filter(
      maps,
      {.style = options.style, .format = options.as_json ? LogFormat::kJson : LogFormat::kText},
      [&](std::string_view piece) -> Status {
        streams.out.write(piece.data(), static_cast<std::streamsize>(piece.size()));
        if (!streams.out) return Fail(ErrorCode::kIo, "standard output is closed");
        return {};
      });
  std::streambuf& in = *streams.in.rdbuf();
  std::vector<char> block;
  Status status;
  while (status && in.sgetc() != std::streambuf::traits_type::eof()) {
    block.resize(static_cast<size_t>(in.in_avail()));
    const std::streamsize count =
        in.sgetn(block.data(), static_cast<std::streamsize>(block.size()));
    status = filter.Write({block.data(), static_cast<size_t>(count)});
    warnings.SayNew();
    // Whoever follows a growing log sees its lines as they come.
    streams.out.flush();
  }
  if (status) status = filter.Finish();
  return filter.counts().unknown == 0 ? ExitCode::kDone : ExitCode::kFaults;
}

ExitCode RunSymbolize(const SymbolizeOptions& options, const Streams& streams) {
  for (const std::string& list : options.handle_lists) {
    if (ParseHandles(list)) continue;
    Say(streams, "'" + list + "' is not a list of handles: need whole numbers with commas between");
    return ExitCode::kUsage;
  }
  MapSet maps;
  MapWarnings warnings(maps, streams);
  for (const std::string& path : options.map_paths) {
    if (Status status = maps.Add(path); !status) return SayUnusable(streams, status.error());
    warnings.SayNew();
  }
  const ExitCode code = options.handle_lists.empty() ? FilterLog(options, maps, warnings, streams)
                                                     : SymbolizeLists(options, maps, streams);
  warnings.SayNew();
  if (code == ExitCode::kFaults && maps.has_folders()) SayTried(maps, streams);
  return code;
}

}  // namespace

void AddSymbolize(CLI::App& app, Action& chosen) {
  CLI::App* verb =
      app.add_subcommand("symbolize", "Debug handles, or a log on standard input, as stack traces");
  const auto options = std::make_shared<SymbolizeOptions>();
  verb->add_option("-m,--map", options->map_paths,
                   "A debug map, a PyTorch archive, or a folder that is searched by build id")
      ->type_name("MAP")
      ->allow_extra_args(false);
  AddFormatOption(*verb, options->as_json);
  AddStyleOption(*verb, options->style);
  verb->add_option("HANDLES", options->handle_lists,
                   "One trace each: handles with commas between, innermost first. Without any, "
                   "standard input is a log that goes to standard output with traces in it")
      ->type_name("");
  verb->final_callback([options, &chosen] {
    chosen = [options](const Streams& streams) { return RunSymbolize(*options, streams); };
  });
}

}  // namespace handrail::cli
