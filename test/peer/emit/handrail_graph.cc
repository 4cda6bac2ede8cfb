// Prints the operator nodes that our compiler makes of each file named on stdin, as torch_graph.cc
// does with PyTorch's.
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "graph/emit.h"
#include "graph/graph_text.h"
#include "graph/passes.h"
#include "graph/verifier.h"
#include "script/script.h"

namespace {

using namespace handrail;
using namespace handrail::graph;
using script::NodeKind;
using script::SyntaxId;

bool print_graphs = false;

// The definitions of one text, compiled when they are asked for.
class OneText final : public Resolver {
 public:
  OneText(CompilationUnit& unit, const script::SyntaxTree& tree, graph::SourceId source,
          std::string prefix)
      : unit_(unit),
        ranges_(unit.origins, source),
        text_{tree, *this, ranges_},
        prefix_(std::move(prefix)) {}

  Status Declare(std::string_view constants, std::string_view attributes) {
    SetConstants(constants);
    const script::SyntaxTree& tree = text_.tree;
    const auto definitions = tree.children(tree.root());
    for (const SyntaxId id : definitions) {
      if (tree.kind(id) != NodeKind::kClass) continue;
      HANDRAIL_ASSIGN_OR_RETURN(const DefinitionKind kind, DefinitionKindOf(text_, id));
      const StringId name =
          unit_.strings.Intern(prefix_ + std::string(tree.class_definition(id).name));
      HANDRAIL_ASSIGN_OR_RETURN(const DefinitionId definition, unit_.AddDefinition(kind, name));
      classes_.push_back({definition, id});
    }
    // NamedTuples first: their types are made of their fields.
    for (const bool tuples : {true, false}) {
      for (const auto& [definition, id] : classes_) {
        if ((unit_.definition(definition).kind == DefinitionKind::kNamedTuple) != tuples) continue;
        HANDRAIL_ASSIGN_OR_RETURN(const std::vector<DeclaredMethod> methods,
                                  DeclareClass(unit_, text_, id, definition));
        functions_.insert(functions_.end(), methods.begin(), methods.end());
      }
    }
    DefinitionId module;
    if (!attributes.empty()) {
      HANDRAIL_ASSIGN_OR_RETURN(module, DeclareModule(attributes));
    }
    for (const SyntaxId id : definitions) {
      if (tree.kind(id) != NodeKind::kFunction) continue;
      const std::string name(tree.function(id).name);
      const std::string full = module.is_none() ? prefix_ + name : "__torch__.M." + name;
      HANDRAIL_ASSIGN_OR_RETURN(const FunctionId function,
                                unit_.AddFunction(unit_.strings.Intern(full), module));
      HANDRAIL_RETURN_IF_ERROR(DeclareFunction(unit_, text_, id, function));
      if (!module.is_none()) {
        unit_.definition(module).methods.push_back(
            {unit_.strings.Intern(name), unit_.function(function).schema, function});
      }
      functions_.push_back({function, id});
    }
    is_compiled_.resize(unit_.function_count());
    return {};
  }

  Status CompileAll() {
    for (const DeclaredMethod& function : functions_) {
      HANDRAIL_RETURN_IF_ERROR(Compile(function));
    }
    return {};
  }

  const std::vector<DeclaredMethod>& functions() const { return functions_; }

  Result<TypeId> ResolveType(std::string_view name) override {
    const DefinitionId id = unit_.FindDefinition(unit_.strings.Intern(name));
    return id.is_none() ? TypeId::none() : unit_.definition(id).type;
  }
  Result<FunctionId> ResolveFunction(std::string_view name) override {
    return unit_.FindFunction(unit_.strings.Intern(name));
  }
  Result<ConstantId> ResolveConstant(uint32_t index) override {
    if (index >= constants_.size()) return Fail(ErrorCode::kCorrupt, "no such constant");
    return constants_[index];
  }
  Status CompleteSchema(FunctionId id) override {
    if (!unit_.schema(unit_.function(id).schema).results.empty()) return {};
    for (const DeclaredMethod& function : functions_) {
      if (function.function == id) return Compile(function);
    }
    return {};
  }

 private:
  Status Compile(const DeclaredMethod& function) {
    if (is_compiled_[function.function.index]) return {};
    is_compiled_[function.function.index] = true;
    HANDRAIL_RETURN_IF_ERROR(EmitFunction(unit_, text_, function.syntax, function.function));
    Graph& graph = *unit_.function(function.function).graph;
    if (print_graphs) std::cerr << graph::ToString(graph, {.has_origins = false}) << '\n';
    HANDRAIL_RETURN_IF_ERROR(
        VerifyGraph(graph, unit_.text(unit_.function(function.function).name)));
    CleanUp(graph);
    return VerifyGraph(graph, "cleaned up");
  }

