// Writes the map of a program in which nothing repeats: every node has its own line and its own
// name, over many files, with call stacks twelve deep:  distinct_nodes OUT.hdm [NODES]
//
// It is the opposite of a network of equal layers, and the hardest case for a compact map.
#include <cstdlib>
#include <random>
#include <vector>

#include <fmt/format.h>

#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/debug_map/debug_map_writer.h"

namespace {

using namespace handrail;

constexpr uint32_t kFiles = 2000;
constexpr uint32_t kDepth = 12;
constexpr uint32_t kNodesPerCall = 10;

DebugInfo DistinctNodes(uint32_t node_count) {
  std::mt19937 random(1);
  DebugInfoBuilder builder;
  if (!builder.BeginUnit({.kind = UnitKind::kBytecode, .key = HashBytes("distinct nodes")})) {
    std::abort();
  }
  builder.BeginFunction("__torch__.Net.forward");
  std::vector<SourceId> sources;
  for (uint32_t i = 0; i < kFiles; ++i) {
    const std::string path = fmt::format("/home/user/project/models/part_{}/file_{}.py", i % 50, i);
    sources.push_back(builder.AddSource({.file_name = path}));
  }
  const auto range = [&](uint32_t file, uint32_t line, uint32_t column, uint32_t width) {
    return builder.AddRange(sources[file % kFiles], Position{line, column},
                            Position{line, column + width});
  };
  const uint32_t nodes_per_file = node_count / kFiles + 1;
  StackId chain[kDepth];
  for (uint32_t i = 0; i < node_count; ++i) {
    const uint32_t file = i / nodes_per_file;
    if (i % kNodesPerCall == 0) {
      // Another call from some level on: the levels above it stay.
      for (uint32_t d = i == 0 ? 0 : random() % kDepth; d < kDepth; ++d) {
        const RangeId site =
            range(file + d * 37, 1 + (i + d) % 5000, 9, 10 + static_cast<uint32_t>(random() % 20));
        const std::string type = fmt::format("__torch__.models.Block{}", d);
        const std::string name = fmt::format("layer{}", i / kNodesPerCall % 7);
        chain[d] = builder.AddCall(d == 0 ? StackId::none() : chain[d - 1], "forward",
                                   ModuleInstance{type, name}, site);
      }
    }
    const RangeId own =
        range(file, 10 + i % nodes_per_file * 3, 9 + static_cast<uint32_t>(random() % 8),
              5 + static_cast<uint32_t>(random() % 40));
    if (!builder.AddNode(fmt::format("node_{}", i), own, chain[kDepth - 1])) std::abort();
  }
  return std::move(builder).Finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: distinct_nodes OUT.hdm [NODES]\n");
    return 2;
  }
  const auto nodes = static_cast<uint32_t>(argc > 2 ? std::atoi(argv[2]) : 1'000'000);
  const auto bytes = EncodeDebugMap(DistinctNodes(nodes));
  const Status written =
      bytes ? WriteFileAtomically(argv[1], *bytes) : Status(tl::unexpected<Error>(bytes.error()));
  if (written) return 0;
  fmt::print(stderr, "{}\n", written.error().message);
  return 3;
}
