// The text form of a syntax tree, for tests and for people: an S-expression whose nodes are
//   (kind start-end name children...)
// with `-` for an empty slot, `|` between lists of children, and a line for every statement.
#pragma once

#include <string>

#include "script/syntax_tree.h"

namespace handrail::script {

std::string Dump(const SyntaxTree& tree);

}  // namespace handrail::script
