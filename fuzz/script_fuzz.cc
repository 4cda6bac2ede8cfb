// Properties: lexer and parser never crash; the ranges of a tree lie inside the text and inside
// each other; a tree prints, and so do the values of its literals; an error's offset is in the
// text.
#include <cstddef>
#include <cstdint>

#include "handrail/base/check.h"

#include "script/literals.h"
#include "script/script_testing.h"

using namespace handrail::script;

namespace {

void Check(const handrail::Result<SyntaxTree>& tree, const SourceText& source) {
  if (!tree) {
    HANDRAIL_CHECK(tree.error().offset <= source.text.size());
    return;
  }
  HANDRAIL_CHECK(FaultIn(*tree).empty());
  HANDRAIL_CHECK(!Dump(*tree).empty() || tree->size() == 1);
  for (uint32_t row = 0; row < tree->size(); ++row) {
    if (tree->kind({row}) == NodeKind::kNumber) static_cast<void>(NumberValue(*tree, {row}));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 64 * 1024) return 0;
  const SourceText source{
      .name = "fuzz.py", .first_line = 1, .text = {reinterpret_cast<const char*>(data), size}};
  Check(ParseScript(source), source);
  Check(ParseScript(source, DefinitionKind::kMethods), source);
  Check(ParseExpression(source), source);
  return 0;
}
