// What loading a module archive and inlining a method costs Handrail, as JSON: load_table.py sets
// it beside what test/peer/graph/torch_graph.cc measures of PyTorch on the same archive.
//
//   load_side ARCHIVE.pt COUNT METHOD    {"seconds": [...], "nodes": N}
//
// Each round maps the file, loads it, compiles the method and all it calls, and inlines it.
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

#include "need.h"

namespace {

using namespace handrail;

uint32_t LoadAndInline(const std::string& path, const std::string& method) {
  const MappedFile file = Need(MappedFile::Open(path));
  graph::LoadedModule module = Need(graph::LoadedModule::Load(file.bytes(), path));
  const graph::Graph graph =
      Need(graph::InlineFunction(Need(module.FindMethod(method)), [&](graph::FunctionId function) {
        return module.GraphOf(function);
      }));
  return graph.node_count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: load_side ARCHIVE.pt COUNT METHOD\n");
    return 2;
  }
  std::vector<double> seconds;
  uint32_t nodes = 0;
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    const auto start = std::chrono::steady_clock::now();
    nodes = LoadAndInline(argv[1], argv[3]);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    seconds.push_back(taken.count());
  }
  fmt::print("{{\"seconds\":[{:.6f}],\"nodes\":{}}}\n", fmt::join(seconds, ","), nodes);
}
