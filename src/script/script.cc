#include "script/script.h"

#include <fmt/format.h>

#include "handrail/base/limits.h"

#include "script/statement_parser.h"

namespace handrail::script {
namespace {

Status CheckSize(const SourceText& source) {
  if (source.text.size() <= limits::kScriptBytesMax) return {};
  return Fail(ErrorCode::kLimit,
              fmt::format("{}: need a script of at most {} bytes, have {}", source.name,
                          limits::kScriptBytesMax, source.text.size()));
}

}  // namespace

Result<SyntaxTree> ParseScript(const SourceText& source, DefinitionKind definitions) {
  HANDRAIL_RETURN_IF_ERROR(CheckSize(source));
  TokenCursor tokens(source);
  TreeBuilder tree(source);
  HANDRAIL_RETURN_IF_ERROR(StatementParser(tokens, tree, definitions).ParseModule());
  return std::move(tree).Finish();
}

Result<SyntaxTree> ParseExpression(const SourceText& source) {
  HANDRAIL_RETURN_IF_ERROR(CheckSize(source));
  TokenCursor tokens(source);
  TreeBuilder tree(source);
  HANDRAIL_RETURN_IF_ERROR(ExpressionParser(tokens, tree).ParseOrTuple());
  HANDRAIL_RETURN_IF_ERROR(tokens.Expect(TokenKind::kNewline));
  HANDRAIL_RETURN_IF_ERROR(tokens.Expect(TokenKind::kEnd));
  return std::move(tree).Finish();
}

}  // namespace handrail::script
