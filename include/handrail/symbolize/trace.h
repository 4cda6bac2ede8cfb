// A trace: what debug handles stand for, ready to be read by a person or a program.
//
// In:  Symbolizer (symbolizer.h) fills it. Out: text (`Trace::text`), or JSON by the functions
// below. The exact texts and fields, with examples: docs/traces.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/debug_info/debug_info.h"
#include "handrail/debug_map/debug_map.h"

namespace handrail {

enum class TraceStyle : uint8_t {
  kHandrail,  // PyTorch's text with the repairs of docs/traces.md
  kPytorch,   // byte for byte what PyTorch 1.13 prints
};

// One frame: where in which function. Views are into the symbolizer that filled the trace.
struct TraceFrame {
  // The function's name without its qualification; "<unknown>" if nobody knows.
  std::string_view function = {};
  // The module instance that the function runs on: attribute name ("top" for the outermost module)
  // and last part of the type's name. Both "" for a free function.
  std::string_view module = {};
  std::string_view type = {};
  // "" and 0 where there is no source; 1-based, columns in bytes. [line:column,
  // end_line:end_column)
  std::string_view file = {};
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t end_line = 0;
  uint32_t end_column = 0;
  // The handle that the frame comes from.
  DebugHandle handle = kUnknownHandle;

  friend bool operator==(const TraceFrame&, const TraceFrame&) = default;
};

struct UnknownHandle {
  DebugHandle handle = kUnknownHandle;
  Unknown why = {UnknownReason::kNotIssued, 0};

  friend bool operator==(const UnknownHandle&, const UnknownHandle&) = default;
};

// Meant to be reused: filling it again keeps its memory. The views in it are valid until the
// symbolizer that filled it is used again or destroyed; the strings are its own.
struct Trace {
  std::vector<DebugHandle> handles;    // as asked for, innermost first
  std::vector<TraceFrame> frames;      // outermost first
  std::vector<UnknownHandle> unknown;  // in the order of `handles`
  // "top(C)::forward.A0(A)::forward.aten::add". If no handle is known: "", or in PyTorch's style
  // its "was not found" line, which PyTorch gives for the hierarchy too.
  std::string hierarchy;
  std::string node;  // the innermost handle's node name; "" if it is not known
  // The whole text, its first line "Module hierarchy:..." (or only why nothing is known). Ends with
  // a newline, except for PyTorch's "was not found" line in PyTorch's style.
  std::string text;
};

// Appends the trace as one JSON object without a newline:
//   {"handles":[...],"hierarchy":"...","frames":[...],"traceback":"...",
//    "unknown":[{"handle":7,"reason":"not-issued"}]}
// Bytes that are not UTF-8 become U+FFFD.
void AppendTraceJson(const Trace& trace, std::string& out);

struct HandleJsonOptions {
  bool traceback = false;      // adds "traceback"
  std::string_view unit = {};  // adds "unit" in front, unless empty
};
// Appends the trace of one handle as the object that `dump --handles` prints:
//   {"handle":7,"node":"aten::add","hierarchy":"...","frames":[...]}
// A handle that is not known has "node" and "hierarchy" "", no frames, and one more field "reason".
void AppendHandleJson(const Trace& trace, const HandleJsonOptions& options, std::string& out);

// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
void AppendJsonString(std::string_view text, std::string& out);

}  // namespace handrail
