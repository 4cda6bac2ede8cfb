// The part of ExpressionParser that is about brackets: tuples, lists, dicts, calls, subscripts, and
// the fields of format strings.
#include <algorithm>

#include "script/expression_parser.h"
#include "script/literals.h"

namespace handrail::script {

// value_ is what the innermost frame, which is a bracket's, waits for.
Status ExpressionParser::CloseBracket() {
  Frame& frame = frames_.back();
  switch (frame.waiting) {
    case Waiting::kForParen:
    case Waiting::kForTupleParen:
      return CloseParen();
    case Waiting::kForListElement:
      tree_.waiting().push_back(value_);
      if (tokens_.Accept(TokenKind::kComma) && tokens_.kind() != TokenKind::kCloseBracket) {
        step_ = Step::kOperand;
        return {};
      }
      return FinishList();
    case Waiting::kForKey:
      HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kColon));
      tree_.waiting().push_back(value_);
      frame.waiting = Waiting::kForValue;
      step_ = Step::kOperand;
      return {};
    case Waiting::kForValue:
      tree_.waiting().push_back(value_);
      frame.waiting = Waiting::kForKey;
      if (tokens_.Accept(TokenKind::kComma) && tokens_.kind() != TokenKind::kCloseBrace) {
        step_ = Step::kOperand;
        return {};
      }
      return FinishDict();
    case Waiting::kForKeyword:
      value_ = tree_.Add({.kind = NodeKind::kKeyword,
                          .range = Cover(frame.detail, tree_.range(value_)),
                          .mark = frame.detail.end},
                         {value_});
      [[fallthrough]];
    case Waiting::kForArgument:
      tree_.waiting().push_back(value_);
      return tokens_.Accept(TokenKind::kComma) ? StartArgument() : FinishCall();
    case Waiting::kForIndex:
      return tokens_.kind() == TokenKind::kColon ? StartSlice(value_) : FinishIndex(value_);
    case Waiting::kForStop:
      frame.middle = value_;
      return StartStep();
    case Waiting::kForStep:
      return FinishSlice(value_);
    default:
      return FinishFormatField();
  }
}

Status ExpressionParser::CloseParen() {
  Frame& frame = frames_.back();
  if (frame.waiting == Waiting::kForTupleParen || tokens_.kind() == TokenKind::kComma) {
    frame.waiting = Waiting::kForTupleParen;
    tree_.waiting().push_back(value_);
    if (tokens_.Accept(TokenKind::kComma) && !TupleEndsHere()) {
      step_ = Step::kOperand;
      return {};
    }
  }
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kCloseParen));
  const Frame closed = Pop();
  Complete(closed.waiting == Waiting::kForTupleParen ? MakeTuple(closed.base) : value_,
           Step::kPostfix);
  return {};
}

Status ExpressionParser::FinishList() {
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kCloseBracket));
  const Frame frame = Pop();
  const SyntaxIds elements = tree_.waiting_from(frame.base);
  const auto is_comprehension = [&](SyntaxId id, bool is_bracketed) {
    const SyntaxNode& node = tree_.at(id);
    return node.kind == NodeKind::kListComprehension && node.is_bracketed == is_bracketed;
  };
  if (elements.size() == 1 && is_comprehension(elements[0], false)) {
    tree_.at(elements[0]).is_bracketed = true;
    Complete(elements[0], Step::kPostfix);
  } else if (elements.size() == 1 && is_comprehension(elements[0], true)) {
    return tokens_.FailAt(ErrorCode::kUnsupported, tree_.range(elements[0]),
                          "a list of one list comprehension is not supported: PyTorch reads it as "
                          "the comprehension alone");
  } else {
    for (const SyntaxId element : elements) {
      if (is_comprehension(element, false)) {
        return tokens_.FailAt(ErrorCode::kCorrupt, tree_.range(element),
                              "expected a comprehension alone in its brackets");
      }
    }
    Complete(tree_.Add({.kind = NodeKind::kList, .range = tree_.CoverAll(frame.range, elements)},
                       elements),
             Step::kPostfix);
  }
  tree_.waiting().resize(frame.base);
  return {};
}

