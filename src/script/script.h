// TorchScript text in, syntax tree out: the door of the stage.
//
// What is read is the subset of Python that PyTorch's own parser reads, with the same trees and the
// same ranges, so that traces show what PyTorch's show; and beyond it: format strings without
// formats, decorators, type comments on assignments, names outside ASCII, `\r` in strings, texts
// that do not end with a line break. Where PyTorch's parser reads a text in a way that nobody means
// (`not inputs` as `not in puts`), it is read as in Python, or refused. operators.def lists the
// precedences.
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
