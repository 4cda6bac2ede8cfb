// Handles to frames, to text and to JSON, and the log filter, on a map like that of a network of
// 100 blocks of 100 leaves (200,000 handles, each leaf called from its own call stack).
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "handrail/base/check.h"
#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/symbolize/log_filter.h"
#include "handrail/symbolize/symbolizer.h"

namespace handrail {
namespace {

constexpr int kBlocks = 100;
constexpr int kLeaves = 100;
constexpr int kNodesPerLeaf = 20;
constexpr DebugHandle kHandleCount = kBlocks * kLeaves * kNodesPerLeaf;

constexpr std::string_view kText =
    "class Leaf(nn.Module):\n"
    "    def __init__(self, width: int):\n"
    "        super().__init__()\n"
    "        self.linear = nn.Linear(width, width)\n"
    "    def forward(self, x: Tensor) -> Tensor:\n"
    "        y = torch.relu(self.linear(x))\n"
    "        y = y * 2.0 + x\n"
    "        return torch.sigmoid(y) - 0.5\n"
    "    def extra_repr(self) -> str:\n"
    "        return 'leaf of a network that is measured'\n";

DebugMap MakeMap() {
  DebugInfoBuilder builder;
  HANDRAIL_CHECK(builder.BeginUnit({.kind = UnitKind::kForeign,
                                    .key = {1, 1},
                                    .build_id = {7, 7},
                                    .top_type = "__torch__.network.Net"}));
  const SourceId source =
      builder.AddSource({.file_name = "network.py", .first_line = 40, .text = kText});
  const auto range = [&](std::string_view part) {
    const size_t at = kText.find(part);
    return builder.AddRange(source, at, at + part.size());
  };
  const RangeId ranges[] = {range("torch.relu(self.linear(x))"), range("self.linear(x)"),
                            range("y * 2.0"), range("y * 2.0 + x"), range("torch.sigmoid(y)")};
  const RangeId call = range("self.linear");
  Node node;
  node.function = builder.AddString("__torch__.network.Net.forward");
  DebugHandle handle = 0;
  for (int block = 0; block < kBlocks; ++block) {
    const StackId in_block = builder.AddCall(
        {}, "forward", ModuleInstance{"__torch__.network.Block", "block" + std::to_string(block)},
        call);
    for (int leaf = 0; leaf < kLeaves; ++leaf) {
      node.stack =
          builder.AddCall(in_block, "forward",
                          ModuleInstance{"__torch__.network.Leaf", std::to_string(leaf)}, call);
      for (int i = 0; i < kNodesPerLeaf; ++i) {
        node.name = builder.AddString(i % 4 == 0 ? "aten::linear" : "aten::mul");
        node.range = ranges[i / 4];
        builder.AddForeignNode(handle++, node);
      }
    }
  }
  auto bytes = EncodeDebugMap(std::move(builder).Finish());
  HANDRAIL_CHECK(bytes);
  auto map = DebugMap::FromBytes(*std::move(bytes), "network.hdm");
  HANDRAIL_CHECK(map);
  return *std::move(map);
}

const DebugMap& Map() {
  static const DebugMap map = MakeMap();
  return map;
}

const std::vector<DebugHandle>& RandomHandles() {
  static const std::vector<DebugHandle> handles = [] {
    std::mt19937_64 random(1);
    std::vector<DebugHandle> made(1 << 16);
    for (DebugHandle& handle : made) handle = static_cast<DebugHandle>(random() % kHandleCount);
    return made;
  }();
  return handles;
}

void HandleToFrames(benchmark::State& state) {
  const DebugMap& map = Map();
  const std::vector<DebugHandle>& handles = RandomHandles();
  std::vector<FrameIds> frames;
  size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ReadFrames(map, {}, handles[i++ % handles.size()], frames));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(HandleToFrames);

void HandleToText(benchmark::State& state) {
  Symbolizer symbolizer(Map());
  const std::vector<DebugHandle>& handles = RandomHandles();
  Trace trace;
  size_t i = 0;
  size_t bytes = 0;
  for (auto _ : state) {
    symbolizer.Symbolize(handles[i++ % handles.size()], {}, trace);
    bytes += trace.text.size();
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
}
BENCHMARK(HandleToText);

void HandleToJson(benchmark::State& state) {
  Symbolizer symbolizer(Map());
  const std::vector<DebugHandle>& handles = RandomHandles();
  Trace trace;
  std::string out;
  size_t i = 0;
  for (auto _ : state) {
    symbolizer.Symbolize(handles[i++ % handles.size()], {}, trace);
    out.clear();
    AppendTraceJson(trace, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(HandleToJson);

void FilterLog(benchmark::State& state, std::string_view line) {
  std::string log;
  while (log.size() < (size_t{1} << 18)) log += line;
  MapSet maps;
  uint64_t bytes_out = 0;
  LogFilter filter(maps, {}, [&bytes_out](std::string_view piece) -> Status {
    bytes_out += piece.size();
    return {};
  });
  for (auto _ : state) HANDRAIL_CHECK(filter.Write(log));
  HANDRAIL_CHECK(filter.Finish());
  HANDRAIL_CHECK(bytes_out == filter.counts().bytes);
  state.SetBytesProcessed(static_cast<int64_t>(filter.counts().bytes));
}
BENCHMARK_CAPTURE(FilterLog, plain,
                  "2024-03-09T11:42:01.391Z INFO encoder-service: request 1: 6 rows, in 0.4 ms\n");
BENCHMARK_CAPTURE(FilterLog, handler_words,
                  "debug handler handles handle Debug info: {\"debug_hand\": {\"hdh\": {{{}}}}}\n");

}  // namespace
}  // namespace handrail
