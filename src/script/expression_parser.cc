#include "script/expression_parser.h"

#include <array>

#include "handrail/base/limits.h"

#include "script/literals.h"

namespace handrail::script {
namespace {

struct OperatorRow {
  Operator op = Operator::kNone;
  uint8_t precedence = 0;
};
using OperatorTable = std::array<OperatorRow, 256>;

constexpr OperatorTable kBinaryOperators = [] {
  OperatorTable table{};
#define HANDRAIL_BINARY_OPERATOR(name, text, token, precedence) \
  table[static_cast<size_t>(TokenKind::token)] = {Operator::name, precedence};
#include "script/operators.def"
  return table;
}();

constexpr OperatorTable kUnaryOperators = [] {
  OperatorTable table{};
#define HANDRAIL_UNARY_OPERATOR(name, text, token, precedence) \
  table[static_cast<size_t>(TokenKind::token)] = {Operator::name, precedence};
#include "script/operators.def"
  return table;
}();

constexpr OperatorTable kAugmentedOperators = [] {
  OperatorTable table{};
#define HANDRAIL_AUGMENTED_OPERATOR(name, token) \
  table[static_cast<size_t>(TokenKind::token)] = {Operator::name, 1};
#include "script/operators.def"
  return table;
}();

OperatorRow Find(const OperatorTable& table, TokenKind kind) {
  return table[static_cast<size_t>(kind)];
}

// Of `x if c else y` and `x for t in y`.
constexpr uint8_t kConditionalPrecedence = 1;
// Of comparisons and `in`.
constexpr uint8_t kComparisonPrecedence = 4;

}  // namespace

Operator AugmentedOperator(TokenKind kind) {
  return Find(kAugmentedOperators, kind).op;
}

Result<SyntaxId> ExpressionParser::ParseTarget() {
  return ParseAbove(kComparisonPrecedence);
}

Result<SyntaxId> ExpressionParser::ParseAbove(uint8_t precedence) {
  frames_.clear();
  precedence_ = precedence;
  step_ = Step::kOperand;
  while (step_ != Step::kDone) {
    switch (step_) {
      case Step::kOperand:
        HANDRAIL_RETURN_IF_ERROR(TakeOperand());
        break;
      case Step::kPostfix:
        HANDRAIL_RETURN_IF_ERROR(TakePostfix());
        break;
      case Step::kOperator:
        HANDRAIL_RETURN_IF_ERROR(TakeOperator());
        break;
      case Step::kDone:
        break;
    }
  }
  return value_;
}

Result<SyntaxId> ExpressionParser::ParseOrTuple() {
  HANDRAIL_ASSIGN_OR_RETURN(const SyntaxId first, Parse());
  if (tokens_.kind() != TokenKind::kComma) return first;
  const uint32_t base = tree_.waiting_count();
  tree_.waiting().push_back(first);
  while (tokens_.Accept(TokenKind::kComma) && !TupleEndsHere()) {
    HANDRAIL_ASSIGN_OR_RETURN(const SyntaxId next, Parse());
    tree_.waiting().push_back(next);
  }
  return MakeTuple(base);
}

// Whether the comma before the current token was the tuple's last.
bool ExpressionParser::TupleEndsHere() const {
  const TokenKind kind = tokens_.kind();
  return kind == TokenKind::kNewline || kind == TokenKind::kEquals ||
         kind == TokenKind::kCloseParen || kind == TokenKind::kTypeComment ||
         AugmentedOperator(kind) != Operator::kNone;
}

SyntaxId ExpressionParser::MakeTuple(uint32_t base) {
  const SyntaxIds elements = tree_.waiting_from(base);
  const SyntaxId tuple = tree_.Add(
      {.kind = NodeKind::kTuple, .range = tree_.CoverAll(tree_.range(elements.front()), elements)},
      elements);
  tree_.waiting().resize(base);
  return tuple;
}

Status ExpressionParser::Push(Frame frame, uint8_t precedence) {
  if (frames_.size() == limits::kScriptDepthMax) {
    return tokens_.FailAt(ErrorCode::kLimit, tokens_.range(), "this expression is nested too deep");
  }
  frame.precedence = precedence_;
  frame.base = tree_.waiting_count();
  frames_.push_back(frame);
  precedence_ = precedence;
  step_ = Step::kOperand;
  return {};
}

ExpressionParser::Frame ExpressionParser::Pop() {
  const Frame frame = frames_.back();
  frames_.pop_back();
  precedence_ = frame.precedence;
  return frame;
}

Status ExpressionParser::TakeLeaf(NodeKind kind) {
  Complete(tree_.AddLeaf(kind, tokens_.range()), Step::kPostfix);
  tokens_.Advance();
  return {};
}

Status ExpressionParser::TakeOperand() {
  const TextRange range = tokens_.range();
  switch (tokens_.kind()) {
    case TokenKind::kName:
      return TakeLeaf(NodeKind::kName);
    case TokenKind::kNumber:
      return TakeLeaf(NodeKind::kNumber);
    case TokenKind::kTrue:
      return TakeLeaf(NodeKind::kTrue);
    case TokenKind::kFalse:
      return TakeLeaf(NodeKind::kFalse);
    case TokenKind::kNone:
      return TakeLeaf(NodeKind::kNone);
    case TokenKind::kNoneType:
      return TakeLeaf(NodeKind::kNoneType);
    case TokenKind::kDots:
    case TokenKind::kEllipsis:
      return TakeLeaf(NodeKind::kDots);
    case TokenKind::kString:
      return TakeString();
    case TokenKind::kFormatString:
      return TakeFormatString();
    case TokenKind::kOpenParen:
      tokens_.Advance();
      if (tokens_.Accept(TokenKind::kCloseParen)) {
        // The range of `()` is, oddly, that of the token behind it.
        Complete(tree_.AddLeaf(NodeKind::kTuple, tokens_.range()), Step::kPostfix);
        return {};
      }
      return Push({.waiting = Waiting::kForParen, .range = range}, 0);
    case TokenKind::kOpenBracket:
      tokens_.Advance();
      HANDRAIL_RETURN_IF_ERROR(Push({.waiting = Waiting::kForListElement, .range = range}, 0));
      return tokens_.kind() == TokenKind::kCloseBracket ? FinishList() : Status();
    case TokenKind::kOpenBrace:
      tokens_.Advance();
      // The range of a dict starts, oddly, behind its `{`.
      HANDRAIL_RETURN_IF_ERROR(Push({.waiting = Waiting::kForKey, .range = tokens_.range()}, 0));
      return tokens_.kind() == TokenKind::kCloseBrace ? FinishDict() : Status();
    default:
      break;
  }
  const OperatorRow row = Find(kUnaryOperators, tokens_.kind());
  if (row.op == Operator::kNone) return tokens_.Expected("an expression");
  tokens_.Advance();
  return Push({.waiting = Waiting::kForOperand, .op = row.op, .range = range}, row.precedence);
}

Status ExpressionParser::TakeString() {
  const TextRange range = tokens_.range();
  uint32_t end = range.end;
  while (tokens_.kind() == TokenKind::kString) {
    HANDRAIL_RETURN_IF_ERROR(CheckEscapes(tokens_.source(), tokens_.range()));
    end = tokens_.range().end;
    tokens_.Advance();
  }
  if (tokens_.kind() == TokenKind::kFormatString) {
    return tokens_.FailAt(ErrorCode::kUnsupported, tokens_.range(),
                          "a format string next to another string is not supported");
  }
  Complete(tree_.Add({.kind = NodeKind::kString, .range = range, .mark = end}, {}), Step::kPostfix);
  return {};
}

Status ExpressionParser::TakePostfix() {
  const TextRange range = tokens_.range();
  switch (tokens_.kind()) {
    case TokenKind::kDot: {
      tokens_.Advance();
      const TextRange name = tokens_.range();
      HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kName));
      Complete(tree_.Add({.kind = NodeKind::kSelect,
                          .range = Cover(name, tree_.range(value_)),
                          .mark = name.start},
                         {value_}),
               Step::kPostfix);
      return {};
    }
    case TokenKind::kOpenParen:
      tokens_.Advance();
      HANDRAIL_RETURN_IF_ERROR(Push({.waiting = Waiting::kForArgument, .range = range}, 0));
      tree_.waiting().push_back(value_);
      return StartArgument();
    case TokenKind::kOpenBracket:
      tokens_.Advance();
      HANDRAIL_RETURN_IF_ERROR(Push({.waiting = Waiting::kForIndex, .range = range}, 0));
      tree_.waiting().push_back(value_);
      return StartIndex();
    default:
      step_ = Step::kOperator;
      return {};
  }
}

