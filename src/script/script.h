// TorchScript text in, syntax tree out: the door of the stage.
//
// What is read is the subset of Python that PyTorch's own parser (1.13) reads, with the same trees
// and the same ranges, so that traces show what PyTorch's show. The differences, all on purpose:
//   - Read besides: format strings (without conversions and formats), decorators, type comments on
//     assignments and behind the colon of a `def`, `# type: ignore` as a comment, names outside
//     ASCII, `\r` in strings, a comma at the end of a dict, imports, texts that do not end with a
//     line break.
//   - Read as in Python: `not inputs` and `x is nothing` (PyTorch: `not in puts`, `x is not hing`),
//     any white space inside `is not` and `not in`, `--1` (PyTorch: a number without a value).
//   - Refused, since PyTorch reads something else than it says: `[[a for b in c]]`,
//     `{k: [a for b in c]}`, two `for` in a comprehension, loops and `with` over nothing,
//     indentation that mixes tabs and spaces, `global`.
// Precedences are PyTorch's, where those differ from Python's too (operators.def).
//
// Nothing here depends on where a text came from: nothing is resolved, and no type is looked at.
#pragma once

#include "handrail/base/result.h"

#include "script/syntax_tree.h"

namespace handrail::script {

// What the functions outside classes are. Type comments of methods do not mention `self`.
enum class DefinitionKind : uint8_t { kFunctions, kMethods };

// The tree of a code file of an archive, or of a text that defines functions, methods or classes.
// `source.text` must outlive the tree. Errors show the place and the line (ErrorAt); syntax errors
// are kCorrupt, and what is left out on purpose is kUnsupported. Time and memory are linear in the
// size of the text, and the stack does not grow with it.
Result<SyntaxTree> ParseScript(const SourceText& source,
                               DefinitionKind definitions = DefinitionKind::kFunctions);

// The tree of one expression; its root is the expression. Types are expressions too.
Result<SyntaxTree> ParseExpression(const SourceText& source);

}  // namespace handrail::script
