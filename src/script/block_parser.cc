// The part of StatementParser that is about blocks: what opens them, and what follows when they
// end.
#include "handrail/base/limits.h"

#include "script/statement_parser.h"

namespace handrail::script {

StatementParser::OpenBlock StatementParser::Begin(BlockKind kind, TextRange range) const {
  const uint32_t parts = tree_.waiting_count();
  return {.kind = kind, .range = range, .decorators = parts, .parts = parts};
}

Status StatementParser::Open(OpenBlock block) {
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kColon));
  if (tokens_.kind() != TokenKind::kIndent) return tokens_.Expected("an indented block");
  block.block_range = tokens_.range();
  tokens_.Advance();
  return Enter(block);
}

Status StatementParser::Enter(OpenBlock block) {
  if (open_.size() >= limits::kScriptDepthMax) {
    return tokens_.FailAt(ErrorCode::kLimit, block.range, "this block is nested too deep");
  }
  block.statements = tree_.waiting_count();
  open_.push_back(block);
  return {};
}

Status StatementParser::OpenIf(TextRange range) {
  OpenBlock block = Begin(BlockKind::kThen, range);
  HANDRAIL_ASSIGN_OR_RETURN(const SyntaxId condition, expressions_.Parse());
  tree_.waiting().push_back(condition);
  return Open(block);
}

Status StatementParser::OpenWhile() {
  const OpenBlock block = Begin(BlockKind::kWhile, tokens_.range());
  tokens_.Advance();
  HANDRAIL_ASSIGN_OR_RETURN(const SyntaxId condition, expressions_.Parse());
  tree_.waiting().push_back(condition);
  return Open(block);
}

Status StatementParser::OpenFor() {
  OpenBlock block = Begin(BlockKind::kFor, tokens_.range());
  tokens_.Advance();
  do {
    HANDRAIL_ASSIGN_OR_RETURN(const SyntaxId target, expressions_.ParseTarget());
    tree_.waiting().push_back(target);
  } while (tokens_.Accept(TokenKind::kComma) && tokens_.kind() != TokenKind::kIn);
  block.mark = tree_.waiting_count() - block.parts;
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kIn));
  do {
    HANDRAIL_ASSIGN_OR_RETURN(const SyntaxId iterable, expressions_.Parse());
    tree_.waiting().push_back(iterable);
  } while (tokens_.Accept(TokenKind::kComma) && tokens_.kind() != TokenKind::kColon);
  return Open(block);
}

Status StatementParser::OpenWith() {
  const OpenBlock block = Begin(BlockKind::kWith, tokens_.range());
  tokens_.Advance();
  do {
    HANDRAIL_ASSIGN_OR_RETURN(const SyntaxId context, expressions_.Parse());
    TextRange range = tree_.range(context);
    SyntaxId name;
    if (tokens_.Accept(TokenKind::kAs)) {
      const TextRange name_range = tokens_.range();
      HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kName));
      name = tree_.AddLeaf(NodeKind::kName, name_range);
      range = Cover(range, name_range);
    }
    tree_.waiting().push_back(
        tree_.Add({.kind = NodeKind::kWithItem, .range = range}, {context, name}));
  } while (tokens_.Accept(TokenKind::kComma) && tokens_.kind() != TokenKind::kColon);
  return Open(block);
}

Status StatementParser::OpenDecorated() {
  const uint32_t decorators = tree_.waiting_count();
  while (tokens_.Accept(TokenKind::kAt)) {
    HANDRAIL_ASSIGN_OR_RETURN(const SyntaxId decorator, expressions_.Parse());
    tree_.waiting().push_back(decorator);
    HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kNewline));
  }
  if (tokens_.kind() == TokenKind::kDef) return OpenFunction(decorators);
  if (tokens_.kind() == TokenKind::kClass && open_.empty()) return OpenClass(decorators);
  return tokens_.Expected(open_.empty() ? "'def' or 'class'" : "'def'");
}

Status StatementParser::OpenClass(uint32_t decorators) {
  tokens_.Advance();
  OpenBlock block = Begin(BlockKind::kClass, tokens_.range());
  block.decorators = decorators;
  block.mark = tokens_.range().end;
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kName));
  SyntaxId base;
  if (tokens_.Accept(TokenKind::kOpenParen)) {
    HANDRAIL_ASSIGN_OR_RETURN(base, expressions_.Parse());
    HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kCloseParen));
  }
  tree_.waiting().push_back(base);
  return Open(block);
}

