// Prints what PyTorch's own parser makes of each file named on stdin, in the text form of
// src/script/dump.h, so that the two parsers can be compared line by line (compare.py).
//
// For each path: the line `== <path>`, then the tree, or `error: <first line of the message>`.
// A path that starts with `methods:` is read as the text of methods (Module::define), else as an
// archive's code file. `--time` parses everything without printing and reports bytes per second.
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <torch/csrc/jit/frontend/parser.h>

namespace {

using torch::jit::Tree;
using torch::jit::TreeRef;

class Printer {
 public:
  std::string Print(const TreeRef& tree, int depth) {
    Statement(*tree, depth);
    return std::move(out_);
  }

 private:
  static bool IsEmptyOption(const Tree& tree) { return tree.trees().empty(); }

  void Open(const char* kind, const Tree& tree) {
    out_ += '(';
    out_ += kind;
    out_ += ' ' + std::to_string(tree.range().start()) + '-' + std::to_string(tree.range().end());
  }
  void Name(const Tree& ident) { out_ += ' ' + ident.tree(0)->stringValue(); }
  void Text(const std::string& text) {
    out_ += " \"";
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out_ += '\\';
        out_ += c;
      } else if (byte < 0x20 || byte >= 0x7f) {
        char octal[5];
        std::snprintf(octal, sizeof octal, "\\%03o", byte);
        out_ += octal;
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }
  void All(const Tree& list) {
    for (const TreeRef& item : list.trees()) {
      out_ += ' ';
      Expression(*item);
    }
  }
  void Maybe(const Tree& option) {
    out_ += ' ';
    if (IsEmptyOption(option)) {
      out_ += '-';
    } else {
      Expression(*option.tree(0));
    }
  }
  void Nodes(const char* kind, const Tree& tree) {
    Open(kind, tree);
    All(tree);
    out_ += ')';
  }

  void Expression(const Tree& tree) {
    using namespace torch::jit;
    switch (tree.kind()) {
      case TK_VAR:
        Open("name", tree);
        Name(*tree.tree(0));
        out_ += ')';
        return;
      case TK_CONST:
        Open("number", tree);
        out_ += ' ' + tree.tree(0)->stringValue() + ')';
        return;
      case TK_STRINGLITERAL:
        Open("string", tree);
        Text(tree.tree(0)->stringValue());
        out_ += ')';
        return;
      case TK_TRUE:
        return Nodes("true", tree);
      case TK_FALSE:
        return Nodes("false", tree);
      case TK_NONE:
        return Nodes("none", tree);
      case TK_NONE_TYPE:
        return Nodes("none-type", tree);
      case TK_DOTS:
        return Nodes("dots", tree);
      case '.':
        Open("select", tree);
        Name(*tree.tree(1));
        out_ += ' ';
        Expression(*tree.tree(0));
        out_ += ')';
        return;
      case TK_APPLY:
        Open("call", tree);
        out_ += ' ';
        Expression(*tree.tree(0));
        All(*tree.tree(1));
        out_ += " |";
        All(*tree.tree(2));
        out_ += ')';
        return;
      case TK_ATTRIBUTE:
        Open("keyword", tree);
        Name(*tree.tree(0));
        out_ += ' ';
        Expression(*tree.tree(1));
        out_ += ')';
        return;
      case TK_SUBSCRIPT:
        Open("subscript", tree);
        out_ += ' ';
        Expression(*tree.tree(0));
        All(*tree.tree(1));
        out_ += ')';
        return;
      case TK_SLICE_EXPR:
        Open("slice", tree);
        for (const TreeRef& part : tree.trees()) Maybe(*part);
        out_ += ')';
        return;
      case TK_LIST_LITERAL:
      case TK_TUPLE_LITERAL:
        Open(tree.kind() == TK_LIST_LITERAL ? "list" : "tuple", tree);
        All(*tree.tree(0));
        out_ += ')';
        return;
      case TK_DICT_LITERAL:
        Open("dict", tree);
        for (size_t i = 0; i < tree.tree(0)->trees().size(); ++i) {
          out_ += ' ';
          Expression(*tree.tree(0)->tree(i));
          out_ += ' ';
          Expression(*tree.tree(1)->tree(i));
        }
        out_ += ')';
        return;
      case TK_LIST_COMP:
        return Nodes("list-comprehension", tree);
      case TK_DICT_COMP:
        return Nodes("dict-comprehension", tree);
      case TK_IF_EXPR:
        return Nodes("conditional", tree);
      case TK_STARRED:
        return Nodes("starred", tree);
      case TK_NOT:
        return Nodes("not", tree);
      case TK_UNARY_MINUS:
        return Nodes("negate", tree);
      case '~':
        return Nodes("invert", tree);
      case TK_AND:
        return Nodes("and", tree);
      case TK_OR:
        return Nodes("or", tree);
      case '<':
        return Nodes("lt", tree);
      case '>':
        return Nodes("gt", tree);
      case TK_EQ:
        return Nodes("eq", tree);
      case TK_NE:
        return Nodes("ne", tree);
      case TK_LE:
        return Nodes("le", tree);
      case TK_GE:
        return Nodes("ge", tree);
      case TK_IS:
        return Nodes("is", tree);
      case TK_ISNOT:
        return Nodes("is-not", tree);
      case TK_IN:
        return Nodes("in", tree);
      case '+':
        return Nodes("add", tree);
      case '-':
        return Nodes("sub", tree);
      case '*':
        return Nodes("mul", tree);
      case '/':
        return Nodes("div", tree);
      case TK_FLOOR_DIV:
        return Nodes("floor-div", tree);
      case '%':
        return Nodes("mod", tree);
      case '@':
        return Nodes("matmul", tree);
      case TK_POW:
        return Nodes("pow", tree);
      case TK_LSHIFT:
        return Nodes("shift-left", tree);
      case TK_RSHIFT:
        return Nodes("shift-right", tree);
      case '&':
        return Nodes("bit-and", tree);
      case '|':
        return Nodes("bit-or", tree);
      case '^':
        return Nodes("bit-xor", tree);
      default:
        out_ += "(unknown " + kindToString(tree.kind()) + ")";
    }
  }

