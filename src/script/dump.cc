#include "script/dump.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "script/literals.h"

namespace handrail::script {
namespace {

// Lines are indented no further: texts may nest without end.
constexpr uint32_t kIndentationMax = 16;

bool HasOwnLine(NodeKind kind) {
  return (kind >= NodeKind::kClass && kind <= NodeKind::kFunction) ||
         (kind >= NodeKind::kDecorated && kind < NodeKind::kWithItem);
}

void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

class Dumper {
 public:
  explicit Dumper(const SyntaxTree& tree) : tree_(tree) {}

  std::string Dump() {
    const NodeKind root = tree_.kind(tree_.root());
    if (root != NodeKind::kModule) {
      DumpNode(tree_.root());
      return out_ + '\n';
    }
    for (const SyntaxId definition : tree_.children(tree_.root())) {
      DumpNode(definition);
      out_ += '\n';
    }
    return std::move(out_);
  }

 private:
  // A node whose opening has been written.
  struct Open {
    SyntaxId id;
    uint32_t depth;  // in lines
    uint32_t next_child = 0;
  };

  void DumpNode(SyntaxId top) {
    WriteOpening(top);
    std::vector<Open> open{{top, 0}};
    while (!open.empty()) {
      Open& node = open.back();
      const SyntaxIds children = tree_.children(node.id);
      if (node.next_child == BarPlace(node.id)) out_ += " |";
      if (node.next_child == children.size()) {
        out_ += ')';
        open.pop_back();
        continue;
      }
      const SyntaxId child = children[node.next_child++];
      if (child.is_none()) {
        out_ += " -";
        continue;
      }
      uint32_t depth = node.depth;
      if (HasOwnLine(tree_.kind(child))) {
        ++depth;
        out_ += '\n';
        out_.append(size_t{2} * std::min(depth, kIndentationMax), ' ');
      } else {
        out_ += ' ';
      }
      WriteOpening(child);
      open.push_back({child, depth});
    }
  }

  // Before which child a `|` stands, if any.
  uint32_t BarPlace(SyntaxId id) const {
    const SyntaxNode& node = tree_.at(id);
    if (node.kind == NodeKind::kCall) return node.mark + 1;
    return node.kind == NodeKind::kFor ? node.mark : UINT32_MAX;
  }

  void WriteOpening(SyntaxId id) {
    const SyntaxNode& node = tree_.at(id);
    const bool is_operation = node.kind == NodeKind::kUnary || node.kind == NodeKind::kBinary;
    Write("({} {}-{}", is_operation ? ToString(node.op) : ToString(node.kind), node.range.start,
          node.range.end);
    switch (node.kind) {
      case NodeKind::kName:
        Write(" {}", tree_.text(id));
        break;
      case NodeKind::kNumber:
        Write(" {}{}", node.is_negated ? "-" : "", tree_.text(id));
        break;
      case NodeKind::kString:
      case NodeKind::kFormatText:
        out_ += ' ';
        AppendQuoted(out_, StringValue(tree_, id));
        break;
      case NodeKind::kSelect:
        Write(" {}", tree_.select(id).name);
        break;
      case NodeKind::kKeyword:
        Write(" {}", tree_.keyword(id).name);
        break;
      case NodeKind::kParameter:
      case NodeKind::kKeywordParameter:
        Write(" {}", tree_.parameter(id).name);
        break;
      case NodeKind::kFunction:
        Write(" {}", tree_.function(id).name);
        break;
      case NodeKind::kClass:
        Write(" {}", tree_.class_definition(id).name);
        break;
      case NodeKind::kAugmentedAssign:
        Write(" {}", ToString(node.op));
        break;
      default:
        break;
    }
  }

  template <typename... Args>
  void Write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  const SyntaxTree& tree_;
  std::string out_;
};

}  // namespace

std::string Dump(const SyntaxTree& tree) {
  return Dumper(tree).Dump();
}

}  // namespace handrail::script