Status ExpressionParser::FinishDict() {
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kCloseBrace));
  const Frame frame = Pop();
  const SyntaxIds parts = tree_.waiting_from(frame.base);
  for (size_t i = 1; i < parts.size(); i += 2) {
    const SyntaxNode& value = tree_.at(parts[i]);
    if (value.kind != NodeKind::kListComprehension) continue;
    if (parts.size() > 2 && value.is_bracketed) continue;
    if (parts.size() > 2) {
      return tokens_.FailAt(ErrorCode::kCorrupt, value.range,
                            "expected a comprehension alone in its brackets");
    }
    if (value.is_bracketed) {
      return tokens_.FailAt(ErrorCode::kUnsupported, value.range,
                            "a list comprehension as the only value of a dict is not supported: "
                            "PyTorch reads it as a dict comprehension");
    }
    // `{k: v for t in x}`: the value and the rest have been read as a list comprehension.
    const SyntaxIds inner = tree_.children(parts[1]);
    const SyntaxId all[] = {parts[0], inner[0], inner[1], inner[2]};
    tree_.RemoveLast(parts[1]);
    tree_.waiting().resize(frame.base);
    Complete(
        tree_.Add({.kind = NodeKind::kDictComprehension, .range = tree_.CoverAll(frame.range, all)},
                  all),
        Step::kPostfix);
    return {};
  }
  Complete(tree_.Add({.kind = NodeKind::kDict, .range = tree_.CoverAll(frame.range, parts)}, parts),
           Step::kPostfix);
  tree_.waiting().resize(frame.base);
  return {};
}

// Behind `(` or a comma of a call, whose frame is the innermost.
Status ExpressionParser::StartArgument() {
  if (tokens_.kind() == TokenKind::kCloseParen) return FinishCall();
  Frame& frame = frames_.back();
  frame.waiting = Waiting::kForArgument;
  if (tokens_.kind() == TokenKind::kName && tokens_.lexer().NextIsEquals()) {
    frame.waiting = Waiting::kForKeyword;
    frame.detail = tokens_.range();
    tokens_.Advance();
    tokens_.Advance();
  }
  step_ = Step::kOperand;
  return {};
}

Status ExpressionParser::FinishCall() {
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kCloseParen));
  const Frame frame = Pop();
  const auto begin = tree_.waiting().begin() + ptrdiff_t{frame.base} + 1;
  // An argument may stand behind a keyword.
  const auto keywords = std::stable_partition(begin, tree_.waiting().end(), [&](SyntaxId id) {
    return tree_.at(id).kind != NodeKind::kKeyword;
  });
  const auto argument_count = static_cast<uint32_t>(keywords - begin);
  const SyntaxIds parts = tree_.waiting_from(frame.base);
  Complete(tree_.Add({.kind = NodeKind::kCall,
                      .range = tree_.CoverAll(frame.range, parts),
                      .mark = argument_count},
                     parts),
           Step::kPostfix);
  tree_.waiting().resize(frame.base);
  return {};
}

// Behind `[` or a comma of a subscript, whose frame is the innermost.
Status ExpressionParser::StartIndex() {
  frames_.back().detail = tokens_.range();
  if (tokens_.kind() == TokenKind::kCloseBracket) return FinishSubscript();
  if (tokens_.kind() == TokenKind::kColon) return StartSlice(SyntaxId::none());
  step_ = Step::kOperand;
  return {};
}

// At the first colon of a slice.
Status ExpressionParser::StartSlice(SyntaxId start) {
  const TextRange first_token = frames_.back().detail;
  tokens_.Advance();
  HANDRAIL_RETURN_IF_ERROR(
      Push({.waiting = Waiting::kForStop, .range = first_token, .left = start}, 0));
  const TokenKind kind = tokens_.kind();
  if (kind == TokenKind::kComma || kind == TokenKind::kCloseBracket || kind == TokenKind::kColon) {
    return StartStep();
  }
  return {};
}

// Behind a slice's stop, or where that would be.
Status ExpressionParser::StartStep() {
  if (tokens_.Accept(TokenKind::kColon) && tokens_.kind() != TokenKind::kComma &&
      tokens_.kind() != TokenKind::kCloseBracket) {
    frames_.back().waiting = Waiting::kForStep;
    step_ = Step::kOperand;
    return {};
  }
  return FinishSlice(SyntaxId::none());
}

