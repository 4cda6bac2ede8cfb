// Prints the operator nodes that PyTorch's compiler makes of each file named on stdin, so that the
// two compilers can be compared line by line (compare.py).
//
// For each path: the line `== <path>`; then for each function, in the order of the text, the line
// `function <name>` and a line `<depth> <kind> <overload> <range>` for each node that is not
// `prim::`, depth first; or `error: <message>` on one line. A range is `start-end` in bytes of the
// file, `null`, or `builtin` where PyTorch points into a text of its own.
//
// A file that starts with `# archive` is read as an archive's code file `__torch__.py`, so that it
// may hold classes; `# constants: ...` may give it constants, separated by `;`. Other files hold
// functions, or with `# module: name type; ...` the methods of a module with those attributes.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/script_type_parser.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/serialization/import_source.h>

namespace {

using namespace torch::jit;

void PrintBlock(const Block& block, const std::string& text, int depth, std::string& out) {
  for (const Node* node : block.nodes()) {
    if (!node->kind().is_prim()) {
      const SourceRange range = node->sourceRange();
      std::string place = "null";
      if (range.source()) {
        place = range.source()->text_str().str() == text
                    ? std::to_string(range.start()) + "-" + std::to_string(range.end())
                : range.source()->text_str().str().empty() ? "null"
                                                           : "builtin";
      }
      const FunctionSchema* schema = node->maybeSchema();
      const std::string overload = schema == nullptr                 ? "?"
                                   : schema->overload_name().empty() ? "-"
                                                                     : schema->overload_name();
      out += std::to_string(depth) + " " + node->kind().toQualString() + " " + overload + " " +
             place + "\n";
    }
    for (const Block* inner : node->blocks()) PrintBlock(*inner, text, depth + 1, out);
  }
}

bool print_graphs = false;

void PrintFunction(Function& function, const std::string& name, const std::string& text,
                   std::string& out) {
  out += "function " + name + "\n";
  const std::shared_ptr<Graph> graph = toGraphFunction(function).graph();
  PrintBlock(*graph->block(), text, 0, out);
  if (print_graphs) std::cerr << *graph << "\n";
}

std::string Header(const std::string& text, const std::string& key) {
  const size_t start = text.find("# " + key + ": ");
  if (start == std::string::npos) return "";
  const size_t from = start + key.size() + 4;
  return text.substr(from, text.find('\n', start) - from);
}

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> parts;
  std::stringstream stream(list);
  for (std::string part; std::getline(stream, part, ';');) {
    const size_t start = part.find_first_not_of(' ');
    if (start != std::string::npos) parts.push_back(part.substr(start));
  }
  return parts;
}

// The names of what `keyword name` defines at the start of a line.
std::vector<std::string> Defined(const std::string& text, const std::string& keyword) {
  std::vector<std::string> names;
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    if (text.compare(at, keyword.size(), keyword) == 0) {
      const size_t from = at + keyword.size();
      names.push_back(text.substr(from, text.find_first_of("(:", from) - from));
    }
    if (text.find('\n', at) == std::string::npos) break;
  }
  return names;
}

std::vector<c10::IValue> Constants(const std::string& list) {
  std::vector<c10::IValue> values;
  for (const std::string& part : Split(list)) {
    if (part == "tensor")
      values.emplace_back(at::zeros({2, 3}));
    else if (part == "none")
      values.emplace_back();
    else if (part == "str")
      values.emplace_back("text");
    else if (part == "ints")
      values.emplace_back(std::vector<int64_t>{1, 2});
    else if (part == "device")
      values.emplace_back(c10::Device("cpu"));
  }
  return values;
}

std::string Compile(const std::string& text) {
  std::string out;
  const auto unit = std::make_shared<CompilationUnit>();
  if (text.rfind("# archive", 0) == 0) {
    const std::vector<c10::IValue> constants = Constants(Header(text, "constants"));
    std::string source_text = text;
    SourceImporter importer(
        unit, &constants,
        [&](const std::string& name) -> std::shared_ptr<Source> {
          if (name != "__torch__") return nullptr;
          return std::make_shared<Source>(source_text, std::string("f.py"), 1);
        },
        10);
    std::vector<std::string> functions = Defined(text, "def ");
    for (const std::string& name : Defined(text, "class ")) {
      const c10::TypePtr type = importer.loadType(c10::QualifiedName("__torch__." + name));
      const auto class_type = type->cast<c10::ClassType>();
      if (!class_type) continue;
      for (Function* method : class_type->methods()) {
        PrintFunction(*method, name + "." + method->name(), text, out);
      }
    }
    for (const std::string& name : functions) {
      Function* function = unit->find_function(c10::QualifiedName("__torch__." + name));
      if (function != nullptr) PrintFunction(*function, name, text, out);
    }
    return out;
  }
  const std::string attributes = Header(text, "module");
  if (!attributes.empty()) {
    Module module("__torch__.M");
    ScriptTypeParser types;
    for (const std::string& attribute : Split(attributes)) {
      const size_t blank = attribute.find(' ');
      const c10::TypePtr type = types.parseType(attribute.substr(blank + 1));
      module.type()->addAttribute(attribute.substr(0, blank), type);
    }
    module.define(text);
    for (const std::string& name : Defined(text, "def ")) {
      PrintFunction(module.get_method(name).function(), name, text, out);
    }
    return out;
  }
  unit->define(c10::nullopt, text, nativeResolver(), nullptr);
  for (const std::string& name : Defined(text, "def ")) {
    PrintFunction(unit->get_function(c10::QualifiedName(name)), name, text, out);
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
    std::cout << "== " << path << '\n';
    try {
      std::cout << Compile(content.str());
    } catch (const std::exception& error) {
      std::string message = error.what();
      for (char& c : message) {
        if (c == '\n') c = ' ';
      }
      std::cout << "error: " << message << '\n';
    }
  }
}
