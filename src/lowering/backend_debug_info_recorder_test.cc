#include "handrail/lowering/backend_debug_info_recorder.h"

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handrail/graph/text_unit.h"
#include "handrail/inlining/inlining.h"
#include "handrail/lowering/lowering_key.h"

#include "lowering/handle_order.h"

namespace handrail {
namespace {

using testing::ElementsAre;

// A module "__torch__.M" whose `forward` calls `part`'s; all of one text each.
class Model {
 public:
  explicit Model(const std::string& forward, const graph::TextName& name = {}) {
    const graph::DefinitionId part = *code_.AddModule("__torch__.Part");
    EXPECT_TRUE(code_.Define(part, "def forward(self, x):\n  return torch.neg(x)\n"));
    const graph::DefinitionId top = *code_.AddModule("__torch__.M");
    EXPECT_TRUE(code_.AddSubmodule(top, "part", part));
    const Status defined = code_.Define(top, forward, name);
    EXPECT_TRUE(defined) << defined.error().message;
    Result<graph::Graph> graph =
        graph::InlineFunction(code_.FindMethod(top, "forward"), [this](graph::FunctionId id) {
          return Result<const graph::Graph*>(code_.unit().function(id).graph.get());
        });
    EXPECT_TRUE(graph);
    graph_.emplace(*std::move(graph));
  }

  const graph::Graph& graph() const { return *graph_; }
  const graph::CompilationUnit& unit() const { return code_.unit(); }
  std::vector<MethodToLower> methods() const { return {{"forward", &graph()}}; }
  Hash128 Key(const LoweringIdentity& identity = {.backend = "b",
                                                  .module_type = "__torch__.M",
                                                  .module_path = "",
                                                  .options = ""}) const {
    return LoweringKey(identity, unit(), methods());
  }

