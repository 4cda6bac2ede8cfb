// How one value becomes what one argument of a schema asks for.
#pragma once

#include "handrail/base/result.h"
#include "handrail/graph/compilation_unit.h"

#include "graph/schema_match.h"
#include "graph/subtyping.h"

namespace handrail::graph {

// True if a value of `type` is a list of type `list`, or a tuple whose elements could all be in
// one.
bool BecomesList(const CompilationUnit& unit, TypeId type, TypeId list);

// Plans the arguments of one call, one after the other: what type variables stand for is
// remembered.
class ArgumentPlanner {
 public:
  // `explains`: failures say why; else their messages are empty, which is faster.
  ArgumentPlanner(CompilationUnit& unit, bool allow_conversions, bool explains)
      : unit_(unit), allow_conversions_(allow_conversions), explains_(explains) {}

  // `index`: of the value, for the plan. Fails if the value does not fit.
  Result<ArgumentPlan> Plan(const Argument& argument, const CallArgument& given, uint32_t index);

  const TypeBindings& bindings() const { return bindings_; }

 private:
  // Sets the plan's shape, conversion and type for a value of type `plan.type`, as near to `wanted`
  // as conversions bring it.
  void Convert(TypeId wanted, bool is_empty_list_literal, ArgumentPlan& plan, uint32_t depth);
  Conversion ConversionTo(TypeId wanted, TypeId from) const;

  CompilationUnit& unit_;
  const bool allow_conversions_;
  const bool explains_;
  TypeBindings bindings_;
};

}  // namespace handrail::graph
