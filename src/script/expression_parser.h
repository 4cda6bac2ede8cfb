// Expressions: tokens into nodes, by operator precedence.
//
// Input may nest as deep as it likes, so the parser keeps its own stack: a frame for every bracket,
// operator or comprehension that waits for an operand. Chains of operators, calls and attributes
// take no depth.
#pragma once

#include <vector>

#include "script/token_cursor.h"
#include "script/tree_builder.h"

namespace handrail::script {

class ExpressionParser {
 public:
  ExpressionParser(TokenCursor& tokens, TreeBuilder& tree) : tokens_(tokens), tree_(tree) {}

  // The longest expression from here on.
  Result<SyntaxId> Parse() { return ParseAbove(0); }
  // The same without `in`, comparisons, `not in`, `and`, `or`, `if` and `for`: what can be
  // assigned.
  Result<SyntaxId> ParseTarget();
  // One expression, or several with commas between or behind them: a tuple.
  Result<SyntaxId> ParseOrTuple();

 private:
  enum class Waiting : uint8_t {
    kForOperand,      // unary operator
    kForRight,        // binary operator; `left` is what stands before it
    kForNotInRight,   // `not in`
    kForCondition,    // `x if`
    kForElse,         // `x if c else`
    kForTarget,       // `x for`
    kForIterable,     // `x for t in`
    kForParen,        // `(`
    kForTupleParen,   // `(x,`
    kForListElement,  // `[`
    kForKey,          // `{`
    kForValue,        // `{k:`
    kForArgument,     // `f(`
    kForKeyword,      // `f(name=`
    kForIndex,        // `x[`
    kForStop,         // `x[a:`
    kForStep,         // `x[a:b:`
    kForField,        // f"{
  };

  // What is to come back to when the operand is complete.
  struct Frame {
    Waiting waiting;
    uint8_t precedence = 0;  // to go on with afterwards
    Operator op = Operator::kNone;
    TextRange range = {};       // of the operator or bracket
    SyntaxId left = {};         // the operand or element before it; a slice's start
    SyntaxId middle = {};       // kForElse: the condition; kForIterable: the target; a slice's stop
    uint32_t base = 0;          // of its nodes among those that wait for a parent; the callee of a
                                // call and the value of a subscript come first
    TextRange detail = {};      // kForKeyword: the name; kForIndex: the index's first token;
                                // kForField: the format string's content
    Lexer::Window resume = {};  // kForField: the text around the format string
  };

  enum class Step : uint8_t {
    kOperand,   // an operand must come
    kPostfix,   // value_ is complete unless `.`, `(` or `[` follow
    kOperator,  // value_ is complete unless an operator that binds tighter than precedence_ follows
    kDone,
  };

  Result<SyntaxId> ParseAbove(uint8_t precedence);
  Status TakeOperand();
  Status TakePostfix();
  Status TakeOperator();
  Status CloseFrame();
  Status CloseBracket();
  Status CloseParen();
  Status CloseComprehension(const Frame& frame);

  Status Push(Frame frame, uint8_t precedence);
  Frame Pop();
  void Complete(SyntaxId value, Step step) {
    value_ = value;
    step_ = step;
  }
  // Completes a leaf whose range is the current token.
  Status TakeLeaf(NodeKind kind);
  Status TakeString();

  Status StartArgument();
  Status FinishCall();
  Status StartIndex();
  Status StartSlice(SyntaxId start);
  Status StartStep();
  Status FinishSlice(SyntaxId step);
  Status FinishIndex(SyntaxId index);
  Status FinishSubscript();
  Status FinishList();
  Status FinishDict();
  SyntaxId MakeTuple(uint32_t base);
  SyntaxId MakeUnary(const Frame& frame);

  Status TakeFormatString();
  Status TakeFormatText(uint32_t from);
  Status FinishFormatField();

  bool TupleEndsHere() const;

  TokenCursor& tokens_;
  TreeBuilder& tree_;
  std::vector<Frame> frames_;
  SyntaxId value_;
  Step step_ = Step::kOperand;
  uint8_t precedence_ = 0;
};

// The operator of `x op= y`, or kNone.
Operator AugmentedOperator(TokenKind kind);

}  // namespace handrail::script
