// What it costs to issue a debug handle for each node of an inlined method, and to give the debug
// info away, as JSON: handle_table.py sets it beside what test/peer/graph/torch_graph.cc measures
// of PyTorch's recorder on the same archive.
//
//   handle_side ARCHIVE.pt COUNT METHOD    {"seconds": [...], "nodes": N}
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "handrail/base/mapped_file.h"
#include "handrail/graph/loaded_module.h"
#include "handrail/inlining/inlining.h"
#include "handrail/lowering/backend_debug_info_recorder.h"

#include "need.h"

int main(int argc, char** argv) {
  using namespace handrail;
  if (argc != 4) {
    std::fprintf(stderr, "usage: handle_side ARCHIVE.pt COUNT METHOD\n");
    return 2;
  }
  const MappedFile file = Need(MappedFile::Open(argv[1]));
  graph::LoadedModule module = Need(graph::LoadedModule::Load(file.bytes(), argv[1]));
  const graph::Graph graph =
      Need(graph::InlineFunction(Need(module.FindMethod(argv[3])), [&](graph::FunctionId function) {
        return module.GraphOf(function);
      }));
  std::vector<double> seconds;
  size_t nodes = 0;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    const auto start = std::chrono::steady_clock::now();
    BackendDebugInfoRecorder recorder(module.unit(), {.key = HashBytes(argv[1])});
    const NodeHandles handles = Need(recorder.GenerateDebugHandles(graph));
    const DebugInfo info = Need(recorder.StopRecording());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    nodes = info.units.front().handles.size();
    seconds.push_back(taken.count());
  }
  fmt::print("{{\"seconds\":[{:.9f}],\"nodes\":{}}}\n", fmt::join(seconds, ","), nodes);
}
