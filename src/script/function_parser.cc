// The part of StatementParser that is about functions: parameters, results and type comments.
#include <fmt/format.h>

#include "script/statement_parser.h"

namespace handrail::script {

Status StatementParser::OpenFunction(uint32_t decorators) {
  const bool is_method = open_.empty() ? definitions_ == DefinitionKind::kMethods : in_class();
  tokens_.Advance();
  OpenBlock block = Begin(BlockKind::kFunction, tokens_.range());
  block.decorators = decorators;
  block.mark = tokens_.range().end;
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kName));
  HANDRAIL_RETURN_IF_ERROR(ParseParameters());
  SyntaxId result_type;
  if (tokens_.Accept(TokenKind::kArrow)) {
    HANDRAIL_ASSIGN_OR_RETURN(result_type, expressions_.Parse());
  }
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kColon));

  // The type comment stands behind the colon or on the first line of the body.
  bool is_indented = tokens_.Accept(TokenKind::kIndent);
  if (tokens_.kind() == TokenKind::kTypeComment) {
    HANDRAIL_RETURN_IF_ERROR(ParseTypeComment(is_method, result_type));
    if (is_indented) {
      HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kNewline));
    } else {
      is_indented = tokens_.Accept(TokenKind::kIndent);
    }
  }
  for (const Parameter& parameter : parameters_) {
    const SyntaxId parts[] = {parameter.type, parameter.default_value};
    tree_.waiting().push_back(tree_.Add(
        {.kind = parameter.is_keyword_only ? NodeKind::kKeywordParameter : NodeKind::kParameter,
         .range = tree_.CoverAll(parameter.range, parts),
         .mark = parameter.name.end},
        parts));
  }
  tree_.waiting().push_back(result_type);
  block.is_one_line = !is_indented;
  block.block_range = tokens_.range();
  if (tokens_.kind() == TokenKind::kNewline) return tokens_.Expected("an indented block");
  return Enter(block);
}

Status StatementParser::ParseParameters() {
  parameters_.clear();
  bool is_keyword_only = false;
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kOpenParen));
  while (tokens_.kind() != TokenKind::kCloseParen) {
    if (!is_keyword_only && tokens_.Accept(TokenKind::kStar)) {
      is_keyword_only = true;
    } else {
      Parameter parameter{.name = tokens_.range(),
                          .range = tokens_.range(),
                          .type = {},
                          .default_value = {},
                          .is_keyword_only = is_keyword_only};
      HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kName));
      // Without a type, and without a default, the range reaches, oddly, over the token behind.
      if (tokens_.Accept(TokenKind::kColon)) {
        HANDRAIL_ASSIGN_OR_RETURN(parameter.type, expressions_.Parse());
      } else {
        parameter.range = Cover(parameter.range, tokens_.range());
      }
      if (tokens_.Accept(TokenKind::kEquals)) {
        HANDRAIL_ASSIGN_OR_RETURN(parameter.default_value, expressions_.Parse());
      } else {
        parameter.range = Cover(parameter.range, tokens_.range());
      }
      const SyntaxId parts[] = {parameter.type, parameter.default_value};
      parameter.range = tree_.CoverAll(parameter.range, parts);
      parameters_.push_back(parameter);
    }
    if (!tokens_.Accept(TokenKind::kComma)) break;
  }
  if (tokens_.kind() != TokenKind::kCloseParen) return tokens_.Expected("',' or ')'");
  tokens_.Advance();
  return {};
}

// `# type: (T, ...) -> T`: its types take the place of those in the signature, `self` excepted.
Status StatementParser::ParseTypeComment(bool is_method, SyntaxId& result_type) {
  TextRange comment = tokens_.range();
  tokens_.Advance();
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kOpenParen));
  const size_t first = is_method ? 1 : 0;
  const size_t needed = parameters_.size() - std::min(first, parameters_.size());
  size_t count = 0;
  while (tokens_.kind() != TokenKind::kCloseParen) {
    HANDRAIL_ASSIGN_OR_RETURN(const SyntaxId type, expressions_.Parse());
    if (first + count < parameters_.size()) parameters_[first + count].type = type;
    ++count;
    if (!tokens_.Accept(TokenKind::kComma)) break;
  }
  comment = Cover(comment, tokens_.range());
  HANDRAIL_RETURN_IF_ERROR(tokens_.Expect(TokenKind::kCloseParen));
  if (count != needed) {
    return tokens_.FailAt(ErrorCode::kCorrupt, comment,
                          fmt::format("need {} types for the parameters of this {}, have {}",
                                      needed, is_method ? "method" : "function", count));
  }
  result_type = SyntaxId::none();
  if (tokens_.Accept(TokenKind::kArrow)) {
    HANDRAIL_ASSIGN_OR_RETURN(result_type, expressions_.Parse());
  }
  return {};
}

}  // namespace handrail::script
