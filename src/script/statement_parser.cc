#include "script/statement_parser.h"

#include "handrail/base/limits.h"

namespace handrail::script {

Status StatementParser::ParseModule() {
  while (!open_.empty() || tokens_.kind() != TokenKind::kEnd) {
    HANDRAIL_RETURN_IF_ERROR(open_.empty() ? ParseDefinition() : ParseStatement());
  }
  const auto size = static_cast<uint32_t>(tokens_.source().text.size());
  tree_.Add({.kind = NodeKind::kModule, .range = {0, size}}, tree_.waiting_from(0));
  return {};
}

// What may stand outside of all functions and classes. The assignment is how old archives begin.
Status StatementParser::ParseDefinition() {
  switch (tokens_.kind()) {
    case TokenKind::kDef:
    case TokenKind::kClass:
    case TokenKind::kAt:
      return ParseStatement();
    case TokenKind::kImport:
      return ParseImport();
    case TokenKind::kName:
      if (TextOf(tokens_.source(), tokens_.range()) == "op_version_set") {
        return ParseExpressionOrAssign();
      }
      break;
    default:
      break;
  }
  return tokens_.Expected("'def' or 'class'");
}

Status StatementParser::ParseStatement() {
  const TextRange range = tokens_.range();
  switch (tokens_.kind()) {
    case TokenKind::kIf:
      tokens_.Advance();
      return OpenIf(range);
    case TokenKind::kWhile:
      return OpenWhile();
    case TokenKind::kFor:
      return OpenFor();
    case TokenKind::kWith:
      return OpenWith();
    case TokenKind::kDef:
      return OpenFunction(tree_.waiting_count());
    case TokenKind::kClass:
      // Classes stand outside of everything else.
      if (!open_.empty()) return tokens_.Expected("a statement");
      return OpenClass(tree_.waiting_count());
    case TokenKind::kAt:
      return OpenDecorated();
    default:
      return ParseSimpleStatement();
  }
}

Status StatementParser::ParseSimpleStatement() {
  switch (tokens_.kind()) {
    case TokenKind::kReturn:
      return ParseReturn();
    case TokenKind::kRaise:
      return ParseValueStatement(NodeKind::kRaise);
    case TokenKind::kAssert:
      return ParseAssert();
    case TokenKind::kPass:
      return ParseBareStatement(NodeKind::kPass);
    case TokenKind::kBreak:
      return ParseBareStatement(NodeKind::kBreak);
    case TokenKind::kContinue:
      return ParseBareStatement(NodeKind::kContinue);
    case TokenKind::kDel:
      return ParseDelete();
    default:
      return ParseExpressionOrAssign();
  }
}

Status StatementParser::ParseBareStatement(NodeKind kind) {
  const SyntaxId statement = tree_.AddLeaf(kind, tokens_.range());
  tokens_.Advance();
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kNewline));
  return Finish(statement);
}

// A keyword and an expression.
Status StatementParser::ParseValueStatement(NodeKind kind) {
  const TextRange range = tokens_.range();
  tokens_.Advance();
  HANDRAIL_ASSIGN_OR_RETURN(const SyntaxId value, expressions_.Parse());
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kNewline));
  return Finish(tree_.Add({.kind = kind, .range = Cover(range, tree_.range(value))}, {value}));
}

Status StatementParser::ParseReturn() {
  const TextRange range = tokens_.range();
  tokens_.Advance();
  SyntaxId value;
  if (tokens_.kind() == TokenKind::kNewline) {
    value = tree_.AddLeaf(NodeKind::kNone, range);
  } else {
    HANDRAIL_ASSIGN_OR_RETURN(value, expressions_.ParseOrTuple());
  }
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kNewline));
  return Finish(
      tree_.Add({.kind = NodeKind::kReturn, .range = Cover(range, tree_.range(value))}, {value}));
}

