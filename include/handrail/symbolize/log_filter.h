// A log in, the same log out, with a trace below every line that has debug handles.
//
// Recognized in a line (docs/traces.md, "In a log"):
//   {{{hdh:<build id>:<handle>[,<handle>...]}}}            build id: 32 or 8 hexadecimal digits
//   debug_handles:{<handles>}   debug_handle:<handle>      PyTorch's own messages
//   Debug info for handle(s): <handle>, was not found.
// All other bytes pass unchanged: line ends, NUL bytes, bytes that are not UTF-8, a missing newline
// at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "handrail/base/result.h"
#include "handrail/symbolize/map_set.h"
#include "handrail/symbolize/trace.h"

namespace handrail {

enum class LogFormat : uint8_t {
  kText,  // the log, with traces in it
  kJson,  // one JSON object a line for each recognized token; the log itself is left out
};

struct LogFilterOptions {
  TraceStyle style = TraceStyle::kHandrail;
  LogFormat format = LogFormat::kText;
};

// Not thread-safe. How the input is cut into pieces does not change the output.
class LogFilter {
 public:
  // A longer token is not symbolized; the log says so.
  static constexpr size_t kTokenBytesMax = 4096;
  // Different tokens in one line that are symbolized; the log says so if there are more.
  static constexpr size_t kTokensPerLineMax = 256;

  // Takes the output, piece by piece, in order. An error it returns ends the filtering.
  using Sink = std::function<Status(std::string_view)>;

  // `maps` must outlive the filter.
  LogFilter(MapSet& maps, const LogFilterOptions& options, Sink sink);
  ~LogFilter();
  LogFilter(const LogFilter&) = delete;
  LogFilter& operator=(const LogFilter&) = delete;

  // The next piece of the log, of any size. Fails only as the sink does.
  Status Write(std::string_view piece);
  // The log has ended. Must be called once, after the last Write.
  Status Finish();

  struct Counts {
    uint64_t bytes = 0;       // of the log
    uint64_t lines = 0;       // newlines
    uint64_t tokens = 0;      // recognized
    uint64_t symbolized = 0;  // of these: every handle is known
    uint64_t unknown = 0;     // of these: some handle is not
  };
  const Counts& counts() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace handrail