Status StatementParser::Finish(SyntaxId statement) {
  while (true) {
    tree_.waiting().push_back(statement);
    if (open_.empty()) return {};
    OpenBlock& block = open_.back();
    // An `elif` ends with the one `if` that it holds.
    const bool ends =
        block.kind == BlockKind::kElif || block.is_one_line || tokens_.Accept(TokenKind::kDedent);
    if (!ends) return {};
    switch (block.kind) {
      case BlockKind::kThen: {
        HANDRAIL_ASSIGN_OR_RETURN(statement, ContinueIf());
        if (statement.is_none()) return {};
        break;
      }
      case BlockKind::kElse:
      case BlockKind::kElif:
        statement = MakeCompound(block, NodeKind::kIf);
        break;
      case BlockKind::kWhile:
        statement = MakeCompound(block, NodeKind::kWhile);
        break;
      case BlockKind::kFor:
        statement = MakeCompound(block, NodeKind::kFor);
        break;
      case BlockKind::kWith:
        statement = MakeCompound(block, NodeKind::kWith);
        break;
      case BlockKind::kFunction:
        // A body on the `def`'s own line reaches, oddly, over the token behind it.
        if (block.is_one_line) block.block_range = tokens_.range();
        statement = MakeCompound(block, NodeKind::kFunction);
        break;
      case BlockKind::kClass:
        statement = MakeCompound(block, NodeKind::kClass);
        break;
    }
    open_.pop_back();
  }
}

Result<SyntaxId> StatementParser::ContinueIf() {
  OpenBlock& block = open_.back();
  const SyntaxId then_block = MakeBlock(block, block.block_range);
  tree_.waiting().push_back(then_block);
  if (tokens_.Accept(TokenKind::kElif)) {
    block.kind = BlockKind::kElif;
    block.block_range = tokens_.range();
    block.statements = tree_.waiting_count();
    HANDRAIL_RETURN_IF_ERROR(OpenIf(tokens_.range()));
    return SyntaxId::none();
  }
  if (tokens_.Accept(TokenKind::kElse)) {
    OpenBlock rest = block;
    rest.kind = BlockKind::kElse;
    open_.pop_back();
    HANDRAIL_RETURN_IF_ERROR(Open(rest));
    return SyntaxId::none();
  }
  // Without `else`, the range reaches, oddly, over the token behind the statement.
  tree_.waiting().push_back(SyntaxId::none());
  const SyntaxIds parts = tree_.waiting_from(block.parts);
  const TextRange range = tree_.CoverAll(Cover(block.range, tokens_.range()), parts);
  const SyntaxId statement = tree_.Add({.kind = NodeKind::kIf, .range = range}, parts);
  tree_.waiting().resize(block.parts);
  return statement;
}

// Takes the statements of the block off the stack.
SyntaxId StatementParser::MakeBlock(const OpenBlock& block, TextRange range) {
  const SyntaxIds statements = tree_.waiting_from(block.statements);
  const SyntaxId id =
      tree_.Add({.kind = NodeKind::kBlock, .range = tree_.CoverAll(range, statements)}, statements);
  tree_.waiting().resize(block.statements);
  return id;
}

// Takes the block, the parts and the decorators of the statement off the stack.
SyntaxId StatementParser::MakeCompound(OpenBlock block, NodeKind kind) {
  const SyntaxId body = MakeBlock(block, block.block_range);
  tree_.waiting().push_back(body);
  const SyntaxIds parts = tree_.waiting_from(block.parts);
  const SyntaxId statement = tree_.Add(
      {.kind = kind, .range = tree_.CoverAll(block.range, parts), .mark = block.mark}, parts);
  tree_.waiting().resize(block.parts);
  if (block.decorators == block.parts) return statement;

  tree_.waiting().insert(tree_.waiting().begin() + ptrdiff_t{block.decorators}, statement);
  const SyntaxIds decorated = tree_.waiting_from(block.decorators);
  const SyntaxId outer = tree_.Add(
      {.kind = NodeKind::kDecorated, .range = tree_.CoverAll(tree_.range(statement), decorated)},
      decorated);
  tree_.waiting().resize(block.decorators);
  return outer;
}

}  // namespace handrail::script
