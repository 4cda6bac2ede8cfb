#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "handrail/symbolize/trace.h"

namespace handrail {
namespace {

// The bytes that a JSON string holds as they are, or escaped by one letter. All others need a look
// at their neighbours (UTF-8) or a longer escape.
bool IsPlain(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return (value >= 0x20 && value < 0x7f) || byte == '\n' || byte == '\t' || byte == '\r';
}

void AppendPlain(std::string_view text, std::string& out) {
  out += '"';
  for (const char byte : text) {
    switch (byte) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        out += byte;
    }
  }
  out += '"';
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
  if (std::all_of(text.begin(), text.end(), IsPlain)) {
    AppendPlain(text, out);
  } else {
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
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
