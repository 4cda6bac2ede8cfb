#include "graph/argument_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "handrail/base/limits.h"

namespace handrail::graph {
namespace {

// `int[2] stride`: one int stands for two.
bool IsRepeated(const CompilationUnit& unit, const Argument& argument, TypeId given) {
  if (argument.list_size == 0 || (given != types::kInt && given != types::kFloat)) return false;
  const TypeId type = unit.types.WithoutOptional(argument.type);
  return unit.types.is(type, TypeKind::kList) && unit.types.element(type) == given;
}

// What a conversion gives.
TypeId ResultOf(Conversion conversion) {
  switch (conversion) {
    case Conversion::kTensorToInt:
    case Conversion::kNumberToInt:
      return types::kInt;
    case Conversion::kTensorToFloat:
    case Conversion::kNumberToFloat:
      return types::kFloat;
    case Conversion::kTensorToComplex:
    case Conversion::kNumberToComplex:
      return types::kComplex;
    case Conversion::kTensorToNumber:
      return types::kNumber;
    case Conversion::kStringToDevice:
      return types::kDevice;
    case Conversion::kNone:
      break;
  }
  return TypeId::none();
}

}  // namespace

bool BecomesList(const CompilationUnit& unit, TypeId type, TypeId list) {
  if (!unit.types.is(list, TypeKind::kList)) return false;
  if (IsSubtype(unit, type, list)) return true;
  if (!unit.types.is(type, TypeKind::kTuple)) return false;
  const auto elements = unit.types.elements(type);
  return std::all_of(elements.begin(), elements.end(), [&](TypeId element) {
    return IsSubtype(unit, element, unit.types.element(list));
  });
}

Result<ArgumentPlan> ArgumentPlanner::Plan(const Argument& argument, const CallArgument& given,
                                           uint32_t index) {
  ArgumentPlan plan;
  plan.index = index;
  plan.type = given.type;
  if (IsRepeated(unit_, argument, given.type)) {
    plan.shape = ArgumentPlan::Shape::kRepeatedList;
    plan.count = argument.list_size;
    plan.type = unit_.types.List(given.type);
  }
  const auto fail = [&](TypeId needed) {
    if (!explains_) return Fail(ErrorCode::kInvalidArgument, {});
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("argument '{}': need {}, have {}", unit_.text(argument.name),
                            unit_.ToString(needed), unit_.ToString(given.type)));
  };
  if (!bindings_.Match(unit_, argument.type, plan.type)) {
    return fail(bindings_.SubstituteKnown(unit_, argument.type));
  }
  const auto wanted = bindings_.Substitute(unit_, argument.type);
  if (!wanted) return fail(bindings_.SubstituteKnown(unit_, argument.type));
  Convert(*wanted, given.is_empty_list_literal, plan, 0);
  if (!IsSubtype(unit_, plan.type, *wanted)) return fail(*wanted);
  return plan;
}

void ArgumentPlanner::Convert(TypeId wanted, bool is_empty_list_literal, ArgumentPlan& plan,
                              uint32_t depth) {
  const TypeTable& types = unit_.types;
  // A value that is no Optional is converted to what the Optional holds.
  if (!types.is(plan.type, TypeKind::kOptional) && plan.type != types::kNone) {
    wanted = types.WithoutOptional(wanted);
  }
  if (is_empty_list_literal && types.is(wanted, TypeKind::kList)) {
    plan.shape = ArgumentPlan::Shape::kEmptyList;
    plan.type = wanted;
    return;
  }
  if (types.is(plan.type, TypeKind::kTuple)) {
    const TypeId list = types.WithoutOptional(wanted);
    if (BecomesList(unit_, plan.type, list)) {
      plan.shape = ArgumentPlan::Shape::kTupleToList;
      plan.type = list;
      return;
    }
    const size_t count = types.elements(plan.type).size();
    if (types.is(wanted, TypeKind::kTuple) && types.elements(wanted).size() == count &&
        depth < limits::kTypeDepthMax && !IsSubtype(unit_, plan.type, wanted)) {
      plan.shape = ArgumentPlan::Shape::kTupleToTuple;
      std::vector<TypeId> converted;
      for (uint32_t i = 0; i < count; ++i) {
        ArgumentPlan& part = plan.parts.emplace_back();
        part.index = i;
        part.type = types.elements(plan.type)[i];
        Convert(types.elements(wanted)[i], false, part, depth + 1);
        converted.push_back(part.type);
      }
      plan.type = unit_.types.Tuple(converted);
      return;
    }
  }
  if (!allow_conversions_) return;
  plan.conversion = ConversionTo(wanted, plan.type);
  if (plan.conversion != Conversion::kNone) plan.type = ResultOf(plan.conversion);
}

Conversion ArgumentPlanner::ConversionTo(TypeId wanted, TypeId from) const {
  if (from == types::kTensor) {
    if (wanted == types::kFloat) return Conversion::kTensorToFloat;
    if (wanted == types::kComplex) return Conversion::kTensorToComplex;
    if (wanted == types::kInt) return Conversion::kTensorToInt;
    if (wanted == types::kNumber) return Conversion::kTensorToNumber;
  }
  if (from == types::kNumber) {
    if (wanted == types::kFloat) return Conversion::kNumberToFloat;
    if (wanted == types::kComplex) return Conversion::kNumberToComplex;
    if (wanted == types::kInt) return Conversion::kNumberToInt;
  }
  if (from == types::kString && wanted == types::kDevice) return Conversion::kStringToDevice;
  return Conversion::kNone;
}

}  // namespace handrail::graph
