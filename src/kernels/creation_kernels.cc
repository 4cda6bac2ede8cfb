// Operators that make tensors, convert them, and take numbers out of them.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/compose.h"
#include "kernels/elements.h"
#include "kernels/families.h"

namespace handrail::kernels {

namespace {

using OptionalInt = std::optional<int64_t>;

ElementType TypeOr(OptionalInt code, ElementType fallback) {
  return code ? CheckedType(*code) : fallback;
}

// Arguments after the sizes: type, layout, device, whether to pin.
template <int kValue>
TensorRef Constant(const Ints& sizes, OptionalInt type, const Value& /*layout*/,
                   const Value& /*device*/, const Value& /*pin*/) {
  return Filled(TypeOr(type, ElementType::kFloat32), sizes, {Kind::kInt, kValue, kValue});
}
TensorRef Full(const Ints& sizes, Scalar value, OptionalInt type, const Value& /*layout*/,
               const Value& /*device*/, const Value& /*pin*/) {
  return Filled(TypeOr(type, TypeOf(value)), sizes, value);
}
// Filled with zeros, so that equal programs give equal results.
TensorRef Empty(const Ints& sizes, OptionalInt type, const Value& layout, const Value& device,
                const Value& pin, const Value& /*memory_format*/) {
  return Constant<0>(sizes, type, layout, device, pin);
}
template <int kValue>
TensorRef ConstantLike(const Tensor& self, OptionalInt type, const Value& /*layout*/,
                       const Value& /*device*/, const Value& /*pin*/, const Value& /*format*/) {
  return Filled(TypeOr(type, self.element_type()), self.sizes(), {Kind::kInt, kValue, kValue});
}
template <int kValue>
TensorRef NewConstant(const Tensor& self, const Ints& sizes, OptionalInt type,
                      const Value& /*layout*/, const Value& /*device*/, const Value& /*pin*/) {
  return Filled(TypeOr(type, self.element_type()), sizes, {Kind::kInt, kValue, kValue});
}
TensorRef ArangeWithStep(Scalar start, Scalar end, Scalar step, OptionalInt type,
                         const Value& /*layout*/, const Value& /*device*/, const Value& /*pin*/) {
  const bool is_float = start.is_float() || end.is_float() || step.is_float();
  if (step.number == 0) Raise("step must be nonzero");
  const double steps = std::ceil((end.number - start.number) / step.number);
  if (!(steps >= 0) || (end.number - start.number) / step.number < 0) {
    Raise("upper bound and larger bound inconsistent with step sign");
  }
  if (steps > 1e10) Raise("a tensor of as many elements is too large");
  const Ints sizes = {static_cast<int64_t>(steps)};
  TensorRef out = New(is_float ? ElementType::kFloat64 : ElementType::kInt64, sizes);
  for (int64_t i = 0; i < sizes[0]; ++i) {
    if (is_float) {
      out->mutable_data<double>()[i] = start.number + static_cast<double>(i) * step.number;
    } else {
      out->mutable_data<int64_t>()[i] = start.integer + i * step.integer;
    }
  }
  return As(*out, TypeOr(type, is_float ? ElementType::kFloat32 : ElementType::kInt64));
}
TensorRef ArangeFrom(Scalar start, Scalar end, OptionalInt type, const Value& layout,
                     const Value& device, const Value& pin) {
  return ArangeWithStep(start, end, {Kind::kInt, 1, 1}, type, layout, device, pin);
}
TensorRef Arange(Scalar end, OptionalInt type, const Value& layout, const Value& device,
                 const Value& pin) {
  return ArangeFrom({Kind::kInt, 0, 0}, end, type, layout, device, pin);
}
TensorRef OfNumber(Scalar value, OptionalInt type, const Value& /*device*/, bool /*gradient*/) {
  return Filled(TypeOr(type, TypeOf(value)), {}, value);
}

TensorRef ToType(const Tensor& self, int64_t type, bool /*non_blocking*/, bool copy,
                 const Value& /*format*/) {
  TensorRef result =
      self.element_type() == CheckedType(type) ? Share(self) : As(self, CheckedType(type));
  if (!copy || result.get() != &self) return result;
  TensorRef fresh = New(self.element_type(), self.sizes());
  CopyInto(*fresh, self);
  return fresh;
}
TensorRef ToDevice(const Tensor& self, const Value& /*device*/, OptionalInt type, bool non_blocking,
                   bool copy) {
  return ToType(self, type ? *type : static_cast<int64_t>(self.element_type()), non_blocking, copy,
                Value());
}
TensorRef Clone(const Tensor& self, const Value& /*format*/) {
  TensorRef fresh = New(self.element_type(), self.sizes());
  CopyInto(*fresh, self);
  return fresh;
}
TensorRef Detach(const Tensor& self) {
  return ViewOf(self, self.sizes(), self.strides(), self.first_element());
}
TensorRef Copy(Tensor& self, const Tensor& source, bool /*non_blocking*/) {
  CopyInto(self, source);
  return Share(self);
}
TensorRef Fill(Tensor& self, Scalar value) {
  CopyInto(self, *Filled(self.element_type(), {}, value));
  return Share(self);
}
TensorRef Zero(Tensor& self) {
  return Fill(self, {});
}

Scalar ToScalar(const Tensor& self) {
  return Item(self);
}
bool ToBool(const Tensor& self) {
  const int64_t count = self.element_count();
  if (count != 1) {
    Raise(count == 0 ? "Boolean value of Tensor with no values is ambiguous"
                     : "Boolean value of Tensor with more than one value is ambiguous");
  }
  return Item(self).number != 0;
}
void CheckImplicit(const Tensor& self) {
  if (self.requires_grad()) {
    Raise("Cannot input a tensor that requires grad as a scalar argument");
  }
  if (self.dimension_count() != 0) {
    Raise("Cannot input a tensor of dimension other than 0 as a scalar argument");
  }
}
int64_t ToIntImplicitly(const Tensor& self) {
  CheckImplicit(self);
  if (!IsIntegral(self.element_type())) {
    Raise("Cannot input a tensor of type " + std::string(TypeName(self.element_type())) +
          " as an integral argument");
  }
  return Item(self).integer;
}
double ToFloatImplicitly(const Tensor& self) {
  CheckImplicit(self);
  return Item(self).number;
}
Scalar ToScalarImplicitly(const Tensor& self) {
  CheckImplicit(self);
  return Item(self);
}
int64_t ToInt(const Tensor& self) {
  const Scalar item = Item(self);
  if (!item.is_float()) return item.integer;
  if (!(std::fabs(item.number) < 9.2e18)) Raise("value cannot be converted to type int64_t");
  return static_cast<int64_t>(item.number);
}
double ToFloat(const Tensor& self) {
  return Item(self).number;
}
bool IsFloatingPoint(const Tensor& self) {
  return IsFloating(self.element_type());
}
bool RequiresGradient(const Tensor& self) {
  return self.requires_grad();
}
bool False(const Tensor& /*self*/) {
  return false;
}
bool Never() {
  return false;
}
int64_t TypeCode(const Tensor& self) {
  return static_cast<int64_t>(self.element_type());
}
Value DeviceOf(const Tensor& /*self*/) {
  return Value::Device("cpu");
}
Value DeviceNamed(const std::string& name) {
  return Value::Device(name);
}

TensorRef FullLike(const Tensor& self, Scalar value, OptionalInt type, const Value& /*layout*/,
                   const Value& /*device*/, const Value& /*pin*/, const Value& /*format*/) {
  return Filled(TypeOr(type, self.element_type()), self.sizes(), value);
}
TensorRef NewFull(const Tensor& self, const Ints& sizes, Scalar value, OptionalInt type,
                  const Value& /*layout*/, const Value& /*device*/, const Value& /*pin*/) {
  return Filled(TypeOr(type, self.element_type()), sizes, value);
}
TensorRef Linspace(Scalar start, Scalar end, int64_t steps, OptionalInt type,
                   const Value& /*layout*/, const Value& /*device*/, const Value& /*pin*/) {
  if (steps < 0) Raise("number of steps must be non-negative");
  const Ints sizes = {steps};
  TensorRef out = New(ElementType::kFloat64, sizes);
  const double step = steps > 1 ? (end.number - start.number) / static_cast<double>(steps - 1) : 0;
  for (int64_t i = 0; i < steps; ++i) {
    out->mutable_data<double>()[i] = i < steps / 2
                                         ? start.number + step * static_cast<double>(i)
                                         : end.number - step * static_cast<double>(steps - 1 - i);
  }
  if (steps == 1) *out->mutable_data<double>() = start.number;
  return As(*out, TypeOr(type, ElementType::kFloat32));
}
TensorRef ToOther(const Tensor& self, const Tensor& other, bool non_blocking, bool copy,
                  const Value& format) {
  return ToType(self, static_cast<int64_t>(other.element_type()), non_blocking, copy, format);
}
TensorRef ToNamedDevice(const Tensor& self, const Value& /*device*/, int64_t type,
                        bool non_blocking, bool copy, const Value& format) {
  return ToType(self, type, non_blocking, copy, format);
}
TensorRef TypeAs(const Tensor& self, const Tensor& other) {
  return ToOther(self, other, false, false, Value());
}
// Uniform in [low, high): the same numbers in every run.
TensorRef Uniform(Tensor& self, double low, double high, const Value& /*generator*/) {
  TensorRef numbers = New(ElementType::kFloat64, self.sizes());
  uint64_t state = 0x9E3779B97F4A7C15U;
  for (int64_t i = 0; i < self.element_count(); ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    numbers->mutable_data<double>()[i] =
        low + (high - low) * static_cast<double>(state >> 11) * 0x1p-53;
  }
  CopyInto(self, *numbers);
  return Share(self);
}
TensorRef Bernoulli(Tensor& self, double probability, const Value& generator) {
  if (!(probability >= 0 && probability <= 1)) {
    Raise("bernoulli_ expects p to be in [0, 1], but got p=" + std::to_string(probability));
  }
  const TensorRef numbers = New(ElementType::kFloat64, self.sizes());
  Uniform(*numbers, 0, 1, generator);
  auto* number = numbers->mutable_data<double>();
  for (int64_t i = 0; i < self.element_count(); ++i) number[i] = number[i] < probability ? 1 : 0;
  CopyInto(self, *numbers);
  return Share(self);
}
TensorRef Dropout(const Tensor& self, double probability, bool is_training) {
  if (!(probability >= 0 && probability <= 1)) {
    Raise(fmt::format("dropout probability has to be between 0 and 1, but got {}", probability));
  }
  if (!is_training || probability == 0) return Share(self);
  if (probability == 1) return Filled(self.element_type(), self.sizes(), {});
  const TensorRef kept = New(self.element_type(), self.sizes());
  Bernoulli(*kept, 1 - probability, Value());
  return Product(self, *ProductWith(*kept, Number(1 / (1 - probability))));
}
TensorRef DropoutInPlace(Tensor& self, double probability, bool is_training) {
  CopyInto(self, *Dropout(self, probability, is_training));
  return Share(self);
}
bool IsNonzero(const Tensor& self) {
  return ToBool(self);
}
// Numbers in lists, which may hold lists; all at one depth have the same length.
TensorRef OfList(const Value& data, OptionalInt type, const Value& /*device*/,
                 bool /*requires_grad*/) {
  Ints sizes;
  std::vector<Value> level = {data};
  while (!level.empty() && level[0].kind() == Kind::kList) {
    const size_t length = level[0].list().elements.size();
    sizes.push_back(static_cast<int64_t>(length));
    std::vector<Value> next;
    for (const Value& value : level) {
      const std::vector<Value>& elements = Unbox<List&>::From(value).elements;
      if (elements.size() != length) {
        Raise("Expected sequence of length " + std::to_string(length) + " at dim " +
              std::to_string(sizes.size() - 1) + " (got " + std::to_string(elements.size()) + ")");
      }
      next.insert(next.end(), elements.begin(), elements.end());
    }
    level = std::move(next);
  }
  ElementType own = level.empty() ? ElementType::kFloat32 : ElementType::kBool;
  TensorRef numbers = New(ElementType::kFloat64, sizes);
  TensorRef integers = New(ElementType::kInt64, sizes);
  for (size_t i = 0; i < level.size(); ++i) {
    const Scalar number =
        level[i].kind() == Kind::kTensor ? Item(level[i].tensor()) : Unbox<Scalar>::From(level[i]);
    own = Promote(own, TypeOf(number));
    numbers->mutable_data<double>()[i] = number.number;
    integers->mutable_data<int64_t>()[i] = number.integer;
  }
  return As(IsFloating(own) ? *numbers : *integers, TypeOr(type, own));
}
TensorRef AsTensorOfList(const Value& data, OptionalInt type, const Value& device) {
  return OfList(data, type, device, false);
}

constexpr KernelRow kRows[] = {
    Row<&Constant<0>>("aten::zeros"),
    Row<&Constant<1>>("aten::ones"),
    Row<&Full>("aten::full"),
    Row<&Empty>("aten::empty.memory_format"),
    Row<&ConstantLike<0>>("aten::zeros_like"),
    Row<&ConstantLike<1>>("aten::ones_like"),
    Row<&ConstantLike<0>>("aten::empty_like"),
    Row<&NewConstant<0>>("aten::new_zeros"),
    Row<&NewConstant<1>>("aten::new_ones"),
    Row<&Arange>("aten::arange"),
    Row<&ArangeFrom>("aten::arange.start"),
    Row<&ArangeWithStep>("aten::arange.start_step"),
    Row<&OfNumber>("aten::tensor.int"),
    Row<&OfNumber>("aten::tensor.float"),
    Row<&OfNumber>("aten::tensor.bool"),
    Row<&ToType>("aten::to.dtype"),
    Row<&ToDevice>("aten::to.prim_Device"),
    Row<&FullLike>("aten::full_like"),
    Row<&NewFull>("aten::new_full"),
    Row<&NewConstant<0>>("aten::new_empty"),
    Row<&Linspace>("aten::linspace"),
    Row<&ToOther>("aten::to.other"),
    Row<&ToNamedDevice>("aten::to.device"),
    Row<&TypeAs>("aten::type_as"),
    Row<&Uniform>("aten::uniform_"),
    Row<&Bernoulli>("aten::bernoulli_.float"),
    Row<&Dropout>("aten::dropout"),
    Row<&DropoutInPlace>("aten::dropout_"),
    Row<&IsNonzero>("aten::is_nonzero"),
    Row<&OfList>("aten::tensor"),
    Row<&AsTensorOfList>("aten::as_tensor.list"),
    Row<&False>("aten::is_complex"),
    Row<&False>("prim::is_cuda"),
    Row<&Clone>("aten::clone"),
    Row<&Detach>("aten::detach"),
    Row<&Copy>("aten::copy_"),
    Row<&Fill>("aten::fill_.Scalar"),
    Row<&Zero>("aten::zero_"),
    Row<&ToScalar>("aten::item"),
    Row<&ToScalarImplicitly>("aten::ScalarImplicit"),
    Row<&ToBool>("aten::Bool.Tensor"),
    Row<&ToInt>("aten::Int.Tensor"),
    Row<&ToIntImplicitly>("aten::IntImplicit"),
    Row<&ToFloat>("aten::Float.Tensor"),
    Row<&ToFloatImplicitly>("aten::FloatImplicit"),
    Row<&IsFloatingPoint>("aten::is_floating_point"),
    Row<&RequiresGradient>("prim::requires_grad"),
    Row<&False>("prim::is_nested"),
    Row<&Never>("aten::is_grad_enabled"),
    Row<&Never>("aten::is_autocast_enabled"),
    Row<&TypeCode>("prim::dtype"),
    Row<&DeviceOf>("prim::device"),
    Row<&DeviceNamed>("aten::device"),
};

}  // namespace

std::span<const KernelRow> CreationKernels() {
  return kRows;
}

}  // namespace handrail::kernels
