// What an expression means while a body is compiled: a value, or something that is only a value
// once it is called, asked for an attribute, or iterated over.
#pragma once

#include <cstdint>

#include "handrail/graph/compilation_unit.h"

#include "script/syntax_tree.h"

namespace handrail::graph {

// A value as a use sees it. Read from a variable, it has the type the variable was declared with,
// which may be wider than the value's own, and nothing is known of how it was made: PyTorch decides
// nothing from constants that went through a variable.
struct Operand {
  ValueId value = {};
  TypeId type = {};
  bool is_variable = false;
};

// An argument of a call.
struct NamedOperand {
  Operand operand = {};
  StringId keyword = {};  // none: positional
};

// Forms of call whose arguments are not evaluated like those of a function.
enum class SpecialForm : uint8_t {
  kAnnotate,
  kUncheckedCast,
  kUninitialized,
  kFork,
  kIsInstance,
  kHasAttr,
  kGetAttr,
  kTuple,
  kList,
  kDict,
  kRange,
  kEnumerate,
  kZip,
  kToList,     // of a tensor: `x.tolist()`
  kNewObject,  // `C.__new__`
};

enum class MeaningKind : uint8_t {
  kValue,
  kNothing,      // what `print(x)` gives
  kOperator,     // symbol; with a receiver if has_receiver
  kMagic,        // as kOperator, but a class's own method (name) goes first: len, abs
  kCast,         // int, float, bool, str: type, symbol; method (name) of classes goes first
  kTensorCast,   // x.float(): receiver, type code in `number`
  kMethod,       // receiver, name
  kFunction,     // function
  kClass,        // type
  kNamedTuple,   // type
  kNamespace,    // name: the dotted path so far, below `__torch__` or another root
  kTorch,        // `torch`; name: the namespace of its operators
  kOps,          // `ops`
  kConstants,    // `CONSTANTS`
  kSpecialForm,  // form
  kPrint,
  kException,          // an exception's class: name
  kExceptionInstance,  // operand: its message; name
  kRange,              // children: start, end, step; number: its static length or -1
  kTree,               // enumerate, zip: children are iterables
  kSequence,           // children: a tuple whose elements need not be values
  kClosure,            // syntax: a function inside a function
};

// Children are rows [first_child, first_child + child_count) of the emitter's table.
struct Meaning {
  MeaningKind kind = MeaningKind::kValue;
  SpecialForm form = SpecialForm::kAnnotate;
  bool has_receiver = false;
  bool has_only_end = false;  // kRange: `range(n)`
  Operand operand = {};       // kValue: itself; else the receiver
  Symbol symbol = {};
  StringId name = {};
  TypeId type = {};
  FunctionId function = {};
  script::SyntaxId syntax = {};
  uint32_t first_child = 0;
  uint32_t child_count = 0;
  int64_t number = -1;
};

}  // namespace handrail::graph
