// The parts of `handrail dump`: each prints one view of a file.
#pragma once

#include "handrail/symbolize/trace.h"

#include "cli/input_file.h"
#include "cli/streams.h"

namespace handrail::cli {

// What the file is and how much is in it.
ExitCode DumpSummary(const InputFile& input, const std::string& path, bool as_json,
                     const Streams& streams);

struct HandleDump {
  TraceStyle style = TraceStyle::kHandrail;
  bool tracebacks = false;
  bool as_json = false;
};
// Every handle, unit by unit, ascending.
ExitCode DumpHandles(const InputFile& input, const std::string& path, const HandleDump& options,
                     const Streams& streams);

// Every source: its name, its first line, and how long its text is.
ExitCode DumpSources(const InputFile& input, bool as_json, const Streams& streams);

// The sections of a debug map, or the records of a zip archive.
ExitCode DumpSections(const std::string& path, bool as_json, const Streams& streams);

// A debug map, byte by byte.
ExitCode DumpAnnotatedBytes(const std::string& path, const Streams& streams);

}  // namespace handrail::cli
