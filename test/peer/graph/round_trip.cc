// A method of a module archive and all that it calls, each as written and inlined: the graphs are
// verified, printed, parsed and compared:  graph_round_trip ARCHIVE.pt METHOD
//
// Prints the number of graphs and nodes. Exits 1 where a graph is not sound or parses back to
// another.
#include <cstdint>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "handrail/base/mapped_file.h"
#include "handrail/graph/loaded_module.h"
#include "handrail/inlining/inlining.h"

#include "graph/graph_text.h"
#include "graph/verifier.h"

namespace handrail::graph {
namespace {

struct Counts {
  uint64_t graphs = 0;
  uint64_t nodes = 0;
};

Status Check(CompilationUnit& unit, const Graph& graph, std::string_view name, Counts& counts) {
  HANDRAIL_RETURN_IF_ERROR(VerifyGraph(graph, name));
  HANDRAIL_ASSIGN_OR_RETURN(const Graph parsed, ParseGraph(unit, ToString(graph)));
  if (!IsEqual(graph, parsed)) {
    return Fail(ErrorCode::kCorrupt, fmt::format("{}: the text parses to another graph", name));
  }
  ++counts.graphs;
  counts.nodes += graph.node_count();
  return {};
}

Status Run(const std::string& path, std::string_view method) {
  HANDRAIL_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  HANDRAIL_ASSIGN_OR_RETURN(LoadedModule module, LoadedModule::Load(file.bytes(), path));
  CompilationUnit& unit = module.unit();
  const BodyOf body_of = [&](FunctionId callee) { return module.GraphOf(callee); };
  // Compiles what it calls.
  HANDRAIL_ASSIGN_OR_RETURN(const FunctionId top, module.FindMethod(method));
  HANDRAIL_RETURN_IF_ERROR(InlineFunction(top, body_of));
  Counts counts;
  for (uint32_t row = 0; row < unit.function_count(); ++row) {
    const FunctionId id{row};
    if (unit.function(id).graph == nullptr) continue;
    const std::string name(unit.text(unit.function(id).name));
    HANDRAIL_RETURN_IF_ERROR(Check(unit, *unit.function(id).graph, name, counts));
    HANDRAIL_ASSIGN_OR_RETURN(const Graph inlined, InlineFunction(id, body_of));
    HANDRAIL_RETURN_IF_ERROR(Check(unit, inlined, name + ", inlined", counts));
  }
  fmt::print("{} graphs, {} nodes\n", counts.graphs, counts.nodes);
  return {};
}

}  // namespace
}  // namespace handrail::graph

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: graph_round_trip ARCHIVE.pt METHOD\n");
    return 2;
  }
  if (const handrail::Status status = handrail::graph::Run(argv[1], argv[2]); !status) {
    fmt::print(stderr, "{}\n", status.error().message);
    return 1;
  }
  return 0;
}
