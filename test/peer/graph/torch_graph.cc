// Asks PyTorch for the inlined graph of a module's method.
//
//   peer_graph ARCHIVE [LIBRARY] < COMMANDS
//
// A command is `graph METHOD`; its answer is one line, {"nodes": [...]}, with an object for each
// node that is not `prim::`, depth first, of the form that `handrail graph --format=json` prints.
// `mobile OUT` saves the module as PyTorch's own mobile archive, with debug info: {}.
// `time COUNT METHOD` answers {"seconds": [...]}: what loading and inlining took, COUNT times.
// `handles COUNT METHOD` answers {"seconds": [...], "nodes": N}: what PyTorch's recorder took to
// issue a handle for each node of the inlined graph, and to give its map away.
//
// PyTorch's own `Inline` pastes optimized copies of the callees. Here each callee's graph is pasted
// as it was written, the innermost calls first, by the function that `Inline` itself uses.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include <dlfcn.h>
#include <nlohmann/json.hpp>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/backends/backend_debug_handler.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/serialization/export.h>
#include <torch/csrc/jit/serialization/import.h>

namespace {

using nlohmann::ordered_json;
using namespace torch::jit;

class Inliner {
 public:
  // The graph of a function with all calls in it replaced, made once.
  std::shared_ptr<Graph> Inlined(GraphFunction& function) {
    const auto known = graphs_.find(&function);
    if (known != graphs_.end()) return known->second;
    std::shared_ptr<Graph> graph = function.graph()->copy();
    InlineCalls(graph->block());
    graphs_.emplace(&function, graph);
    return graph;
  }

 private:
  void InlineCalls(Block* block) {
    for (auto it = block->nodes().begin(); it != block->nodes().end();) {
      Node* node = *it++;
      GraphFunction* callee = nullptr;
      if (node->kind() == prim::CallFunction) {
        Node* constant = node->input(0)->node();
        const auto type = constant->output()->type()->expect<c10::FunctionType>();
        callee = tryToGraphFunction(*type->function());
        if (callee != nullptr) node->removeInput(0);
      } else if (node->kind() == prim::CallMethod) {
        if (const auto type = node->input(0)->type()->cast<c10::ClassType>()) {
          callee = tryToGraphFunction(type->getMethod(node->s(attr::name)));
        }
      }
      if (callee != nullptr) {
        inlineCallTo(node, callee, Inlined(*callee).get());
        continue;
      }
      for (Block* inner : node->blocks()) InlineCalls(inner);
    }
  }

  std::unordered_map<Function*, std::shared_ptr<Graph>> graphs_;
};

class Places {
 public:
  // Adds file, line, column and ends of the range in the file that the code was written in.
  void Add(const SourceRange& range, bool with_end, ordered_json& to) {
    SourceRange original = range;
    if (range.source()) {
      if (auto generator = range.findSourceRangeThatGenerated()) original = *generator;
    }
    const auto source = original.source();
    to["file"] = source && source->filename() ? *source->filename() : "";
    Add(source.get(), original.start(), "line", "column", to);
    if (with_end) Add(source.get(), original.end(), "end_line", "end_column", to);
  }

 private:
  void Add(Source* source, size_t offset, const char* line, const char* column, ordered_json& to) {
    // A loaded null range has a source: no text, no name, line 0.
    if (source == nullptr || (source->size() == 0 && source->starting_line_no() == 0)) {
      to[line] = 0;
      to[column] = 0;
      return;
    }
    std::vector<size_t>& starts = starts_[source];
    if (starts.empty()) {
      const std::string text = source->text_str().str();
      starts.push_back(0);
      for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') starts.push_back(i + 1);
      }
    }
    const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
    const auto index = static_cast<size_t>(after - starts.begin()) - 1;
    to[line] = source->starting_line_no() + index;
    to[column] = offset - starts[index] + 1;
  }

  std::unordered_map<const Source*, std::vector<size_t>> starts_;
};

ordered_json StackOf(const Node* node, Places& places) {
  ordered_json stack = ordered_json::array();
  const auto outermost = node->callstack();
  if (!outermost) return stack;
  for (c10::optional<InlinedCallStackPtr> call = *outermost; call; call = (*call)->callee()) {
    ordered_json frame;
    frame["function"] = (*call)->function()->name();
    const auto instance = (*call)->module_instance();
    frame["module"] = instance ? instance->instance_name() : "";
    frame["type"] =
        instance && instance->class_type() ? instance->class_type()->name()->name() : "";
    places.Add((*call)->source_range(), false, frame);
    stack.push_back(std::move(frame));
  }
  return stack;
}