Status ExpressionParser::TakeOperator() {
  const TextRange range = tokens_.range();
  const TokenKind kind = tokens_.kind();
  if (kind == TokenKind::kIf || kind == TokenKind::kFor) {
    if (kConditionalPrecedence <= precedence_) return CloseFrame();
    tokens_.Advance();
    if (kind == TokenKind::kIf) {
      return Push({.waiting = Waiting::kForCondition, .range = range, .left = value_}, 0);
    }
    return Push({.waiting = Waiting::kForTarget, .range = range, .left = value_},
                kComparisonPrecedence);
  }
  if (kind == TokenKind::kNotIn) {
    if (kComparisonPrecedence <= precedence_) return CloseFrame();
    tokens_.Advance();
    return Push({.waiting = Waiting::kForNotInRight, .range = range, .left = value_},
                kComparisonPrecedence);
  }
  const OperatorRow row = Find(kBinaryOperators, kind);
  if (row.precedence <= precedence_) return CloseFrame();
  tokens_.Advance();
  // `a ** b ** c` groups to the right: its right side may hold another.
  const auto right = static_cast<uint8_t>(row.precedence - (row.op == Operator::kPow ? 1 : 0));
  return Push({.waiting = Waiting::kForRight, .op = row.op, .range = range, .left = value_}, right);
}

