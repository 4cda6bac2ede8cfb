// What the tests of this stage share: a text's dump, or its error, as one string.
#pragma once

#include <string>
#include <string_view>

#include "script/dump.h"
#include "script/script.h"

namespace handrail::script {

inline std::string DumpOf(std::string_view text,
                          DefinitionKind definitions = DefinitionKind::kFunctions) {
  const auto tree = ParseScript({.name = "f.py", .first_line = 1, .text = text}, definitions);
  return tree ? Dump(*tree) : tree.error().message;
}

// The dump of an expression, without its line break.
inline std::string DumpOfExpression(std::string_view text) {
  const auto tree = ParseExpression({.name = "f.py", .first_line = 1, .text = text});
  if (!tree) return tree.error().message;
  std::string dump = Dump(*tree);
  dump.pop_back();
  return dump;
}

}  // namespace handrail::script
