// The default style: PyTorch's text with the repairs of docs/traces.md, and frames as fields.
#include "handrail/symbolize/symbolizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbolize/generated_code.h"
#include "symbolize/symbolize_fixture.h"

namespace handrail {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kInnerLines =
    "class Inner(nn.Module):\n"
    "    def forward(self, x, y):\n"
    "        return x + y\n"
    "               ~~~~~ <--- HERE\n";
constexpr std::string_view kOuterLines =
    "class Outer(nn.Module):\n"
    "    def forward(self, x, y):\n"
    "        z = self.inner(x, y)\n"
    "            ~~~~~~~~~~ <--- HERE\n"
    "        return z - 1\n";
constexpr std::string_view kTraceback = "Traceback of TorchScript (most recent call last):\n";

std::string Join(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

// A map, its symbolizer, and the trace of what is asked.
class Asked {
 public:
  Asked(DebugMap map, std::vector<DebugHandle> handles, HandleScope scope = {})
      : map_(std::move(map)), symbolizer_(map_) {
    symbolizer_.Symbolize(handles, scope, trace);
  }

  Trace trace;

 private:
  DebugMap map_;
  Symbolizer symbolizer_;
};

// "function module(type) file:line:column-end_line:end_column"
std::vector<std::string> Frames(const Trace& trace) {
  std::vector<std::string> out;
  for (const TraceFrame& frame : trace.frames) {
    const auto place = [](uint32_t line, uint32_t column) {
      return std::to_string(line) + ":" + std::to_string(column);
    };
    out.push_back(
        Join({frame.function, " ", frame.module, "(", frame.type, ") ", frame.file, ":",
              place(frame.line, frame.column), "-", place(frame.end_line, frame.end_column)}));
  }
  return out;
}

std::vector<UnknownReason> Reasons(const Trace& trace) {
  std::vector<UnknownReason> out;
  for (const UnknownHandle& unknown : trace.unknown) out.push_back(unknown.why.reason);
  return out;
}

TEST(Symbolizer, NamesTheFunctionInFramesAndHierarchy) {
  TestMap maker;
  maker.AddOuterAndInner();
  const Asked asked(maker.Make(), {12});
  EXPECT_EQ(asked.trace.text,
            Join({"Module hierarchy:top(Outer)::forward.inner(Inner)::forward.aten::add\n",
                  kTraceback, "  File \"outer.py\", line 3, in forward\n", kOuterLines,
                  "  File \"inner.py\", line 3, in forward\n", kInnerLines}));
  EXPECT_EQ(asked.trace.hierarchy, "top(Outer)::forward.inner(Inner)::forward.aten::add");
  EXPECT_EQ(asked.trace.node, "aten::add");
  EXPECT_THAT(Frames(asked.trace), ElementsAre("forward top(Outer) outer.py:3:13-3:23",
                                               "forward inner(Inner) inner.py:3:16-3:21"));
  EXPECT_TRUE(asked.trace.unknown.empty());
}

TEST(Symbolizer, EveryHandleHasItsFunction) {
  // An interface call: two handles, each with its own function.
  TestMap maker;
  const RangeId self_call = maker.Range("inner.py", kInnerText, "x + y");
  maker.Add(1, "aten::ones", maker.builder.AddGap(RangeGap::kNull),
            maker.Call({}, "fill", "__torch__.Inner", "SELF", self_call), "__torch__.Inner.run");
  maker.Add(2, "prim::CallMethod", maker.Range("outer.py", kOuterText, "self.inner"), {},
            "__torch__.Outer.forward");
  const Asked asked(maker.Make(), {1, 2});
  EXPECT_EQ(asked.trace.hierarchy, "top(Outer)::forward.SELF(Inner)::fill.aten::ones");
  EXPECT_THAT(Frames(asked.trace),
              ElementsAre("forward top(Outer) outer.py:3:13-3:23", "run (Inner) inner.py:3:16-3:21",
                          "fill SELF(Inner) :0:0-0:0"));
}

TEST(Symbolizer, LeavesOutGeneratedCodeAndNamesTheLoweredMethod) {
  TestMap maker{kWrapperType};
  maker.AddLowered();
  const Asked asked(maker.Make(), {20, 30});
  EXPECT_EQ(asked.trace.text,
            Join({"Module hierarchy:top(Outer)::forward.inner(Inner)::forward.aten::add\n",
                  kTraceback, "  File \"outer.py\", line 3, in forward\n", kOuterLines,
                  "  File \"inner.py\", line 3, in forward\n", kInnerLines}));
  EXPECT_THAT(Frames(asked.trace), ElementsAre("forward top(Outer) outer.py:3:13-3:23",
                                               "forward inner(Inner) inner.py:3:16-3:21"));
}

TEST(Symbolizer, ALoweredSubmoduleKeepsItsStep) {
  TestMap maker("__torch__.C");
  maker.Add(20, "aten::add", maker.Range("inner.py", kInnerText, "x + y"));
  const StackId in_wrapper = maker.Call({}, "forward", kWrapperType, "A0",
                                        maker.Range("outer.py", kOuterText, "self.inner"));
  const StackId in_lowered =
      maker.Call(in_wrapper, "forward", kLoweredType, "__loweredModule__",
                 maker.Range("<string>", kWrapperText, "self.__loweredModule__.forward"));
  maker.Add(30, "prim::CallMethod", maker.Range("<string>", kLoweredText, "self.__backend.execute"),
            in_lowered, "__torch__.C.run");
  const Asked asked(maker.Make(), {20, 30});
  EXPECT_EQ(asked.trace.hierarchy, "top(C)::run.A0(Outer)::forward.aten::add");
  EXPECT_THAT(Frames(asked.trace),
              ElementsAre("run top(C) outer.py:3:13-3:23", "forward A0(Outer) inner.py:3:16-3:21"));
}

TEST(Symbolizer, LoweredModulesWithoutWrapper) {
  // PyTorch 1.8 and 1.9.
  TestMap maker("__torch__.C");
  maker.Add(20, "aten::add", maker.Range("inner.py", kInnerText, "x + y"));
  const StackId in_lowered = maker.Call({}, "forward", "torch.jit.demoLoweredModule", "A0",
                                        maker.Range("outer.py", kOuterText, "self.inner"));
  maker.Add(30, "prim::CallMethod", maker.Range("<string>", kLoweredText, "self.__backend.execute"),
            in_lowered, "__torch__.C.run");
  const Asked asked(maker.Make(), {20, 30});
  EXPECT_EQ(asked.trace.hierarchy, "top(C)::run.A0(demoLoweredModule)::forward.aten::add");
  EXPECT_THAT(Frames(asked.trace), ElementsAre("run top(C) outer.py:3:13-3:23",
                                               "forward A0(demoLoweredModule) inner.py:3:16-3:21"));
}

TEST(Symbolizer, GeneratedCodeIsRecognizedByItsTextWhereTypesAreMissing) {
  TestMap maker("");
  maker.Add(20, "aten::add", maker.Range("inner.py", kInnerText, "x + y"));
  maker.Add(30, "prim::CallMethod",
            maker.Range("<string>", kLoweredText, "self.__backend.execute"));
  const Asked asked(maker.Make(), {20, 30});
  EXPECT_THAT(Frames(asked.trace), ElementsAre("<unknown> top() inner.py:3:16-3:21"));
}

TEST(Symbolizer, AUsersLoweredModuleIsNotGenerated) {
  EXPECT_TRUE(IsGeneratedType("torch.jit.LoweredWrapper.demo.__torch__.A"));
  EXPECT_TRUE(IsGeneratedType("torch.jit.LoweredModule.demo.__torch__.___torch_mangle_3.A"));
  EXPECT_TRUE(IsGeneratedType("torch.jit.___torch_mangle_0.demoLoweredModule"));
  EXPECT_FALSE(IsGeneratedType("__torch__.LoweredModule"));
  EXPECT_FALSE(IsGeneratedType("__torch__.torch.jit.LoweredModule.A"));
  EXPECT_FALSE(IsGeneratedType("torch.jit.LoweredModules"));
}

TEST(Symbolizer, ADelegatesHandleAloneHasNoFunction) {
  TestMap maker{kWrapperType};
  maker.AddLowered();
  const Asked asked(maker.Make(), {20});
  EXPECT_EQ(asked.trace.hierarchy, "top(Outer)::<unknown>.inner(Inner)::forward.aten::add");
  EXPECT_THAT(Frames(asked.trace), ElementsAre("<unknown> top(Outer) outer.py:3:13-3:23",
                                               "forward inner(Inner) inner.py:3:16-3:21"));
}

TEST(Symbolizer, AnUnknownHandleHidesItsOwnFramesOnly) {
  TestMap maker;
  maker.AddOuterAndInner();
  const Asked inner(maker.Make(), {446, 12});
  EXPECT_EQ(inner.trace.text,
            Join({"Module hierarchy:top(Outer)::forward.inner(Inner)::forward\n", kTraceback,
                  "  File \"outer.py\", line 3, in forward\n", kOuterLines,
                  "  File \"inner.py\", line 3, in forward\n", kInnerLines,
                  "  <debug handle 446: not issued by this map>\n"}));
  EXPECT_EQ(inner.trace.node, "");

  TestMap again;
  again.AddOuterAndInner();
  const Asked outer(again.Make(), {12, -1});
  EXPECT_EQ(
      outer.trace.text,
      Join({"Module hierarchy:top(Outer)::<unknown>.inner(Inner)::forward.aten::add\n", kTraceback,
            "  <debug handle -1: -1 stands for a place that never had a handle>\n",
            "  File \"outer.py\", line 3, in forward\n", kOuterLines,
            "  File \"inner.py\", line 3, in forward\n", kInnerLines}));
  EXPECT_EQ(outer.trace.unknown,
            (std::vector<UnknownHandle>{{-1, Unknown{UnknownReason::kSentinel, 0}}}));
}

TEST(Symbolizer, NothingKnown) {
  TestMap maker;
  maker.AddOuterAndInner();
  const Asked asked(maker.Make(), {446, 72});
  EXPECT_EQ(asked.trace.text,
            "  <debug handle 72: not issued by this map>\n"
            "  <debug handle 446: not issued by this map>\n");
  EXPECT_EQ(asked.trace.hierarchy, "");
  EXPECT_EQ(asked.trace.unknown.size(), 2u);

  TestMap again;
  again.AddOuterAndInner();
  EXPECT_EQ(Asked(again.Make(), {}).trace.text, "  <no debug handles>\n");
}

TEST(Symbolizer, SaysWhyANodeHasNoSourceLine) {
  TestMap maker;
  maker.Add(1, "aten::add", maker.builder.AddGap(RangeGap::kNotRecorded), {},
            "__torch__.Outer.run");
  maker.Add(2, "aten::add", maker.builder.AddGap(RangeGap::kNull), {}, "__torch__.Outer.run");
  const DebugMap map = maker.Make();
  Symbolizer symbolizer(map);
  Trace trace;
  symbolizer.Symbolize(1, {}, trace);
  EXPECT_EQ(trace.text,
            Join({"Module hierarchy:top(Outer)::run.aten::add\n", kTraceback,
                  "  <no source line, in run: its source range was not recorded when the archive "
                  "was written>\n"}));
  symbolizer.Symbolize(2, {}, trace);
  EXPECT_EQ(trace.text, Join({"Module hierarchy:top(Outer)::run.aten::add\n", kTraceback}));
}

TEST(Symbolizer, StrippedAndConflictingHandlesSayWhy) {
  TestMap maker;
  maker.Add(1, "", maker.builder.AddGap(RangeGap::kStripped), {}, "__torch__.Outer.forward");
  maker.Add(2, "aten::add", maker.builder.AddGap(RangeGap::kNull));
  maker.Add(2, "aten::sub", maker.builder.AddGap(RangeGap::kNull));
  maker.Add(3, "", maker.builder.AddGap(RangeGap::kDamagedRecord));
  EXPECT_THAT(Reasons(Asked(maker.Make(), {1, 2, 3}).trace),
              ElementsAre(UnknownReason::kStripped, UnknownReason::kConflict,
                          UnknownReason::kDamagedRecord));
}

TEST(Symbolizer, UnitsAndBuilds) {
  TestMap maker("__torch__.Outer", {7, 7});
  maker.AddOuterAndInner();
  maker.BeginUnit("__torch__.Other", {8, 8});
  maker.Add(12, "aten::mul", maker.builder.AddGap(RangeGap::kNull), {}, "__torch__.Other.run");
  const DebugMap map = maker.Make();
  Symbolizer symbolizer(map);
  Trace trace;
  const auto ask = [&](const HandleScope& scope) {
    symbolizer.Symbolize(12, scope, trace);
    return trace.hierarchy;
  };
  EXPECT_EQ(ask({}), "");
  EXPECT_THAT(Reasons(trace), ElementsAre(UnknownReason::kAmbiguous));
  EXPECT_EQ(ask({.build_id = Hash128{8, 8}}), "top(Other)::run.aten::mul");
  EXPECT_EQ(ask({.build_id = Hash128{7, 7}}),
            "top(Outer)::forward.inner(Inner)::forward.aten::add");
  EXPECT_EQ(ask({.build_id = Hash128{9, 9}}), "");
  EXPECT_THAT(Reasons(trace), ElementsAre(UnknownReason::kOtherBuild));
}

TEST(Symbolizer, ForgetsWithoutChangingAnswers) {
  TestMap maker;
  for (int i = 0; i < 2'000; ++i) {
    const std::string file = "file_with_a_long_name_" + std::to_string(i) + ".py";
    maker.Add(i, "aten::add", maker.Range(file, kInnerText, "x + y"));
  }
  const DebugMap map = maker.Make();
  Symbolizer forgetful(map, TraceStyle::kHandrail, /*memo_bytes_max=*/10'000);
  Symbolizer remembering(map);
  Trace a;
  Trace b;
  for (int round = 0; round < 2; ++round) {
    for (DebugHandle handle = 0; handle < 2'000; ++handle) {
      forgetful.Symbolize(handle, {}, a);
      remembering.Symbolize(handle, {}, b);
      ASSERT_EQ(a.text, b.text);
      ASSERT_EQ(a.frames, b.frames);
    }
  }
}

TEST(Symbolizer, DeepStacks) {
  constexpr int kDepth = 200'000;
  TestMap maker;
  StackId stack;
  const RangeId range = maker.builder.AddGap(RangeGap::kNull);
  for (int i = 0; i < kDepth; ++i) stack = maker.Call(stack, "f", "__torch__.A", "a", range);
  maker.Add(1, "aten::add", range, stack);
  const Asked asked(maker.Make(), {1});
  EXPECT_EQ(asked.trace.frames.size(), kDepth + 1u);
}

}  // namespace
}  // namespace handrail