void AddNodes(const Block& block, int depth, Places& places, ordered_json& nodes) {
  for (const Node* node : block.nodes()) {
    if (!node->kind().is_prim()) {
      ordered_json line;
      line["kind"] = node->kind().toQualString();
      const FunctionSchema* schema = node->maybeSchema();
      line["overload"] = schema != nullptr ? schema->overload_name() : "";
      line["outputs"] = node->outputs().size();
      places.Add(node->sourceRange(), true, line);
      line["stack"] = StackOf(node, places);
      line["depth"] = depth;
      nodes.push_back(std::move(line));
    }
    for (const Block* inner : node->blocks()) AddNodes(*inner, depth + 1, places, nodes);
  }
}

std::shared_ptr<Graph> LoadAndInline(const std::string& path, const std::string& method) {
  const Module module = load(path);
  Inliner inliner;
  return inliner.Inlined(toGraphFunction(module.get_method(method).function()));
}

// A handle for each node, in the order in which PyTorch's backends get them.
std::unordered_map<Node*, int64_t> HandlesOf(Graph& graph, BackendDebugInfoRecorder& recorder) {
  std::unordered_map<Node*, int64_t> handles;
  std::vector<Block*> open{graph.block()};
  while (!open.empty()) {
    Block* const block = open.back();
    open.pop_back();
    for (Node* node : block->nodes()) {
      handles.emplace(node, recorder.getNextDebugHandle(node));
      open.insert(open.end(), node->blocks().begin(), node->blocks().end());
    }
  }
  return handles;
}

ordered_json TimeHandles(const std::string& path, int count, const std::string& method) {
  const Module module = load(path);
  Inliner inliner;
  const auto graph = inliner.Inlined(toGraphFunction(module.get_method(method).function()));
  ordered_json seconds = ordered_json::array();
  size_t nodes = 0;
  for (int i = 0; i < count; ++i) {
    const auto start = std::chrono::steady_clock::now();
    BackendDebugInfoRecorder recorder;
    nodes = HandlesOf(*graph, recorder).size();
    const auto map = recorder.stopRecording();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    TORCH_CHECK(map.size() == nodes, "a handle was issued twice");
    seconds.push_back(taken.count());
  }
  return {{"seconds", seconds}, {"nodes", nodes}};
}

ordered_json Answer(const std::string& path, const std::string& command) {
  std::istringstream words(command);
  std::string verb, method;
  words >> verb;
  if (verb == "time") {
    int count = 0;
    words >> count >> method;
    ordered_json seconds = ordered_json::array();
    for (int i = 0; i < count; ++i) {
      const auto start = std::chrono::steady_clock::now();
      LoadAndInline(path, method);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      seconds.push_back(taken.count());
    }
    return {{"seconds", seconds}};
  }
  if (verb == "handles") {
    int count = 0;
    words >> count >> method;
    return TimeHandles(path, count, method);
  }
  if (verb == "mobile") {
    std::string out;
    std::getline(words >> std::ws, out);
    enableMobileInterfaceCallExport();
    load(path)._save_for_mobile(out, {}, /*save_mobile_debug_info=*/true);
    return ordered_json::object();
  }
  words >> method;
  const Module module = load(path);
  Inliner inliner;
  const auto graph = inliner.Inlined(toGraphFunction(module.get_method(method).function()));
  Places places;
  ordered_json nodes = ordered_json::array();
  AddNodes(*graph->block(), 0, places, nodes);
  if (verb == "text") std::cerr << *graph << std::endl;
  if (verb == "own") std::cerr << *toGraphFunction(module.get_method(method).function()).graph();
  return {{"nodes", nodes}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: peer_graph ARCHIVE [LIBRARY] < COMMANDS\n";
    return 2;
  }
  if (argc > 2 && dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    std::cerr << dlerror() << '\n';
    return 2;
  }
  for (std::string command; std::getline(std::cin, command);) {
    try {
      std::cout
          << Answer(argv[1], command).dump(-1, ' ', false, ordered_json::error_handler_t::replace)
          << std::endl;
    } catch (const std::exception& error) {
      std::cout << ordered_json{{"error", error.what()}}.dump(
                       -1, ' ', false, ordered_json::error_handler_t::replace)
                << std::endl;
      return 3;
    }
  }
  return 0;
}
