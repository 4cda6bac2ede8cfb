#include "script/syntax_tree.h"

#include "handrail/base/check.h"

namespace handrail::script {

std::string_view ToString(NodeKind kind) {
  switch (kind) {
#define HANDRAIL_NODE_KIND(name, text) \
  case NodeKind::name:                 \
    return text;
#include "script/node_kinds.def"
  }
  return "invalid";
}

std::string_view ToString(Operator op) {
  switch (op) {
    case Operator::kNone:
      return "none";
#define HANDRAIL_BINARY_OPERATOR(name, text, token, precedence) \
  case Operator::name:                                          \
    return text;
#define HANDRAIL_UNARY_OPERATOR(name, text, token, precedence) \
  case Operator::name:                                         \
    return text;
#include "script/operators.def"
  }
  return "invalid";
}

SyntaxId SyntaxTree::operand(SyntaxId id) const {
  HANDRAIL_CHECK(at(id).child_count == 1);
  return children(id).front();
}

ClassView SyntaxTree::class_definition(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kClass);
  const SyntaxIds parts = children(id);
  return {TextOf(source_, LeadingName(at(id))), parts[0], parts[1]};
}

FunctionView SyntaxTree::function(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kFunction);
  const SyntaxIds parts = children(id);
  const size_t parameters = parts.size() - 2;
  const TextRange name = LeadingName(at(id));
  return {TextOf(source_, name), name, parts.first(parameters), parts[parameters],
          parts[parameters + 1]};
}

ParameterView SyntaxTree::parameter(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kParameter || kind(id) == NodeKind::kKeywordParameter);
  const SyntaxIds parts = children(id);
  const TextRange name = LeadingName(at(id));
  return {TextOf(source_, name), name, parts[0], parts[1], kind(id) == NodeKind::kKeywordParameter};
}

DecoratedView SyntaxTree::decorated(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kDecorated);
  const SyntaxIds parts = children(id);
  return {parts.front(), parts.subspan(1)};
}

AssignView SyntaxTree::assign(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kAssign);
  const SyntaxIds parts = children(id);
  const size_t targets = parts.size() - 2;
  return {parts.first(targets), parts[targets], parts[targets + 1]};
}

AugmentedAssignView SyntaxTree::augmented_assign(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kAugmentedAssign);
  const SyntaxIds parts = children(id);
  return {at(id).op, parts[0], parts[1]};
}

AssertView SyntaxTree::assertion(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kAssert);
  const SyntaxIds parts = children(id);
  return {parts[0], parts[1]};
}

IfView SyntaxTree::if_statement(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kIf);
  const SyntaxIds parts = children(id);
  return {parts[0], parts[1], parts[2]};
}

WhileView SyntaxTree::while_loop(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kWhile);
  const SyntaxIds parts = children(id);
  return {parts[0], parts[1]};
}

ForView SyntaxTree::for_loop(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kFor);
  const SyntaxIds parts = children(id);
  const size_t targets = at(id).mark;
  return {parts.first(targets), parts.subspan(targets, parts.size() - targets - 1), parts.back()};
}

WithView SyntaxTree::with_statement(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kWith);
  const SyntaxIds parts = children(id);
  return {parts.first(parts.size() - 1), parts.back()};
}

WithItemView SyntaxTree::with_item(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kWithItem);
  const SyntaxIds parts = children(id);
  return {parts[0], parts[1]};
}

SelectView SyntaxTree::select(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kSelect);
  const TextRange name{at(id).mark, range(id).end};
  return {children(id).front(), TextOf(source_, name), name};
}

CallView SyntaxTree::call(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kCall);
  const SyntaxIds parts = children(id);
  return {parts.front(), parts.subspan(1, at(id).mark), parts.subspan(1 + at(id).mark)};
}

KeywordView SyntaxTree::keyword(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kKeyword);
  const TextRange name = LeadingName(at(id));
  return {TextOf(source_, name), name, children(id).front()};
}

SubscriptView SyntaxTree::subscript(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kSubscript);
  const SyntaxIds parts = children(id);
  return {parts.front(), parts.subspan(1)};
}

SliceView SyntaxTree::slice(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kSlice);
  const SyntaxIds parts = children(id);
  return {parts[0], parts[1], parts[2]};
}

UnaryView SyntaxTree::unary(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kUnary);
  return {at(id).op, children(id).front()};
}

BinaryView SyntaxTree::binary(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kBinary);
  const SyntaxIds parts = children(id);
  return {at(id).op, parts[0], parts[1]};
}

ConditionalView SyntaxTree::conditional(SyntaxId id) const {
  HANDRAIL_CHECK(kind(id) == NodeKind::kConditional);
  const SyntaxIds parts = children(id);
  return {parts[0], parts[1], parts[2]};
}

ComprehensionView SyntaxTree::comprehension(SyntaxId id) const {
  const SyntaxIds parts = children(id);
  if (kind(id) == NodeKind::kDictComprehension) return {parts[0], parts[1], parts[2], parts[3]};
  HANDRAIL_CHECK(kind(id) == NodeKind::kListComprehension);
  return {SyntaxId::none(), parts[0], parts[1], parts[2]};
}

Error ErrorAt(ErrorCode code, const SyntaxTree& tree, SyntaxId id, std::string_view message) {
  return ErrorAt(code, tree.source(), tree.range(id), message);
}

}  // namespace handrail::script
