// The syntax tree of one text, as flat tables.
//
// Every node is a row, and its children are above it: a walk from the first row to the last meets
// each node after its children, without a stack. Rows hold ranges of the text and no copies of it.
//
// Ranges are those of PyTorch's parser, because traces show them. They are not always what one
// would draw: a call's range ends with its last argument, before `)`; `-1` is the number `1`;
// parentheses around an expression, and the brackets that close, belong to no node; an `if` without
// `else` reaches over the first token behind it. PyTorch reports a call by its callee's range.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "handrail/base/id.h"

#include "script/source_text.h"

namespace handrail::script {

using SyntaxId = Id<struct SyntaxTag>;

enum class NodeKind : uint8_t {
#define HANDRAIL_NODE_KIND(name, text) name,
#include "script/node_kinds.def"
};

enum class Operator : uint8_t {
  kNone,  // of nodes that have none
#define HANDRAIL_BINARY_OPERATOR(name, text, token, precedence) name,
#define HANDRAIL_UNARY_OPERATOR(name, text, token, precedence) name,
#include "script/operators.def"
};

// The text of a kind or operator in dumps.
std::string_view ToString(NodeKind kind);
std::string_view ToString(Operator op);

struct SyntaxNode {
  NodeKind kind;
  Operator op = Operator::kNone;  // of kUnary, kBinary and kAugmentedAssign
  bool is_negated = false;        // kNumber: a `-` stands before it
  bool is_bracketed = false;      // kListComprehension: in `[]`, so a list and not bare
  TextRange range;
  uint32_t first_child = 0;  // of child_count rows of the table of children
  uint32_t child_count = 0;
  // kSelect: where the attribute's name starts; it ends with the node.
  // kClass, kFunction, parameters, kKeyword: where the name ends; it starts with the node.
  // kCall: how many arguments are not keywords. kFor: how many targets.
  // kString: where the last of the adjacent literals ends (the range is that of the first).
  uint32_t mark = 0;
};
static_assert(sizeof(SyntaxNode) == 24);

using SyntaxIds = std::span<const SyntaxId>;

// The children of one node, by role. Slots that may hold none say so.
struct ClassView {
  std::string_view name;
  SyntaxId base;  // or none
  SyntaxId body;
};
struct FunctionView {
  std::string_view name;
  TextRange name_range;
  SyntaxIds parameters;
  SyntaxId result_type;  // or none
  SyntaxId body;
};
struct ParameterView {
  std::string_view name;
  TextRange name_range;
  SyntaxId type;           // or none
  SyntaxId default_value;  // or none
  bool is_keyword_only;
};
struct DecoratedView {
  SyntaxId definition;
  SyntaxIds decorators;
};
struct AssignView {
  SyntaxIds targets;  // `a = b = value` has two
  SyntaxId value;     // or none: a declaration
  SyntaxId type;      // or none
};
struct AugmentedAssignView {
  Operator op;
  SyntaxId target;
  SyntaxId value;
};
struct AssertView {
  SyntaxId condition;
  SyntaxId message;  // or none
};
struct IfView {
  SyntaxId condition;
  SyntaxId then_block;
  SyntaxId else_block;  // or none; `elif` is a block that holds one `if`
};
struct WhileView {
  SyntaxId condition;
  SyntaxId body;
};
struct ForView {
  SyntaxIds targets;  // `for a, b in c` has two
  SyntaxIds iterables;
  SyntaxId body;
};
struct WithView {
  SyntaxIds items;
  SyntaxId body;
};
struct WithItemView {
  SyntaxId context;
  SyntaxId name;  // or none
};
struct SelectView {
  SyntaxId value;
  std::string_view name;
  TextRange name_range;
};
struct CallView {
  SyntaxId callee;
  SyntaxIds arguments;  // some may be kStarred
  SyntaxIds keywords;
};
struct KeywordView {
  std::string_view name;
  TextRange name_range;
  SyntaxId value;
};
struct SubscriptView {
  SyntaxId value;
  SyntaxIds indices;
};
struct SliceView {
  SyntaxId start;  // or none, as the others
  SyntaxId stop;
  SyntaxId step;
};
struct UnaryView {
  Operator op;
  SyntaxId operand;
};
struct BinaryView {
  Operator op;
  SyntaxId left;
  SyntaxId right;
};
struct ConditionalView {
  SyntaxId condition;
  SyntaxId if_true;
  SyntaxId if_false;
};
struct ComprehensionView {
  SyntaxId key;  // none for a list
  SyntaxId element;
  SyntaxId target;
  SyntaxId iterable;
};

// Views and texts stay valid as long as the source's text and the tree live, also when the tree is
// moved. Immutable after the parse, so any number of threads may read it.
class SyntaxTree {
 public:
  SyntaxTree(SourceText source, std::vector<SyntaxNode> nodes, std::vector<SyntaxId> children)
      : source_(source), nodes_(std::move(nodes)), children_(std::move(children)) {}

  const SourceText& source() const { return source_; }
  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  SyntaxId root() const { return {size() - 1}; }

  const SyntaxNode& at(SyntaxId id) const { return nodes_[id.index]; }
  NodeKind kind(SyntaxId id) const { return at(id).kind; }
  TextRange range(SyntaxId id) const { return at(id).range; }
  SyntaxIds children(SyntaxId id) const {
    return SyntaxIds(children_).subspan(at(id).first_child, at(id).child_count);
  }
  // The text under a node's range. For kName, kTrue and other words, the word.
  std::string_view text(SyntaxId id) const { return TextOf(source_, range(id)); }

  // The only child of kExpressionStatement, kReturn, kRaise, kImport or kStarred.
  SyntaxId operand(SyntaxId id) const;

  // Each must be asked about a node of its own kind.
  ClassView class_definition(SyntaxId id) const;
  FunctionView function(SyntaxId id) const;
  ParameterView parameter(SyntaxId id) const;
  DecoratedView decorated(SyntaxId id) const;
  AssignView assign(SyntaxId id) const;
  AugmentedAssignView augmented_assign(SyntaxId id) const;
  AssertView assertion(SyntaxId id) const;
  IfView if_statement(SyntaxId id) const;
  WhileView while_loop(SyntaxId id) const;
  ForView for_loop(SyntaxId id) const;
  WithView with_statement(SyntaxId id) const;
  WithItemView with_item(SyntaxId id) const;
  SelectView select(SyntaxId id) const;
  CallView call(SyntaxId id) const;
  KeywordView keyword(SyntaxId id) const;
  SubscriptView subscript(SyntaxId id) const;
  SliceView slice(SyntaxId id) const;
  UnaryView unary(SyntaxId id) const;
  BinaryView binary(SyntaxId id) const;
  ConditionalView conditional(SyntaxId id) const;
  ComprehensionView comprehension(SyntaxId id) const;  // of a list or a dict

 private:
  TextRange LeadingName(const SyntaxNode& node) const { return {node.range.start, node.mark}; }

  SourceText source_;
  std::vector<SyntaxNode> nodes_;
  std::vector<SyntaxId> children_;
};

// An error at a node: ErrorAt(code, tree.source(), tree.range(id), message).
Error ErrorAt(ErrorCode code, const SyntaxTree& tree, SyntaxId id, std::string_view message);

}  // namespace handrail::script
