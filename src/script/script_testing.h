// What the tests of this stage share: a text's dump, or its error, as one string; and a check of
// what every tree promises.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

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

// What is wrong with the tree, or "". Ranges lie inside the text and inside their parents';
// children are above their parents; no node has two parents.
inline std::string FaultIn(const SyntaxTree& tree) {
  std::vector<uint8_t> has_parent(tree.size(), 0);
  for (uint32_t row = 0; row < tree.size(); ++row) {
    const TextRange range = tree.range({row});
    if (range.start > range.end || range.end > tree.source().text.size()) {
      return fmt::format("node {}: range {}-{}", row, range.start, range.end);
    }
    for (const SyntaxId child : tree.children({row})) {
      if (child.is_none()) continue;
      if (child.index >= row)
        return fmt::format("node {}: child {} is not above", row, child.index);
      const TextRange inner = tree.range(child);
      if (inner.start < range.start || inner.end > range.end) {
        return fmt::format("node {}: range {}-{} does not hold {}-{}", row, range.start, range.end,
                           inner.start, inner.end);
      }
      if (has_parent[child.index]++ != 0) return fmt::format("node {}: two parents", child.index);
    }
  }
  return has_parent[tree.root().index] != 0 ? "the root has a parent" : "";
}

}  // namespace handrail::script
