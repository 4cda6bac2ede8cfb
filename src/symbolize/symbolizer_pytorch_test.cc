// PyTorch's style: the text that libtorch 1.13.1 prints, byte for byte. Where a golden text of
// PyTorch's own is known, it is used here.
#include <gtest/gtest.h>

#include "handrail/symbolize/symbolizer.h"

#include "symbolize/symbolize_fixture.h"

namespace handrail {
namespace {

Trace Symbolize(const DebugMap& map, std::vector<DebugHandle> handles) {
  Symbolizer symbolizer(map, TraceStyle::kPytorch);
  Trace trace;
  symbolizer.Symbolize(handles, {}, trace);
  for (TraceFrame& frame : trace.frames) {  // views end with the symbolizer
    frame.function = frame.module = frame.type = frame.file = {};
  }
  return trace;
}
std::string TextOf(const DebugMap& map, std::vector<DebugHandle> handles) {
  return Symbolize(map, std::move(handles)).text;
}

TEST(PytorchStyle, OneHandle) {
  TestMap maker("__torch__.C");
  constexpr std::string_view c =
      "\n    def forward(self, x, y):\n      return self.A0.forward(x, y) + self.B0.forward(x)\n";
  constexpr std::string_view a = "\n    def forward(self, x, y):\n      return x + y\n";
  const RangeId call = maker.Range("<string>", c, "self.A0.forward");
  const RangeId add = maker.Range("<string>", a, "x + y");
  maker.Add(3, "aten::add", add, maker.Call({}, "forward", "__torch__.A", "A0", call),
            "__torch__.C.forward");
  EXPECT_EQ(TextOf(maker.Make(), {3}),
            "Module hierarchy:top(C)::<unknown>.A0(A)::forward.aten::add\n"
            "Traceback of TorchScript (most recent call last):\n"
            "  File \"<string>\", line 3, in <unknown>\n"
            "\n"
            "    def forward(self, x, y):\n"
            "      return self.A0.forward(x, y) + self.B0.forward(x)\n"
            "             ~~~~~~~~~~~~~~~ <--- HERE\n"
            "  File \"<string>\", line 3, in forward\n"
            "\n"
            "    def forward(self, x, y):\n"
            "      return x + y\n"
            "             ~~~~~ <--- HERE\n");
}

TEST(PytorchStyle, SeveralHandlesRestartAtUnknown) {
  TestMap maker;
  maker.AddLowered();
  EXPECT_EQ(
      TextOf(maker.Make(), {20, 30}),
      "Module hierarchy:top(Outer)::<unknown>.__loweredModule__(Outer)::forward"
      ".inner(Inner)::forward.aten::add\n"
      "Traceback of TorchScript (most recent call last):\n"
      "  File \"<string>\", line 3, in <unknown>\n"
      "\n"
      "            def forward(self, x: Tensor, y: Tensor):\n"
      "                return self.__loweredModule__.forward(x, y)\n"
      "                       ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ <--- HERE\n"
      "            \n"
      "  File \"<string>\", line 4, in forward\n"
      "            def forward(self, x: Tensor, y: Tensor):\n"
      "                typed_inputs: List[Any] = [x, y, ]\n"
      "                _0, = self.__backend.execute(self.__handles[\"forward\"], typed_inputs)\n"
      "                      ~~~~~~~~~~~~~~~~~~~~~~ <--- HERE\n"
      "                return _0\n"
      "            \n"
      "  File \"outer.py\", line 3, in <unknown>\n"
      "class Outer(nn.Module):\n"
      "    def forward(self, x, y):\n"
      "        z = self.inner(x, y)\n"
      "            ~~~~~~~~~~ <--- HERE\n"
      "        return z - 1\n"
      "  File \"inner.py\", line 3, in forward\n"
      "class Inner(nn.Module):\n"
      "    def forward(self, x, y):\n"
      "        return x + y\n"
      "               ~~~~~ <--- HERE\n");
}

TEST(PytorchStyle, OneUnknownHandleHidesAll) {
  TestMap maker;
  maker.AddOuterAndInner();
  const DebugMap map = maker.Make();
  EXPECT_EQ(TextOf(map, {72, 446}),
            "Debug info for handle(s): debug_handles:{72446}, was not found.");
  EXPECT_EQ(TextOf(map, {12, -1}),
            "Debug info for handle(s): debug_handles:{12-1}, was not found.");
  EXPECT_EQ(TextOf(map, {}), "Debug info for handle(s): debug_handles:{}, was not found.");
  const Trace trace = Symbolize(map, {12, 99});
  EXPECT_EQ(trace.hierarchy, trace.text);
  EXPECT_TRUE(trace.frames.empty());
  EXPECT_EQ(trace.unknown,
            (std::vector<UnknownHandle>{{99, Unknown{UnknownReason::kNotIssued, 0}}}));
}

TEST(PytorchStyle, OneUnknownHandleAloneIsWordedDifferently) {
  TestMap maker;
  maker.AddOuterAndInner();
  const DebugMap map = maker.Make();
  Symbolizer symbolizer(map, TraceStyle::kPytorch);
  Trace trace;
  symbolizer.Symbolize(999999, {}, trace);
  EXPECT_EQ(trace.text, "Debug info for handle(s): 999999, was not found.");
  symbolizer.Symbolize(11, {}, trace);
  EXPECT_EQ(trace.hierarchy, "top(Outer)::<unknown>.aten::sub");
}

TEST(PytorchStyle, ModuleInstances) {
  TestMap maker("__torch__.___torch_mangle_3.B");
  const RangeId nothing = maker.builder.AddGap(RangeGap::kNull);
  StackId stack = maker.Call({}, "forward", "__torch__.___torch_mangle_4.A", "0", nothing);
  stack = maker.builder.AddCall(stack, "helper", std::nullopt, nothing);
  stack = maker.Call(stack, "foo", "__torch__.A", "SELF", nothing);
  stack = maker.Call(stack, "bar", "__torch__.A", "", nothing);
  maker.Add(1, "aten::add", nothing, stack, "__torch__.B.forward");
  EXPECT_EQ(
      TextOf(maker.Make(), {1}),
      "Module hierarchy:top(B)::<unknown>.0(A)::forward.UNKNOWN_INSTANCE(UNKNOWN_TYPE)::helper"
      ".SELF(A)::foo.UNKNOWN_INSTANCE(A)::bar.aten::add\n"
      "Traceback of TorchScript (most recent call last):\n");
}

TEST(PytorchStyle, WhatIsNotKnown) {
  TestMap maker("");
  CallSite call;  // of an archive that has no function names
  call.module_type = maker.builder.AddString("__torch__.A");
  call.module_name = maker.builder.AddString("A0");
  call.range = maker.builder.AddGap(RangeGap::kNotRecorded);
  maker.Add(1, "", maker.Range("inner.py", kInnerText, "x + y"), maker.builder.AddCall({}, call));
  EXPECT_EQ(TextOf(maker.Make(), {1}),
            "Module hierarchy:top(ModuleTypeUnknown)::<unknown>.A0(A)\n"
            "Traceback of TorchScript (most recent call last):\n"
            "  File \"inner.py\", line 3, in FunctionName_UNKNOWN\n"
            "class Inner(nn.Module):\n"
            "    def forward(self, x, y):\n"
            "        return x + y\n"
            "               ~~~~~ <--- HERE\n");
}

TEST(PytorchStyle, RangesWithoutSourcePrintNothing) {
  TestMap maker;
  maker.Add(1, "prim::Return", maker.builder.AddGap(RangeGap::kNull));
  maker.Add(2, "prim::Return", maker.builder.AddGap(RangeGap::kUndefinedTag));
  const DebugMap map = maker.Make();
  EXPECT_EQ(TextOf(map, {1}),
            "Module hierarchy:top(Outer)::<unknown>.prim::Return\n"
            "Traceback of TorchScript (most recent call last):\n");
  EXPECT_EQ(TextOf(map, {2}), TextOf(map, {1}));
}

TEST(PytorchStyle, FileNamesAndFirstLines) {
  TestMap maker;
  const std::string text = "a\nb\n";
  const auto add = [&](DebugHandle handle, const DebugInfoBuilder::SourceOptions& source) {
    maker.Add(handle, "aten::add", maker.builder.AddRange(maker.builder.AddSource(source), 2, 3));
  };
  add(1, {.file_name = "", .first_line = 21, .text = text});
  add(2, {.file_name = std::nullopt, .first_line = 21, .text = text});
  const DebugMap map = maker.Make();
  const std::string head =
      "Module hierarchy:top(Outer)::<unknown>.aten::add\n"
      "Traceback of TorchScript (most recent call last):\n";
  const std::string body = "a\nb\n~ <--- HERE\n";
  EXPECT_EQ(TextOf(map, {1}), head + "  File \"\", line 22, in <unknown>\n" + body);
  EXPECT_EQ(TextOf(map, {2}), head + body);
}

TEST(PytorchStyle, TracedModelsKeepTheirPythonStackAsText) {
  TestMap maker;
  const std::string stack = "model.py(7): forward\nrun.py(3): <module>\n";
  maker.Add(1, "aten::add", maker.builder.AddRange(maker.Source("", stack), 0, stack.size()));
  EXPECT_EQ(TextOf(maker.Make(), {1}),
            "Module hierarchy:top(Outer)::<unknown>.aten::add\n"
            "Traceback of TorchScript (most recent call last):\n" +
                stack);
}

TEST(PytorchStyle, WithoutSourceTextThereAreHeadersOnly) {
  TestMap maker;
  maker.AddOuterAndInner();
  EXPECT_EQ(TextOf(maker.Make({.source_text = false, .path_map = {}}), {12}),
            "Module hierarchy:top(Outer)::<unknown>.inner(Inner)::forward.aten::add\n"
            "Traceback of TorchScript (most recent call last):\n"
            "  File \"outer.py\", line 3, in <unknown>\n"
            "  File \"inner.py\", line 3, in forward\n");
}

TEST(PytorchStyle, RangesBeyondTheText) {
  TestMap maker;
  const std::string text = "a\nbc\n";
  const SourceId source = maker.Source("m.py", text);
  maker.Add(1, "aten::add", maker.builder.AddRange(source, 2, 1'000'000));
  maker.Add(2, "aten::add", maker.builder.AddRange(source, 5, 6));
  const DebugMap map = maker.Make();
  const std::string head =
      "Module hierarchy:top(Outer)::<unknown>.aten::add\n"
      "Traceback of TorchScript (most recent call last):\n";
  EXPECT_EQ(TextOf(map, {1}), head + "  File \"m.py\", line 2, in <unknown>\na\nbc\n~~\n");
  EXPECT_EQ(TextOf(map, {2}), head + "  File \"m.py\", line 3, in <unknown>\na\nbc\n");
}

}  // namespace
}  // namespace handrail
