// Statements and definitions: tokens into nodes, block by block.
//
// Blocks nest as deep as the input likes, and `elif` nests without indentation, so the parser keeps
// its own stack: an OpenBlock for every statement whose block is being read.
#pragma once

#include <vector>

#include "script/expression_parser.h"
#include "script/script.h"
#include "script/token_cursor.h"
#include "script/tree_builder.h"

namespace handrail::script {

class StatementParser {
 public:
  StatementParser(TokenCursor& tokens, TreeBuilder& tree, DefinitionKind definitions)
      : tokens_(tokens), tree_(tree), expressions_(tokens, tree), definitions_(definitions) {}

  // Adds the module's node, the root.
  Status ParseModule();

 private:
  enum class BlockKind : uint8_t { kThen, kElse, kElif, kWhile, kFor, kWith, kFunction, kClass };

  // A statement that is not complete, because its block is not. Its parts, and then the statements
  // of the block, are on the stack of waiting nodes.
  struct OpenBlock {
    BlockKind kind;
    bool is_one_line = false;    // a function with its only statement behind the colon
    TextRange range = {};        // of the statement without its block
    TextRange block_range = {};  // of the token that the block starts with
    uint32_t decorators = 0;     // the first part on the stack
    uint32_t parts = 0;          // the first behind the decorators
    uint32_t statements = 0;     // the first behind the parts
    uint32_t mark = 0;           // SyntaxNode::mark
  };

  struct Parameter {
    TextRange name;
    TextRange range;
    SyntaxId type;
    SyntaxId default_value;
    bool is_keyword_only;
  };

  bool in_class() const { return !open_.empty() && open_.back().kind == BlockKind::kClass; }

  Status ParseDefinition();
  Status ParseStatement();
  Status ParseSimpleStatement();
  Status ParseValueStatement(NodeKind kind);
  Status ParseBareStatement(NodeKind kind);
  Status ParseReturn();
  Status ParseAssert();
  Status ParseDelete();
  Status ParseImport();
  Status ParseExpressionOrAssign();
  Status ParseAssign(SyntaxId first_target);
  Status ParseAugmentedAssign(SyntaxId target, Operator op);

  Status OpenDecorated();
  Status OpenIf(TextRange range);
  Status OpenWhile();
  Status OpenFor();
  Status OpenWith();
  Status OpenClass(uint32_t decorators);
  Status OpenFunction(uint32_t decorators);
  Status ParseParameters();
  Status ParseTypeComment(bool is_method, SyntaxId& result_type);

  OpenBlock Begin(BlockKind kind, TextRange range) const;
  // Reads `:` and the start of an indented block.
  Status Open(OpenBlock block);
  Status Enter(OpenBlock block);

  // A statement is complete: ends the blocks that end with it, and so on outwards.
  Status Finish(SyntaxId statement);
  SyntaxId MakeBlock(const OpenBlock& block, TextRange range);
  SyntaxId MakeCompound(OpenBlock block, NodeKind kind);
  // The block of a `then` has ended: goes on with its `elif` or `else`, or returns the statement.
  Result<SyntaxId> ContinueIf();

  TokenCursor& tokens_;
  TreeBuilder& tree_;
  ExpressionParser expressions_;
  DefinitionKind definitions_;
  std::vector<OpenBlock> open_;
  std::vector<Parameter> parameters_;
};

}  // namespace handrail::script