  void Block(const Tree& list, int depth) {
    NewLine(depth);
    Open("block", list);
    for (const TreeRef& statement : list.trees()) {
      NewLine(depth + 1);
      Statement(*statement, depth + 1);
    }
    out_ += ')';
  }
  void NewLine(int depth) {
    out_ += '\n';
    out_.append(static_cast<size_t>(2 * std::min(depth, 16)), ' ');
  }

  static const char* AugmentedOperator(int kind) {
    using namespace torch::jit;
    switch (kind) {
      case '+':
        return "add";
      case '-':
        return "sub";
      case '*':
        return "mul";
      case '/':
        return "div";
      case '%':
        return "mod";
      case '|':
        return "bit-or";
      case '&':
        return "bit-and";
      case '^':
        return "bit-xor";
      case TK_POW:
        return "pow";
      case TK_LSHIFT:
        return "shift-left";
      case TK_RSHIFT:
        return "shift-right";
      default:
        return "unknown";
    }
  }

  void Statement(const Tree& tree, int depth) {
    using namespace torch::jit;
    switch (tree.kind()) {
      case TK_EXPR_STMT:
        return Nodes("expression", tree);
      case TK_ASSIGN:
        Open("assign", tree);
        All(*tree.tree(0));
        Maybe(*tree.tree(1));
        Maybe(*tree.tree(2));
        out_ += ')';
        return;
      case TK_AUG_ASSIGN:
        Open("augmented-assign", tree);
        out_ += ' ';
        out_ += AugmentedOperator(tree.tree(1)->kind());
        out_ += ' ';
        Expression(*tree.tree(0));
        out_ += ' ';
        Expression(*tree.tree(2));
        out_ += ')';
        return;
      case TK_RETURN:
        return Nodes("return", tree);
      case TK_RAISE:
        return Nodes("raise", tree);
      case TK_ASSERT:
        Open("assert", tree);
        out_ += ' ';
        Expression(*tree.tree(0));
        Maybe(*tree.tree(1));
        out_ += ')';
        return;
      case TK_PASS:
        return Nodes("pass", tree);
      case TK_BREAK:
        return Nodes("break", tree);
      case TK_CONTINUE:
        return Nodes("continue", tree);
      case TK_DELETE:
        Open("delete", tree);
        All(*tree.tree(0));
        out_ += ')';
        return;
      case TK_IF:
        Open("if", tree);
        out_ += ' ';
        Expression(*tree.tree(0));
        Block(*tree.tree(1), depth + 1);
        if (tree.tree(2)->trees().empty()) {
          out_ += " -";
        } else {
          Block(*tree.tree(2), depth + 1);
        }
        out_ += ')';
        return;
      case TK_WHILE:
        Open("while", tree);
        out_ += ' ';
        Expression(*tree.tree(0));
        Block(*tree.tree(1), depth + 1);
        out_ += ')';
        return;
      case TK_FOR:
        Open("for", tree);
        All(*tree.tree(0));
        out_ += " |";
        All(*tree.tree(1));
        Block(*tree.tree(2), depth + 1);
        out_ += ')';
        return;
      case TK_WITH:
        Open("with", tree);
        for (const TreeRef& item : tree.tree(0)->trees()) {
          out_ += ' ';
          Open("with-item", *item);
          out_ += ' ';
          Expression(*item->tree(0));
          Maybe(*item->tree(1));
          out_ += ')';
        }
        Block(*tree.tree(1), depth + 1);
        out_ += ')';
        return;
      case TK_DEF:
        Open("function", tree);
        Name(*tree.tree(0));
        for (const TreeRef& parameter : tree.tree(1)->tree(0)->trees()) {
          out_ += ' ';
          Open(parameter->tree(3)->kind() == TK_TRUE ? "keyword-parameter" : "parameter",
               *parameter);
          Name(*parameter->tree(0));
          Maybe(*parameter->tree(1));
          Maybe(*parameter->tree(2));
          out_ += ')';
        }
        Maybe(*tree.tree(1)->tree(1));
        Block(*tree.tree(2), depth + 1);
        out_ += ')';
        return;
      case TK_CLASS_DEF:
        Open("class", tree);
        Name(*tree.tree(0));
        Maybe(*tree.tree(1));
        Block(*tree.tree(2), depth + 1);
        out_ += ')';
        return;
      default:
        out_ += "(unknown " + kindToString(tree.kind()) + ")";
    }
  }