  void SetConstants(std::string_view list) {
    std::stringstream stream{std::string(list)};
    for (std::string part; std::getline(stream, part, ';');) {
      const std::string name = part.substr(part.find_first_not_of(' '));
      ConstantTable& table = unit_.constants;
      if (name == "tensor") constants_.push_back(table.External(types::kTensor, 0));
      if (name == "none") constants_.push_back(table.None());
      if (name == "str") constants_.push_back(table.String(unit_.strings.Intern("text")));
      if (name == "device") constants_.push_back(table.Device(unit_.strings.Intern("cpu")));
      if (name == "ints") {
        const ConstantId elements[] = {table.Int(1), table.Int(2)};
        constants_.push_back(
            table.Compound(ConstantKind::kList, unit_.types.List(types::kInt), elements));
      }
    }
  }

  Result<DefinitionId> DeclareModule(std::string_view attributes) {
    HANDRAIL_ASSIGN_OR_RETURN(
        const DefinitionId module,
        unit_.AddDefinition(DefinitionKind::kModule, unit_.strings.Intern("__torch__.M")));
    std::stringstream stream{std::string(attributes)};
    for (std::string part; std::getline(stream, part, ';');) {
      part = part.substr(part.find_first_not_of(' '));
      const size_t blank = part.find(' ');
      texts_.push_back(std::make_unique<std::string>(part.substr(blank + 1)));
      HANDRAIL_ASSIGN_OR_RETURN(const script::SyntaxTree type_tree,
                                script::ParseExpression({"type", 1, *texts_.back()}));
      const EmitText type_text{type_tree, *this, ranges_};
      HANDRAIL_ASSIGN_OR_RETURN(const TypeId type, ReadType(unit_, type_text, type_tree.root()));
      unit_.definition(module).attributes.push_back(
          {.name = unit_.strings.Intern(part.substr(0, blank)), .type = type, .default_value = {}});
    }
    return module;
  }

  CompilationUnit& unit_;
  TextRanges ranges_;
  EmitText text_;
  std::string prefix_;
  std::vector<std::pair<DefinitionId, SyntaxId>> classes_;
  std::vector<DeclaredMethod> functions_;
  std::vector<bool> is_compiled_;  // by FunctionId
  std::vector<ConstantId> constants_;
  std::vector<std::unique_ptr<std::string>> texts_;
};

void PrintBlock(const Graph& graph, BlockId block, int depth, std::string& out) {
  for (const NodeId node : graph.nodes(block)) {
    const std::string_view kind = graph.kind_name(node);
    if (kind.substr(0, 6) != "prim::") {
      const RangeRow& range = graph.unit().origins.range(graph.range(node));
      const std::string_view overload = graph.overload(node);
      out +=
          std::to_string(depth) + " " + std::string(kind) + " " +
          std::string(overload.empty() ? "-" : overload) + " " +
          (range.source.is_none() ? "null"
                                  : std::to_string(range.start) + "-" + std::to_string(range.end)) +
          "\n";
    }
    for (const BlockId inner : graph.blocks(node)) PrintBlock(graph, inner, depth + 1, out);
  }
}

std::string Header(const std::string& text, const std::string& key) {
  const size_t start = text.find("# " + key + ": ");
  if (start == std::string::npos) return "";
  const size_t from = start + key.size() + 4;
  return text.substr(from, text.find('\n', start) - from);
}

std::string Compile(const std::string& text) {
  CompilationUnit unit;
  const bool is_archive = text.rfind("# archive", 0) == 0;
  const std::string attributes = Header(text, "module");
  const auto tree =
      script::ParseScript({"f.py", 1, text}, attributes.empty() ? script::DefinitionKind::kFunctions
                                                                : script::DefinitionKind::kMethods);
  if (!tree) return "error: " + tree.error().message + "\n";
  const graph::SourceId source =
      unit.origins.AddSource({.file_name = "f.py", .first_line = 1, .text = text});
  OneText definitions(unit, *tree, source, is_archive ? "__torch__." : "");
  Status status = definitions.Declare(Header(text, "constants"), attributes);
  if (status) status = definitions.CompileAll();
  if (!status) return "error: " + status.error().message + "\n";
  std::string out;
  for (const DeclaredMethod& function : definitions.functions()) {
    const Function& row = unit.function(function.function);
    std::string name(unit.text(row.name));
    for (const std::string_view prefix : {"__torch__.", "M."}) {
      if (prefix == "M." && attributes.empty()) continue;
      if (name.rfind(prefix, 0) == 0) name = name.substr(prefix.size());
    }
    out += "function " + name + "\n";
    PrintBlock(*row.graph, row.graph->root(), 0, out);
  }
  return out;
}

}  // namespace

int main(int argc, char**) {
  print_graphs = argc > 1;
  for (std::string path; std::getline(std::cin, path);) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream content;
    content << file.rdbuf();
    std::cout << "== " << path << '\n' << Compile(content.str()) << std::flush;
  }
}
