#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "handrail/symbolize/trace.h"

namespace handrail {
namespace {

// What a byte becomes in a JSON string: itself (0), `\\` and this letter, or (kNotByItself)
// something that takes a look at its neighbours (UTF-8) or a longer escape.
constexpr char kNotByItself = 1;
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> escapes = {};
  for (size_t byte = 0; byte < escapes.size(); ++byte) {
    escapes[byte] = byte < 0x20 || byte >= 0x7f ? kNotByItself : '\0';
  }
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  escapes['\n'] = 'n';
  escapes['\t'] = 't';
  escapes['\r'] = 'r';
  return escapes;
}();

char EscapeOf(char byte) {
  return kEscapes[static_cast<unsigned char>(byte)];
}

template <typename... Args>
void Append(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

void AppendFrame(const TraceFrame& frame, std::string& out) {
  out += "{\"function\":";
  AppendJsonString(frame.function, out);
  out += ",\"module\":";
  AppendJsonString(frame.module, out);
  out += ",\"type\":";
  AppendJsonString(frame.type, out);
  out += ",\"file\":";
  AppendJsonString(frame.file, out);
  Append(out, ",\"line\":{},\"column\":{},\"end_line\":{},\"end_column\":{}}}", frame.line,
         frame.column, frame.end_line, frame.end_column);
}

void AppendHierarchyAndFrames(const Trace& trace, std::string& out) {
  out += "\"hierarchy\":";
  AppendJsonString(trace.hierarchy, out);
  out += ",\"frames\":[";
  for (const TraceFrame& frame : trace.frames) {
    if (&frame != trace.frames.data()) out += ',';
    AppendFrame(frame, out);
  }
  out += ']';
}

void AppendTraceback(const Trace& trace, std::string& out) {
  out += ",\"traceback\":";
  AppendJsonString(trace.text, out);
}

}  // namespace

void AppendJsonString(std::string_view text, std::string& out) {
  const size_t before = out.size();
  out += '"';
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && EscapeOf(text[end]) == 0) ++end;
    out += text.substr(at, end - at);
    if (end == text.size()) break;
    const char escape = EscapeOf(text[end]);
    if (escape == kNotByItself) {
      out.resize(before);
      out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      return;
    }
    const char escaped[] = {'\\', escape};
    out.append(escaped, sizeof(escaped));
    at = end + 1;
  }
  out += '"';
}

void AppendTraceJson(const Trace& trace, std::string& out) {
  Append(out, "{{\"handles\":[{}],", fmt::join(trace.handles, ","));
  AppendHierarchyAndFrames(trace, out);
  AppendTraceback(trace, out);
  out += ",\"unknown\":[";
  for (const UnknownHandle& unknown : trace.unknown) {
    if (&unknown != trace.unknown.data()) out += ',';
    Append(out, "{{\"handle\":{},\"reason\":\"{}\"}}", unknown.handle,
           ToString(unknown.why.reason));
  }
  out += "]}";
}

void AppendHandleJson(const Trace& trace, const HandleJsonOptions& options, std::string& out) {
  out += '{';
  if (!options.unit.empty()) {
    out += "\"unit\":";
    AppendJsonString(options.unit, out);
    out += ',';
  }
  Append(out, "\"handle\":{},\"node\":", fmt::join(trace.handles, ","));
  AppendJsonString(trace.node, out);
  out += ',';
  AppendHierarchyAndFrames(trace, out);
  if (options.traceback) AppendTraceback(trace, out);
  if (!trace.unknown.empty()) {
    Append(out, ",\"reason\":\"{}\"", ToString(trace.unknown.front().why.reason));
  }
  out += '}';
}

}  // namespace handrail
