// How types relate: which values may stand where another type is asked for, and what type variables
// of schemas stand for.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "handrail/graph/compilation_unit.h"

namespace handrail::graph {

// True if every value of `type` is one of `of`. As in PyTorch: int, float and complex are
// `Scalar`s; T is an Optional[T]; tuples element by element; List and Dict only if equal (but an
// int[] is a `list`); a class is its interfaces, if its methods match theirs.
bool IsSubtype(const CompilationUnit& unit, TypeId type, TypeId of);

// The type that values of both types have, or nothing: what the two branches of an `if` give.
// `or_union`: where there is none, Union[a, b] (the target annotation asks for one).
std::optional<TypeId> UnifyTypes(CompilationUnit& unit, TypeId a, TypeId b, bool or_union = false);
// Of all elements of a list, left to right.
std::optional<TypeId> UnifyTypes(CompilationUnit& unit, std::span<const TypeId> types,
                                 bool or_union = false);

// What the type variables of one call stand for.
class TypeBindings {
 public:
  // Binds the variables of `formal` so that it becomes `actual`. False if that cannot be: a
  // variable that stands for another type already, or another shape.
  bool Match(CompilationUnit& unit, TypeId formal, TypeId actual);
  // `formal` with its variables replaced; nothing if one is unbound.
  std::optional<TypeId> Substitute(CompilationUnit& unit, TypeId formal) const;
  // As Substitute, but unbound variables stay.
  TypeId SubstituteKnown(CompilationUnit& unit, TypeId formal) const;

 private:
  // none: not bound
  TypeId Find(StringId variable) const;

  struct Binding {
    StringId variable;
    TypeId type;
  };
  std::vector<Binding> bindings_;
};

}  // namespace handrail::graph
