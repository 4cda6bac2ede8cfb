// The lines of source around a range, with the range underlined: the part of a frame's text that
// does not depend on who called.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace handrail {

// How a range reads in a trace. `header` and `body` are to be printed around the function's name;
// a range that prints nothing has neither.
struct RangeText {
  bool has_header = false;
  std::string header;  // `  File "model.py", line 12`; the caller adds `, in forward` and a newline
  std::string body;    // lines, each ended by a newline
};

// Bytes [start, end) of `text`, as PyTorch 1.13 prints them (docs/traces.md, "The lines of a
// frame"):
//   - a range as long as the text prints the text alone, as it stands: traced models keep a Python
//     stack this way;
//   - a range that starts beyond the text prints nothing;
//   - else up to 2 lines before, the lines of the range, each underlined, and up to 2 lines after.
// `has_file_name` false: no header. `line` is the file's line that `start` is on.
RangeText RenderRange(std::string_view text, uint64_t start, uint64_t end, bool has_file_name,
                      std::string_view file_name, uint64_t line);

// `  File "<name>", line <line>`.
std::string FrameHeader(std::string_view file_name, uint64_t line);

}  // namespace handrail
