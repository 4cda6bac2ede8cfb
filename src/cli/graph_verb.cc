// handrail graph: a method of a module archive -> its typed graph.
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "handrail/base/mapped_file.h"
#include "handrail/graph/loaded_module.h"
#include "handrail/inlining/inlining.h"

#include "cli/json_line.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "graph/block_walk.h"
#include "graph/graph_text.h"

namespace handrail::cli {
namespace {

using graph::Graph;
using graph::RangeId;
using graph::StackId;

struct GraphOptions {
  std::string path;
  std::string method = "forward";
  bool is_inlined = false;
  bool as_json = false;
};

// Writes nodes as JSON. Ranges and stacks repeat: what was written for one is kept.
class NodeWriter {
 public:
  NodeWriter(const Graph& graph, std::ostream& out)
      : graph_(graph), unit_(graph.unit()), out_(out), places_(unit_.origins.range_count()) {}

  void WriteAll() {
    graph::ForEachNode(graph_, [this](graph::NodeId node, uint32_t depth) { Write(node, depth); });
  }

 private:
  static std::string Quoted(std::string_view text) {
    return JsonObject(text).dump(-1, ' ', false, JsonObject::error_handler_t::replace);
  }

  struct PlaceText {
    std::string start;  // "file", "line", "column"
    std::string end;    // "end_line", "end_column"
  };
  const PlaceText& PlaceOf(RangeId id) {
    PlaceText& text = places_[id.index];
    if (!text.start.empty()) return text;
    const graph::RangeRow& range = unit_.origins.range(id);
    std::string_view file;
    if (!range.source.is_none()) file = unit_.origins.source(range.source).file_name.value_or("");
    const graph::OriginTable::Place place = unit_.origins.PlaceOf(id);
    text.start =
        fmt::format(R"("file":{},"line":{},"column":{})", Quoted(file), place.line, place.column);
    text.end = fmt::format(R"("end_line":{},"end_column":{})", place.end_line, place.end_column);
    return text;
  }

  const std::string& StackText(StackId id) {
    if (id == last_stack_) return stack_text_;
    last_stack_ = id;
    std::vector<StackId> chain;
    for (StackId at = id; !at.is_none(); at = unit_.origins.stack(at).caller) chain.push_back(at);
    stack_text_ = "[";
    for (size_t i = chain.size(); i-- > 0;) {
      const graph::StackRow& row = unit_.origins.stack(chain[i]);
      const auto text = [this](StringId name) {
        return name.is_none() ? std::string_view() : unit_.text(name);
      };
      if (stack_text_.size() > 1) stack_text_ += ',';
      stack_text_ +=
          fmt::format(R"({{"function":{},"module":{},"type":{},{}}})", Quoted(text(row.function)),
                      Quoted(text(row.module_name)), Quoted(graph::LastAtom(text(row.module_type))),
                      PlaceOf(row.range).start);
    }
    stack_text_ += ']';
    return stack_text_;
  }

  void Write(graph::NodeId node, uint32_t depth) {
    const PlaceText& place = PlaceOf(graph_.range(node));
    out_ << fmt::format(R"({{"kind":{},"overload":{},"outputs":{},{},{},"stack":{},"depth":{}}})",
                        Quoted(graph_.kind_name(node)), Quoted(graph_.overload(node)),
                        graph_.outputs(node).size(), place.start, place.end,
                        StackText(graph_.stack(node)), depth)
         << '\n';
  }

  const Graph& graph_;
  const graph::CompilationUnit& unit_;
  std::ostream& out_;
  std::vector<PlaceText> places_;  // by RangeId
  StackId last_stack_;
  std::string stack_text_ = "[]";
};

void Write(const Graph& graph, const GraphOptions& options, const Streams& streams) {
  if (options.as_json) {
    NodeWriter(graph, streams.out).WriteAll();
  } else {
    streams.out << ToString(graph);
  }
}

Status WriteGraph(const GraphOptions& options, const Streams& streams) {
  Progress progress(streams);
  progress.Step("reading " + options.path);
  HANDRAIL_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(options.path));
  HANDRAIL_ASSIGN_OR_RETURN(graph::LoadedModule module,
                            graph::LoadedModule::Load(file.bytes(), options.path));
  HANDRAIL_ASSIGN_OR_RETURN(const graph::FunctionId method, module.FindMethod(options.method));
  progress.Step("compiling " + options.method);
  HANDRAIL_ASSIGN_OR_RETURN(const Graph* graph, module.GraphOf(method));
  std::optional<Graph> inlined;
  if (options.is_inlined) {
    progress.Step("inlining " + options.method);
    HANDRAIL_ASSIGN_OR_RETURN(inlined, graph::InlineFunction(method, [&](graph::FunctionId callee) {
                                return module.GraphOf(callee);
                              }));
    graph = &*inlined;
  }
  progress.Step("writing");
  Write(*graph, options, streams);
  for (const Error& warning : module.warnings()) Say(streams, warning.message);
  return {};
}

ExitCode RunGraph(const GraphOptions& options, const Streams& streams) {
  if (Status status = WriteGraph(options, streams); !status) {
    return SayUnusable(streams, status.error());
  }
  return ExitCode::kDone;
}

}  // namespace

void AddGraph(CLI::App& app, Action& chosen) {
  CLI::App* verb = app.add_subcommand("graph", "The graph of a method of a module archive");
  const auto options = std::make_shared<GraphOptions>();
  verb->add_option("FILE", options->path, "A module archive that PyTorch saved")
      ->required()
      ->type_name("");
  verb->add_option("--method", options->method, "Of the top module")->type_name("NAME");
  verb->add_flag("--inline", options->is_inlined, "Replace calls by the bodies of what they call");
  AddFormatOption(*verb, options->as_json);
  verb->final_callback([options, &chosen] {
    chosen = [options](const Streams& streams) { return RunGraph(*options, streams); };
  });
}

}  // namespace handrail::cli
