// The code that docs/embedding.md shows, as one program: test/tidy compares the two.
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>

#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/symbolize/map_file.h"
#include "handrail/symbolize/symbolizer.h"

namespace {

handrail::Status Symbolize(handrail::DebugHandle handle) {
  HANDRAIL_ASSIGN_OR_RETURN(const handrail::OpenedMap opened, handrail::OpenMap("model.hdm"));
  handrail::Symbolizer symbolizer(opened.map);
  handrail::Trace trace;
  symbolizer.Symbolize(handle, {}, trace);
  std::cout << trace.text;
  return {};
}

handrail::Status RecordAndSymbolize(const std::string& text) {
  handrail::DebugInfoBuilder builder;
  const handrail::SourceId file = builder.AddSource({.file_name = "model.py", .text = text});
  HANDRAIL_RETURN_IF_ERROR(builder.BeginUnit({.key = handrail::HashBytes(text)}));

  // self.a(x), at bytes 57 to 66, was inlined: a node of its body, at bytes 12 to 17.
  const handrail::RangeId call = builder.AddRange(file, 57, 66);
  const handrail::StackId stack =
      builder.AddCall({}, "forward", {{.type = "A", .name = "a"}}, call);
  const handrail::Result<handrail::DebugHandle> handle =
      builder.AddNode("aten::add", builder.AddRange(file, 12, 17), stack);
  if (!handle) return handrail::Fail(handle.error().code, handle.error().message);

  const handrail::DebugInfo info = std::move(builder).Finish();
  HANDRAIL_ASSIGN_OR_RETURN(const auto bytes, handrail::EncodeDebugMap(info));
  HANDRAIL_RETURN_IF_ERROR(handrail::WriteFileAtomically("model.hdm", bytes));
  return Symbolize(*handle);
}

}  // namespace

int main() {
  const handrail::Status status = RecordAndSymbolize(
      "def a(x):\n  x + 1\n"
      "def top(x):  # calls a, further down\n"
      "  self.a(x)\n");
  if (status) return 0;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return 1;
}
