#include "runtime/prim_kernels.h"

#include "handrail/runtime/run_error.h"

#include "runtime/instructions.h"

namespace handrail::runtime {
namespace {

void KeepValue(values::Stack& stack) {
  Need(stack, 1);
}

void UnpackTuple(values::Stack& stack) {
  const values::Value tuple = Pop(stack);
  if (tuple.kind() != values::Value::Kind::kTuple) throw ModelError("expected a tuple");
  const std::vector<values::Value>& elements = tuple.tuple().elements;
  stack.insert(stack.end(), elements.begin(), elements.end());
}

void TakeEnumValue(values::Stack& stack) {
  const values::Value member = Pop(stack);
  if (member.kind() != values::Value::Kind::kEnum) throw ModelError("expected a member of an enum");
  stack.push_back(member.enum_member().value);
}

}  // namespace

Kernel FindPrimKernel(std::string_view name) {
  if (name == "prim::TupleUnpack") return UnpackTuple;
  if (name == "prim::EnumValue") return TakeEnumValue;
  if (name == "prim::unchecked_cast" || name == "prim::unchecked_unwrap_optional") return KeepValue;
  return nullptr;
}

}  // namespace handrail::runtime