Status StatementParser::ParseAssert() {
  const TextRange range = tokens_.range();
  tokens_.Advance();
  HANDRAIL_ASSIGN_OR_RETURN(const SyntaxId condition, expressions_.Parse());
  SyntaxId message;
  if (tokens_.Accept(TokenKind::kComma)) {
    HANDRAIL_ASSIGN_OR_RETURN(message, expressions_.Parse());
  }
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kNewline));
  const SyntaxId parts[] = {condition, message};
  return Finish(
      tree_.Add({.kind = NodeKind::kAssert, .range = tree_.CoverAll(range, parts)}, parts));
}

Status StatementParser::ParseDelete() {
  TextRange range = tokens_.range();
  tokens_.Advance();
  const uint32_t base = tree_.waiting_count();
  do {
    HANDRAIL_ASSIGN_OR_RETURN(const SyntaxId target, expressions_.Parse());
    tree_.waiting().push_back(target);
  } while (tokens_.Accept(TokenKind::kComma));
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kNewline));
  range = tree_.CoverAll(range, tree_.waiting_from(base));
  const SyntaxId statement =
      tree_.Add({.kind = NodeKind::kDelete, .range = range}, tree_.waiting_from(base));
  tree_.waiting().resize(base);
  return Finish(statement);
}

Status StatementParser::ParseImport() {
  return ParseValueStatement(NodeKind::kImport);
}

Status StatementParser::ParseExpressionOrAssign() {
  HANDRAIL_ASSIGN_OR_RETURN(const SyntaxId first, expressions_.ParseOrTuple());
  if (tokens_.Accept(TokenKind::kNewline)) {
    return Finish(
        tree_.Add({.kind = NodeKind::kExpressionStatement, .range = tree_.range(first)}, {first}));
  }
  if (const Operator op = AugmentedOperator(tokens_.kind()); op != Operator::kNone) {
    return ParseAugmentedAssign(first, op);
  }
  if (tokens_.kind() != TokenKind::kColon && tokens_.kind() != TokenKind::kEquals) {
    return tokens_.Expected(TokenKind::kNewline);
  }
  return ParseAssign(first);
}

Status StatementParser::ParseAssign(SyntaxId first_target) {
  const uint32_t base = tree_.waiting_count();
  tree_.waiting().push_back(first_target);
  SyntaxId type;
  if (tokens_.Accept(TokenKind::kColon)) {
    HANDRAIL_ASSIGN_OR_RETURN(type, expressions_.Parse());
  }
  // Without a value, `x: T`; else every `=` makes what stood before it a target.
  SyntaxId value;
  while (tokens_.Accept(TokenKind::kEquals)) {
    if (!value.is_none()) tree_.waiting().push_back(value);
    HANDRAIL_ASSIGN_OR_RETURN(value, expressions_.ParseOrTuple());
  }
  if (!type.is_none() && tree_.waiting_count() - base > 1) {
    return tokens_.FailAt(ErrorCode::kUnsupported, tree_.range(type),
                          "a type on an assignment to several targets is not supported");
  }
  if (!value.is_none() && type.is_none() && tokens_.Accept(TokenKind::kTypeComment)) {
    HANDRAIL_ASSIGN_OR_RETURN(type, expressions_.Parse());
  }
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kNewline));
  tree_.waiting().push_back(value);
  tree_.waiting().push_back(type);
  const SyntaxIds parts = tree_.waiting_from(base);
  const SyntaxId statement = tree_.Add(
      {.kind = NodeKind::kAssign, .range = tree_.CoverAll(tree_.range(first_target), parts)},
      parts);
  tree_.waiting().resize(base);
  return Finish(statement);
}

Status StatementParser::ParseAugmentedAssign(SyntaxId target, Operator op) {
  const TextRange range = tokens_.range();
  if (tree_.at(target).kind == NodeKind::kTuple) {
    return tokens_.FailAt(ErrorCode::kCorrupt, tree_.range(target),
                          "expected one target before an augmented assignment, found a tuple");
  }
  tokens_.Advance();
  HANDRAIL_ASSIGN_OR_RETURN(const SyntaxId value, expressions_.ParseOrTuple());
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kNewline));
  const SyntaxId parts[] = {target, value};
  return Finish(tree_.Add(
      {.kind = NodeKind::kAugmentedAssign, .op = op, .range = tree_.CoverAll(range, parts)},
      parts));
}

}  // namespace handrail::script
