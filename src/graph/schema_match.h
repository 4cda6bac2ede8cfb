// Chooses the overload that a call means, and says how its arguments become the schema's.
//
// Nothing is emitted here: a match is a plan, one ArgumentPlan per argument of the schema, which
// emission turns into nodes, in that order.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/graph/compilation_unit.h"

namespace handrail::graph {

// One argument of a call.
struct CallArgument {
  StringId keyword;  // none: positional
  TypeId type;
  // A list literal `[]` without elements and without annotation: it becomes a list of any type.
  bool is_empty_list_literal = false;
};

// What one value goes through, at most one of these, when all that ArgumentPlan::Shape says is
// done. Each inserts the operator named, with the value as its only input.
enum class Conversion : uint8_t {
  kNone,
  kTensorToInt,      // aten::IntImplicit
  kTensorToFloat,    // aten::FloatImplicit
  kTensorToComplex,  // aten::ComplexImplicit
  kTensorToNumber,   // aten::ScalarImplicit
  kNumberToInt,      // aten::Int.Scalar
  kNumberToFloat,    // aten::Float.Scalar
  kNumberToComplex,  // aten::Complex.Scalar
  kStringToDevice,   // aten::device
};

// How an argument of the schema is made.
struct ArgumentPlan {
  enum class Shape : uint8_t {
    kValue,      // the value at `index`
    kDefault,    // the schema's default value, as a constant
    kEmptyList,  // prim::ListConstruct of nothing, of type `type`: `[]`
    // prim::ListConstruct of `count` times the value: `stride=1` for `int[2] stride`.
    kRepeatedList,
    // prim::ListConstruct of what `parts` make: `x.view(1, 2)`.
    kList,
    // The elements of the value, a tuple, as a prim::ListConstruct. If the tuple was made by a
    // prim::TupleConstruct, its inputs; else the outputs of a prim::TupleUnpack.
    kTupleToList,
    // The elements of the value, a tuple, each made by its part, as a prim::TupleConstruct.
    kTupleToTuple,
  };
  Shape shape = Shape::kValue;
  // Which value: of the call's arguments; in the parts of a kTupleToTuple, of the tuple's elements.
  uint32_t index = 0;
  uint32_t count = 1;
  Conversion conversion = Conversion::kNone;
  TypeId type;  // in the end
  std::vector<ArgumentPlan> parts;
};

struct SchemaMatch {
  // The schema that the call fits. MatchOverload: of an operator, the overload that a node with the
  // planned inputs is (operator_resolution.h).
  SchemaId schema;
  std::vector<ArgumentPlan> arguments;  // of the schema's arguments, then those of `...`
  std::vector<TypeId> results;          // with type variables replaced
};

// A call. Positional arguments come first, then keywords.
struct Call {
  std::string_view name;  // for messages: "aten::add"
  std::span<const CallArgument> arguments;
  // True: the first argument is the receiver of `x.where(…)`, and is what the schema calls `self`,
  // wherever that stands.
  bool has_receiver = false;
};

// The plan for one schema, or why the call does not fit it. Functions and methods of the model are
// matched by this alone, with conversions.
Result<SchemaMatch> MatchSchema(CompilationUnit& unit, SchemaId schema, const Call& call,
                                bool allow_conversions = true);

// Tries all schemas without conversions, then all with; the first that fits. The error lists every
// candidate with its reason.
Result<SchemaMatch> MatchOverload(CompilationUnit& unit, std::span<const SchemaId> schemas,
                                  const Call& call);

}  // namespace handrail::graph