 private:
  graph::TextUnit code_;
  std::optional<graph::Graph> graph_;
};

constexpr const char* kForward = R"(def forward(self, x):
  y = self.part(x)
  if bool(x.sum() > 0):
    y = torch.relu(y)
  else:
    y = torch.abs(y)
  return y + self.part(y)
)";

// "aten::neg forward(part)": the nodes that are no constants, in the order of the handles.
std::vector<std::string> Described(const DebugInfo& info) {
  std::vector<std::string> lines;
  for (const Node& node : info.units.at(0).nodes) {
    const std::string_view name = info.strings.at(node.name);
    if (!name.starts_with("aten::")) continue;
    std::string& line = lines.emplace_back(name);
    for (StackId at = node.stack; !at.is_none(); at = info.stacks[at.index].caller) {
      const CallSite& site = info.call_sites[info.stacks[at.index].call_site.index];
      line += " ";
      line += info.strings.at(site.function);
      line += "(" + std::string(info.strings.at(site.module_name)) + ")";
    }
    line += " " + std::to_string(info.ranges[node.range.index].start.line);
  }
  return lines;
}

TEST(BackendDebugInfoRecorderTest, ABlocksNodesComeBeforeItsBlocksTheLastOneFirst) {
  const Model model(kForward);
  BackendDebugInfoRecorder recorder(model.unit(), {.key = model.Key(), .top_type = "__torch__.M"});
  recorder.BeginFunction("__torch__.M.forward");
  const Result<NodeHandles> handles = recorder.GenerateDebugHandles(model.graph());
  ASSERT_TRUE(handles);
  const Result<DebugInfo> info = recorder.StopRecording();
  ASSERT_TRUE(info);
  EXPECT_THAT(
      Described(*info),
      ElementsAre("aten::neg forward(part) 2", "aten::sum 3", "aten::gt 3", "aten::Bool 3",
                  "aten::neg forward(part) 2", "aten::add 7", "aten::abs 6", "aten::relu 4"));
  const Unit& unit = info->units.at(0);
  EXPECT_EQ(unit.key, model.Key());
  EXPECT_EQ(info->strings.at(unit.top_type), "__torch__.M");
  EXPECT_EQ(info->strings.at(unit.nodes[0].function), "__torch__.M.forward");
  // Every node has the handle that its debug info is under.
  size_t row = 0;
  ForEachNodeInHandleOrder(model.graph(), [&](graph::NodeId node) {
    EXPECT_EQ((*handles)[node], unit.handles.at(row));
    EXPECT_EQ(model.graph().kind_name(node), info->strings.at(unit.nodes.at(row).name));
    ++row;
    return true;
  });
  EXPECT_EQ(row, unit.handles.size());
  EXPECT_EQ((*handles)[model.graph().param_node(model.graph().root())], kUnknownHandle);
  EXPECT_EQ((*handles)[graph::NodeId{model.graph().node_count()}], kUnknownHandle);
}

TEST(BackendDebugInfoRecorderTest, EqualStacksAreOneRow) {
  const Model model("def forward(self, x):\n  return self.part(self.part(x))\n");
  BackendDebugInfoRecorder recorder(model.unit(), {.key = model.Key()});
  ASSERT_TRUE(recorder.GenerateDebugHandles(model.graph()));
  ASSERT_TRUE(recorder.GenerateDebugHandles(model.graph()));
  const Result<DebugInfo> info = recorder.StopRecording();
  ASSERT_TRUE(info);
  EXPECT_EQ(info->stacks.size(), 2U);
  EXPECT_EQ(info->sources.size(), 2U);
}

TEST(BackendDebugInfoRecorderTest, GivesItsDebugInfoAwayOnce) {
  const Model model(kForward);
  BackendDebugInfoRecorder recorder(model.unit(), {.key = model.Key()});
  ASSERT_TRUE(recorder.StopRecording());
  EXPECT_EQ(recorder.StopRecording().error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(recorder.GenerateDebugHandles(model.graph()).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(recorder.NextDebugHandle(model.graph(), graph::NodeId{0}).error().message,
            "the recorder has stopped: its debug info was taken");
}

TEST(BackendDebugInfoRecorderTest, RunsOverIntoAFurtherSpace) {
  const Model model(kForward);
  const Hash128 key = model.Key();
  BackendDebugInfoRecorder recorder(model.unit(), {.key = key});
  const graph::NodeId node = *model.graph().nodes(model.graph().root()).begin();
  for (uint32_t i = 0; i < kHandlesPerSpace; ++i) {
    const Result<DebugHandle> handle = recorder.NextDebugHandle(model.graph(), node);
    ASSERT_TRUE(handle);
    ASSERT_EQ(*handle, MakeHandle(HandleSpaceForKey(key, 0), i));
  }
  const Result<DebugHandle> next = recorder.NextDebugHandle(model.graph(), node);
  ASSERT_TRUE(next);
  EXPECT_EQ(*next, MakeHandle(HandleSpaceForKey(key, 1), 0));
  EXPECT_NE(HandleSpaceOf(*next), HandleSpaceForKey(key, 0));
}

TEST(BackendDebugInfoRecorderTest, ManyThreadsIssueDistinctHandles) {
  constexpr uint32_t kThreads = 8;
  constexpr uint32_t kNodes = 1'000'000;
  const Model model(kForward);
  const graph::NodeId node = *model.graph().nodes(model.graph().root()).begin();
  std::vector<std::vector<DebugHandle>> issued(kThreads);
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      BackendDebugInfoRecorder recorder(model.unit(),
                                        {.key = model.Key({.backend = "b",
                                                           .module_type = "__torch__.M",
                                                           .module_path = std::to_string(t),
                                                           .options = ""})});
      for (uint32_t i = 0; i < kNodes; ++i) {
        issued[t].push_back(recorder.NextDebugHandle(model.graph(), node).value_or(-1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<DebugHandle> all;
  for (const auto& handles : issued) all.insert(all.end(), handles.begin(), handles.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all.size(), size_t{kThreads} * kNodes);
  EXPECT_GE(all.front(), 0);
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST(LoweringKeyTest, TheSameModelHasTheSameKey) {
  EXPECT_EQ(Model(kForward).Key(), Model(kForward).Key());
  // Pinned: a model that is lowered again keeps its handles.
  EXPECT_EQ(Model(kForward).Key().ToHex(), "725e5e3268008ec7f9803122c7abb692");
}

TEST(LoweringKeyTest, WhatMovesALineChangesTheKey) {
  const Hash128 key = Model(kForward).Key();
  const std::string forward = kForward;
  std::vector<Hash128> keys{key};
  keys.push_back(Model("# above\n" + forward).Key());
  keys.push_back(Model(forward + "# below\n").Key());
  keys.push_back(Model(forward, {.file_name = "m.py"}).Key());
  keys.push_back(Model(forward, {.first_line = 2}).Key());
  const Model model(kForward);
  const LoweringIdentity same{
      .backend = "b", .module_type = "__torch__.M", .module_path = "", .options = ""};
  EXPECT_EQ(model.Key(same), key);
  LoweringIdentity other = same;
  other.backend = "c";
  keys.push_back(model.Key(other));
  other = same;
  other.module_type = "__torch__.N";
  keys.push_back(model.Key(other));
  other = same;
  other.module_path = "a";
  keys.push_back(model.Key(other));
  other = same;
  other.options = "a";
  keys.push_back(model.Key(other));
  keys.push_back(SaltedKey(key, 1));
  keys.push_back(SaltedKey(key, 2));
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

}  // namespace
}  // namespace handrail
