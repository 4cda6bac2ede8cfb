#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "handrail/symbolize/symbolizer.h"

#include "symbolize/symbolize_fixture.h"

namespace handrail {
namespace {

std::string JsonString(std::string_view text) {
  std::string out;
  AppendJsonString(text, out);
  return out;
}

TEST(TraceJson, Strings) {
  EXPECT_EQ(JsonString("a \"b\" \\ \n\t\r c"), R"("a \"b\" \\ \n\t\r c")");
  EXPECT_EQ(JsonString("\xc3\xa9"), "\"\xc3\xa9\"");
  EXPECT_EQ(JsonString("a\xc3"), "\"a\xef\xbf\xbd\"");
  EXPECT_EQ(JsonString(std::string_view("\0\x1f", 2)), R"("\u0000\u001f")");
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = {'a', static_cast<char>(byte), 'b'};
    const nlohmann::json parsed = nlohmann::json::parse(JsonString(text));
    EXPECT_EQ(parsed.get<std::string>(), byte < 0x80 ? text
                                                     : "a\xef\xbf\xbd"
                                                       "b");
  }
}

TEST(TraceJson, Trace) {
  TestMap maker;
  maker.AddOuterAndInner();
  const DebugMap map = maker.Make({.source_text = false, .path_map = {}});
  Symbolizer symbolizer(map);
  Trace trace;
  symbolizer.Symbolize(std::vector<DebugHandle>{9, 11}, {}, trace);
  std::string out;
  AppendTraceJson(trace, out);
  EXPECT_EQ(
      out, R"({"handles":[9,11],"hierarchy":"top(Outer)::forward","frames":[{"function":"forward",)"
           R"("module":"top","type":"Outer","file":"outer.py","line":4,"column":16,"end_line":4,)"
           R"("end_column":21}],"traceback":"Module hierarchy:top(Outer)::forward\nTraceback of )"
           R"(TorchScript (most recent call last):\n  File \"outer.py\", line 4, in forward\n  )"
           R"(<debug handle 9: not issued by this map>\n","unknown":[{"handle":9,"reason":)"
           R"("not-issued"}]})");
}

TEST(TraceJson, Handle) {
  TestMap maker;
  maker.AddOuterAndInner();
  const DebugMap map = maker.Make({.source_text = false, .path_map = {}});
  Symbolizer symbolizer(map);
  Trace trace;
  std::string out;
  symbolizer.Symbolize(11, {}, trace);
  AppendHandleJson(trace, {}, out);
  EXPECT_EQ(
      out,
      R"({"handle":11,"node":"aten::sub","hierarchy":"top(Outer)::forward.aten::sub","frames":)"
      R"([{"function":"forward","module":"top","type":"Outer","file":"outer.py","line":4,)"
      R"("column":16,"end_line":4,"end_column":21}]})");
  out.clear();
  symbolizer.Symbolize(-7, {}, trace);
  AppendHandleJson(trace, {.traceback = true, .unit = "u"}, out);
  EXPECT_EQ(out,
            R"({"unit":"u","handle":-7,"node":"","hierarchy":"","frames":[],"traceback":"  <debug )"
            R"(handle -7: not issued by this map>\n","reason":"not-issued"})");
}

}  // namespace
}  // namespace handrail
