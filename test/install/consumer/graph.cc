// The code that docs/graph.md shows, as one program: modules given as text, one calling the other,
// and for each operator of the inlined graph by which calls it was reached.
#include <cstdio>

#include "handrail/graph/text_unit.h"
#include "handrail/inlining/inlining.h"

namespace {

using handrail::graph::DefinitionId;
using handrail::graph::Graph;
using handrail::graph::NodeId;

handrail::Status PrintOperators() {
  handrail::graph::TextUnit code;
  HANDRAIL_ASSIGN_OR_RETURN(const DefinitionId m, code.AddModule("__torch__.M"));
  HANDRAIL_RETURN_IF_ERROR(code.Define(m, "def forward(self, x):\n  return x - 2\n"));
  HANDRAIL_ASSIGN_OR_RETURN(const DefinitionId n, code.AddModule("__torch__.N"));
  HANDRAIL_RETURN_IF_ERROR(code.AddSubmodule(n, "m", m));
  HANDRAIL_RETURN_IF_ERROR(code.Define(n, "def forward(self, x):\n  return self.m(x) + 3\n"));

  handrail::graph::CompilationUnit& unit = code.unit();
  const auto body_of = [&](handrail::graph::FunctionId function) -> handrail::Result<const Graph*> {
    return unit.function(function).graph.get();
  };
  HANDRAIL_ASSIGN_OR_RETURN(
      const Graph graph, handrail::graph::InlineFunction(code.FindMethod(n, "forward"), body_of));
  for (const NodeId node : graph.nodes(graph.root())) {
    if (graph.schema(node).is_none()) continue;
    std::printf("%s%s\n", std::string(graph.kind_name(node)).c_str(),
                graph.stack(node).is_none() ? "" : " by a call");
  }
  return {};
}

}  // namespace

int main() {
  const handrail::Status status = PrintOperators();
  if (status) return 0;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return 1;
}
