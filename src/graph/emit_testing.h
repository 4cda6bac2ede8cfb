// What the tests of emission share: the operators that a text compiles to, with the text that each
// came from, as lines.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "handrail/graph/text_unit.h"

#include "graph/block_walk.h"
#include "graph/verifier.h"

namespace handrail::graph {

// Each operator on a line, indented by depth, with the first line of its range:
// `aten::add.Tensor <x + y>`.
inline std::string OperatorsOf(const Graph& graph) {
  const OriginTable& origins = graph.unit().origins;
  std::string out;
  ForEachNode(graph, [&](NodeId node, uint32_t depth) {
    const std::string_view kind = graph.kind_name(node);
    if (kind.starts_with("prim::")) return;
    const RangeRow& range = origins.range(graph.range(node));
    std::string_view text;
    if (!range.source.is_none()) {
      text = origins.source(range.source).text->substr(range.start, range.end - range.start);
      text = text.substr(0, text.find('\n'));
    }
    const std::string_view overload = graph.overload(node);
    out.append(size_t{depth} * 2, ' ');
    out += fmt::format("{}{}{} <{}>\n", kind, overload.empty() ? "" : ".", overload, text);
  });
  return out;
}

// The body of the function `f` that a text defines, verified; it belongs to `code`.
inline Result<const Graph*> CompileInto(TextUnit& code, std::string_view text) {
  HANDRAIL_RETURN_IF_ERROR(code.Define(text, "", {.file_name = "f.py"}));
  const CompilationUnit& unit = code.unit();
  const FunctionId function = unit.FindFunction(unit.strings.Find("f"));
  if (function.is_none() || unit.function(function).graph == nullptr) {
    return Fail(ErrorCode::kNotFound, "no function f");
  }
  const Graph& graph = *unit.function(function).graph;
  HANDRAIL_RETURN_IF_ERROR(VerifyGraph(graph, "f"));
  return &graph;
}

// The operators of the function `f` that a text defines, or the error's message.
inline std::string Compiled(std::string_view text) {
  TextUnit code;
  const Result<const Graph*> graph = CompileInto(code, text);
  return graph ? OperatorsOf(**graph) : graph.error().message;
}

// The operators of `return EXPRESSION`, with tensors x and y, ints i and j, a float a, a bool b, a
// str s, an int list n, and an Optional tensor o.
inline std::string FunctionReturning(std::string_view expression) {
  return fmt::format(
      "def f(x, y, i: int, j: int, a: float, b: bool, s: str, n: List[int], o: Optional[Tensor]):\n"
      "  return {}\n",
      expression);
}
inline std::string CompiledExpression(std::string_view expression) {
  return Compiled(FunctionReturning(expression));
}

}  // namespace handrail::graph