// value_ is the operand that the innermost frame waits for.
Status ExpressionParser::CloseFrame() {
  if (frames_.empty()) {
    step_ = Step::kDone;
    return {};
  }
  switch (frames_.back().waiting) {
    case Waiting::kForOperand:
      Complete(MakeUnary(Pop()), Step::kOperator);
      return {};
    case Waiting::kForRight: {
      const Frame frame = Pop();
      Complete(tree_.Add({.kind = NodeKind::kBinary,
                          .op = frame.op,
                          .range = Cover(Cover(frame.range, tree_.range(frame.left)),
                                         tree_.range(value_))},
                         {frame.left, value_}),
               Step::kOperator);
      return {};
    }
    case Waiting::kForNotInRight: {
      const Frame frame = Pop();
      const TextRange range =
          Cover(Cover(frame.range, tree_.range(frame.left)), tree_.range(value_));
      const SyntaxId in = tree_.Add(
          {.kind = NodeKind::kBinary, .op = Operator::kIn, .range = range}, {frame.left, value_});
      Complete(tree_.Add({.kind = NodeKind::kUnary, .op = Operator::kNot, .range = range}, {in}),
               Step::kOperator);
      return {};
    }
    case Waiting::kForCondition: {
      const bool in_comprehension =
          frames_.size() > 1 && frames_[frames_.size() - 2].waiting == Waiting::kForIterable;
      if (in_comprehension && tokens_.kind() != TokenKind::kElse) {
        return tokens_.FailAt(ErrorCode::kUnsupported, frames_.back().range,
                              "a condition in a comprehension is not supported");
      }
      HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kElse));
      frames_.back().waiting = Waiting::kForElse;
      frames_.back().middle = value_;
      step_ = Step::kOperand;
      return {};
    }
    case Waiting::kForElse: {
      const Frame frame = Pop();
      const SyntaxId parts[] = {frame.middle, frame.left, value_};
      Complete(
          tree_.Add({.kind = NodeKind::kConditional, .range = tree_.CoverAll(frame.range, parts)},
                    parts),
          Step::kOperator);
      return {};
    }
    case Waiting::kForTarget:
      HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kIn));
      frames_.back().waiting = Waiting::kForIterable;
      frames_.back().middle = value_;
      precedence_ = 0;
      step_ = Step::kOperand;
      return {};
    case Waiting::kForIterable:
      return CloseComprehension(Pop());
    default:
      return CloseBracket();
  }
}

SyntaxId ExpressionParser::MakeUnary(const Frame& frame) {
  SyntaxNode& operand = tree_.at(value_);
  // `-1` is a number. `- -1` stays an operation on one.
  if (frame.op == Operator::kNegate && operand.kind == NodeKind::kNumber && !operand.is_negated) {
    operand.is_negated = true;
    return value_;
  }
  const TextRange range = Cover(frame.range, operand.range);
  if (frame.op == Operator::kStar) {
    return tree_.Add({.kind = NodeKind::kStarred, .range = range}, {value_});
  }
  return tree_.Add({.kind = NodeKind::kUnary, .op = frame.op, .range = range}, {value_});
}

Status ExpressionParser::CloseComprehension(const Frame& frame) {
  const SyntaxNode& iterable = tree_.at(value_);
  if (iterable.kind == NodeKind::kListComprehension && !iterable.is_bracketed) {
    return tokens_.FailAt(ErrorCode::kUnsupported, iterable.range,
                          "a second 'for' in a comprehension is not supported");
  }
  const SyntaxId parts[] = {frame.left, frame.middle, value_};
  Complete(
      tree_.Add({.kind = NodeKind::kListComprehension, .range = tree_.CoverAll(frame.range, parts)},
                parts),
      Step::kOperator);
  return {};
}

}  // namespace handrail::script