  std::string out_;
};

// The trees of one text, or the first line of the parser's complaint.
std::string ParseAll(const std::string& text, bool methods, bool print) {
  using namespace torch::jit;
  std::string out;
  try {
    Parser parser(std::make_shared<Source>(c10::string_view(text.data(), text.size()), "f.py", 1));
    while (parser.lexer().cur().kind != TK_EOF) {
      const int kind = parser.lexer().cur().kind;
      if (kind == TK_CLASS_DEF) {
        const TreeRef tree = parser.parseClass();
        if (print) out += Printer().Print(tree, 0) + '\n';
      } else {
        const TreeRef tree = parser.parseFunction(methods);
        if (print) out += Printer().Print(tree, 0) + '\n';
      }
    }
  } catch (const std::exception& error) {
    // Some messages begin with a line break.
    std::string message = error.what();
    message.erase(0, message.find_first_not_of('\n'));
    message.resize(std::min(message.find('\n'), message.size()));
    return "error: " + message + '\n';
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const bool time = argc > 1 && std::string(argv[1]) == "--time";
  std::vector<std::pair<std::string, std::string>> files;
  for (std::string line; std::getline(std::cin, line);) {
    const std::string path = line.rfind("methods:", 0) == 0 ? line.substr(8) : line;
    std::ifstream file(path, std::ios::binary);
    std::stringstream content;
    content << file.rdbuf();
    files.emplace_back(line, content.str());
  }
  if (!time) {
    for (const auto& [line, text] : files) {
      std::cout << "== " << line << '\n' << ParseAll(text, line.rfind("methods:", 0) == 0, true);
    }
    return 0;
  }
  size_t bytes = 0;
  const std::clock_t start = std::clock();
  for (const auto& [line, text] : files) {
    ParseAll(text, line.rfind("methods:", 0) == 0, false);
    bytes += text.size();
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%zu bytes, %.3f s of CPU time, %.2f MB/s\n", bytes, seconds,
              static_cast<double>(bytes) / 1e6 / seconds);
}