Status ExpressionParser::FinishSlice(SyntaxId step) {
  const Frame frame = Pop();
  const SyntaxId parts[] = {frame.left, frame.middle, step};
  return FinishIndex(
      tree_.Add({.kind = NodeKind::kSlice, .range = tree_.CoverAll(frame.range, parts)}, parts));
}

Status ExpressionParser::FinishIndex(SyntaxId index) {
  tree_.waiting().push_back(index);
  return tokens_.Accept(TokenKind::kComma) ? StartIndex() : FinishSubscript();
}

Status ExpressionParser::FinishSubscript() {
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kCloseBracket));
  const Frame frame = Pop();
  TextRange range = tree_.CoverAll(frame.range, tree_.waiting_from(frame.base + 1));
  // One byte behind the last index, where `]` mostly stands.
  range.end = std::min(range.end + 1, static_cast<uint32_t>(tokens_.source().text.size()));
  const SyntaxIds parts = tree_.waiting_from(frame.base);
  range = Cover(range, tree_.range(parts[0]));
  Complete(tree_.Add({.kind = NodeKind::kSubscript, .range = range}, parts), Step::kPostfix);
  tree_.waiting().resize(frame.base);
  return {};
}

Status ExpressionParser::TakeFormatString() {
  const TextRange range = tokens_.range();
  const TextRange content = StringContent(tokens_.source(), range);
  HANDRAIL_RETURN_IF_ERROR(Push({.waiting = Waiting::kForField,
                                 .range = range,
                                 .detail = content,
                                 .resume = tokens_.lexer().window()},
                                0));
  return TakeFormatText(content.start);
}

// The text of the innermost format string from `from` on, up to its next field or its end.
Status ExpressionParser::TakeFormatText(uint32_t from) {
  const Frame& frame = frames_.back();
  const SourceText& source = tokens_.source();
  const uint32_t end = frame.detail.end;
  uint32_t at = from;
  const auto is_at = [&](char c, uint32_t place) { return place < end && source.text[place] == c; };
  while (at < end) {
    const bool is_brace = is_at('{', at) || is_at('}', at);
    if (is_brace && !is_at(source.text[at], at + 1)) break;
    at += is_brace || is_at('\\', at) ? 2u : 1u;
  }
  at = std::min(at, end);
  if (at > from) {
    HANDRAIL_RETURN_IF_ERROR(CheckEscapes(source, {from, at}));
    tree_.waiting().push_back(tree_.AddLeaf(NodeKind::kFormatText, {from, at}));
  }
  if (is_at('}', at)) {
    return tokens_.FailAt(ErrorCode::kCorrupt, {at, at + 1}, "expected '}}' or a field, found '}'");
  }
  if (at < end) {
    tokens_.lexer().SetWindow({.position = at + 1, .end = end, .nesting = 1});
    tokens_.Advance();
    step_ = Step::kOperand;
    return {};
  }
  const Frame closed = Pop();
  tokens_.lexer().SetWindow(closed.resume);
  tokens_.Advance();
  if (tokens_.kind() == TokenKind::kString || tokens_.kind() == TokenKind::kFormatString) {
    return tokens_.FailAt(ErrorCode::kUnsupported, tokens_.range(),
                          "a string next to a format string is not supported");
  }
  Complete(tree_.Add({.kind = NodeKind::kFormatString, .range = closed.range},
                     tree_.waiting_from(closed.base)),
           Step::kPostfix);
  tree_.waiting().resize(closed.base);
  return {};
}

Status ExpressionParser::FinishFormatField() {
  if (tokens_.kind() == TokenKind::kColon) {
    return tokens_.FailAt(ErrorCode::kUnsupported, tokens_.range(),
                          "a format in a field of a format string is not supported");
  }
  if (tokens_.kind() != TokenKind::kCloseBrace) return tokens_.Expected("'}'");
  tree_.waiting().push_back(value_);
  return TakeFormatText(tokens_.range().end);
}

}  // namespace handrail::script
