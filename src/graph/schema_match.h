// Chooses the overload that a call means, and says how its arguments become the schema's.
//
// Nothing is emitted here: a match is a plan, one ArgumentPlan per argument of the schema, which
// emission turns into nodes, in that order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/graph/compilation_unit.h"

namespace handrail::graph {

// One argument of a call.
struct CallArgument {
  StringId keyword;  // none: positional
  TypeId type;
  // The value, where it is known from a prim::Constant: decides about None and about broadcasting.
  ConstantId constant;
};

// How an argument becomes what the schema asks for; steps apply in the order of the enumerators.
enum class Conversion : uint8_t {
  kNone,
  // Tensor to a number: insert the operator of that kind and take its result.
  kIntImplicit,
  kFloatImplicit,
  kComplexImplicit,
  kScalarImplicit,
  // Number to float or int: aten::Float.Scalar, aten::Int.Scalar and so on.
  kScalarToFloat,
  kScalarToInt,
  kScalarToComplex,
  // str to Device: aten::device.
  kStringToDevice,
};

struct ArgumentPlan {
  enum class Source : uint8_t {
    kArgument,  // the call's argument `index`
    kDefault,   // the schema's default value
    // prim::ListConstruct of the call's arguments [index, index + count): `x.view(1, 2)`.
    kList,
    // prim::ListConstruct of `count` times the one argument: `stride=1` for int[2].
    kRepeatedList,
    // prim::ListConstruct of the elements of the tuple that is the argument.
    kTupleElements,
  };
  Source source = Source::kArgument;
  uint32_t index = 0;
  uint32_t count = 1;
  Conversion conversion = Conversion::kNone;  // of the argument, or of each list element
  TypeId type;                                // after conversion; kList…: of the list
};

struct SchemaMatch {
  SchemaId schema;
  std::vector<ArgumentPlan> arguments;  // one per argument of the schema, then those of `...`
  std::vector<TypeId> results;          // with type variables replaced
};

// A call: `receiver` included as the first of the arguments. Positional arguments come first.
struct Call {
  std::string_view name;  // for messages: "aten::add"
  std::span<const CallArgument> arguments;
  // True if the receiver may also be given by keyword `self` (`torch.add(self=x, …)` never needs
  // this; methods have a positional receiver).
  bool allow_conversions = true;
};

// The plan for one schema, or why the call does not fit it.
Result<SchemaMatch> MatchSchema(CompilationUnit& unit, SchemaId schema, const Call& call,
                                bool allow_conversions);

// Tries all schemas without conversions, then all with; the first that fits. The error lists every
// candidate with its reason.
Result<SchemaMatch> MatchOverload(CompilationUnit& unit, std::span<const SchemaId> schemas,
                                  const Call& call);

}  // namespace handrail::graph
