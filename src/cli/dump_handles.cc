// handrail dump --handles
#include <ostream>
#include <string>
#include <string_view>

#include "handrail/symbolize/symbolizer.h"

#include "cli/dump_parts.h"

namespace handrail::cli {
namespace {

// "encoder.py:49:15", or why there is no place.
std::string PlaceOf(const Trace& trace) {
  if (!trace.unknown.empty()) return std::string(Sentence(trace.unknown.front().why.reason));
  if (trace.frames.empty() || trace.frames.back().line == 0) return "-";
  const TraceFrame& frame = trace.frames.back();
  return std::string(frame.file) + ":" + std::to_string(frame.line) + ":" +
         std::to_string(frame.column);
}

void AppendText(const Trace& trace, const HandleDump& options, std::string& out) {
  const std::string handle = std::to_string(trace.handles.front());
  if (options.tracebacks) {
    out += "handle " + handle + "\n" + trace.text;
    if (out.back() != '\n') out += '\n';
    out += '\n';
    return;
  }
  out += handle + "\t" + (trace.node.empty() ? "-" : trace.node) + "\t" + PlaceOf(trace) + "\t" +
         (trace.hierarchy.empty() ? "-" : trace.hierarchy) + "\n";
}

}  // namespace

ExitCode DumpHandles(const InputFile& input, const std::string& path, const HandleDump& options,
                     const Streams& streams) {
  const DebugMap& map = input.map;
  if (input.torch && input.torch->kind == TorchFileKind::kModule) {
    Say(streams, path + ": a module archive has no handles: they are issued when it is lowered");
    return ExitCode::kDone;
  }
  Symbolizer symbolizer(map, options.style);
  Trace trace;
  std::string text;
  bool all_known = true;
  for (uint32_t i = 0; i < map.unit_count(); ++i) {
    const UnitId unit{i};
    std::string unit_name;
    if (map.unit_count() > 1) {
      const auto info = map.unit(unit);
      unit_name = info ? info->key.ToHex() : "damaged";
      if (!options.as_json) streams.out << "unit " << unit_name << '\n';
    }
    const HandleScope scope{.unit = unit, .build_id = std::nullopt};
    const Answer<void> visited =
        map.ForEachHandle(unit, [&](const DebugHandle& handle, const Answer<Node>&) {
          if (!streams.out) return;
          symbolizer.Symbolize(handle, scope, trace);
          all_known = all_known && trace.unknown.empty();
          text.clear();
          if (options.as_json) {
            AppendHandleJson(trace, {.traceback = options.tracebacks, .unit = unit_name}, text);
            text += '\n';
          } else {
            AppendText(trace, options, text);
          }
          streams.out.write(text.data(), static_cast<std::streamsize>(text.size()));
        });
    if (!visited) {
      Say(streams,
          path + ": offset " + std::to_string(visited.error().offset) +
              ": the table of handles is damaged from here on: the handles of a unit that " +
              "follow are not known");
      all_known = false;
    }
  }
  return all_known ? ExitCode::kDone : ExitCode::kFaults;
}

}  // namespace handrail::cli
