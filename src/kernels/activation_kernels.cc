// Functions of one element: activations, roots, exponentials.
#include <algorithm>
#include <cmath>

#include "kernels/compose.h"
#include "kernels/elementwise.h"
#include "kernels/families.h"

namespace handrail::kernels {

namespace {

// In float or double; the result has the input's type, or float32 if that is no floating type.
template <typename Op>
TensorRef Map(const Tensor& self, Op op) {
  const ElementType type = FloatingType(self.element_type());
  const ElementType compute = ComputeType(type);
  return ApplyToEach(self, type, compute, [&op](auto x) {
    if constexpr (std::is_integral_v<decltype(x)>) {
      return x;  // not reached
    } else {
      return static_cast<decltype(x)>(op(x));
    }
  });
}
// In the input's own type.
template <typename Op>
TensorRef MapSame(const Tensor& self, Op op) {
  const ElementType type = self.element_type();
  return ApplyToEach(self, type, ComputeType(type),
                     [&op](auto x) { return static_cast<decltype(x)>(op(x)); });
}
template <auto F, typename... Rest>
TensorRef InPlace(Tensor& self, Rest... rest) {
  return StoreInPlace(self, *F(self, rest...));
}
void RefuseBools(const Tensor& self, std::string_view message) {
  if (self.element_type() == ElementType::kBool) Raise(std::string(message));
}

template <double (*F)(double)>
TensorRef Function(const Tensor& self) {
  return Map(self, [](auto x) { return static_cast<decltype(x)>(F(static_cast<double>(x))); });
}

TensorRef Relu(const Tensor& self) {
  RefuseBools(self, "Boolean inputs not supported for relu");
  return MapSame(self, [](auto x) { return x < 0 ? decltype(x){0} : x; });
}
TensorRef Relu6(const Tensor& self) {
  RefuseBools(self, "Bool inputs not supported for hardtanh");
  return MapSame(self, [](auto x) {
    using T = decltype(x);
    return x < 0 ? T{0} : (x > 6 ? T{6} : x);
  });
}
TensorRef Negate(const Tensor& self) {
  RefuseBools(self,
              "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
              "invert a mask, use the `~` or `logical_not()` operator instead.");
  return MapSame(self, [](auto x) {
    if constexpr (std::is_integral_v<decltype(x)>) {
      return static_cast<int64_t>(-static_cast<uint64_t>(x));
    } else {
      return -x;
    }
  });
}
TensorRef Absolute(const Tensor& self) {
  return MapSame(self, [](auto x) {
    if constexpr (std::is_integral_v<decltype(x)>) {
      return x < 0 ? static_cast<int64_t>(-static_cast<uint64_t>(x)) : x;
    } else {
      return std::fabs(x);
    }
  });
}
TensorRef Hardtanh(const Tensor& self, Scalar low, Scalar high) {
  return Map(self, [&](auto x) {
    using T = decltype(x);
    return std::isnan(x) ? x
                         : std::clamp(x, static_cast<T>(low.number), static_cast<T>(high.number));
  });
}
template <typename T>
T HardGate(T x) {
  return std::min(std::max(x + 3, T{0}), T{6}) / 6;
}
TensorRef Hardswish(const Tensor& self) {
  return Map(self, [](auto x) { return x * HardGate(x); });
}
TensorRef Hardsigmoid(const Tensor& self) {
  return Map(self, [](auto x) { return HardGate(x); });
}
TensorRef Sigmoid(const Tensor& self) {
  return Map(self, [](auto x) { return 1 / (1 + std::exp(-x)); });
}
TensorRef Silu(const Tensor& self) {
  return Map(self, [](auto x) { return x / (1 + std::exp(-x)); });
}
TensorRef Gelu(const Tensor& self, const std::string& approximate) {
  if (approximate == "tanh") {
    return Map(self, [](auto x) {
      using T = decltype(x);
      return x / 2 *
             (1 + std::tanh(static_cast<T>(0.79788456080286535588) *
                            (x + static_cast<T>(0.044715) * x * x * x)));
    });
  }
  return Map(self, [](auto x) {
    using T = decltype(x);
    return x / 2 * (1 + std::erf(x * static_cast<T>(0.70710678118654752440)));
  });
}
TensorRef Tanh(const Tensor& self) {
  return Map(self, [](auto x) { return std::tanh(x); });
}
TensorRef LeakyRelu(const Tensor& self, Scalar slope) {
  return Map(self, [&](auto x) { return x > 0 ? x : x * static_cast<decltype(x)>(slope.number); });
}
TensorRef Elu(const Tensor& self, Scalar alpha, Scalar scale, Scalar input_scale) {
  return Map(self, [&](auto x) {
    using T = decltype(x);
    const T negative =
        static_cast<T>(alpha.number) * std::expm1(x * static_cast<T>(input_scale.number));
    return static_cast<T>(scale.number) * (x > 0 ? x : negative);
  });
}
double Exponential(double x) {
  return std::exp(x);
}
double Logarithm(double x) {
  return std::log(x);
}
double Root(double x) {
  return std::sqrt(x);
}
double InverseRoot(double x) {
  return 1 / std::sqrt(x);
}
double Sine(double x) {
  return std::sin(x);
}
double Cosine(double x) {
  return std::cos(x);
}
double ErrorFunction(double x) {
  return std::erf(x);
}
TensorRef Floor(const Tensor& self) {
  return MapSame(self, [](auto x) { return static_cast<decltype(x)>(std::floor(x)); });
}
TensorRef Ceil(const Tensor& self) {
  return MapSame(self, [](auto x) { return static_cast<decltype(x)>(std::ceil(x)); });
}
TensorRef Round(const Tensor& self) {
  return MapSame(self, [](auto x) { return static_cast<decltype(x)>(std::nearbyint(x)); });
}
double ReciprocalOf(double x) {
  return 1 / x;
}
double BinaryLogarithm(double x) {
  return std::log2(x);
}
TensorRef Mish(const Tensor& self) {
  return Map(self, [](auto x) { return x * std::tanh(std::log1p(std::exp(x))); });
}
TensorRef Softplus(const Tensor& self, Scalar beta, Scalar threshold) {
  return Map(self, [&](auto x) {
    using T = decltype(x);
    const T scaled = x * static_cast<T>(beta.number);
    return scaled > static_cast<T>(threshold.number)
               ? x
               : std::log1p(std::exp(scaled)) / static_cast<T>(beta.number);
  });
}

constexpr KernelRow kRows[] = {
    Row<&Relu>("aten::relu"),
    Row<&InPlace<&Relu>>("aten::relu_"),
    Row<&Relu6>("aten::relu6"),
    Row<&InPlace<&Relu6>>("aten::relu6_"),
    Row<&Negate>("aten::neg"),
    Row<&InPlace<&Negate>>("aten::neg_"),
    Row<&Absolute>("aten::abs"),
    Row<&Hardtanh>("aten::hardtanh"),
    Row<&InPlace<&Hardtanh, Scalar, Scalar>>("aten::hardtanh_"),
    Row<&Hardswish>("aten::hardswish"),
    Row<&InPlace<&Hardswish>>("aten::hardswish_"),
    Row<&Hardsigmoid>("aten::hardsigmoid"),
    Row<&InPlace<&Hardsigmoid>>("aten::hardsigmoid_"),
    Row<&Sigmoid>("aten::sigmoid"),
    Row<&InPlace<&Sigmoid>>("aten::sigmoid_"),
    Row<&Silu>("aten::silu"),
    Row<&InPlace<&Silu>>("aten::silu_"),
    Row<&Gelu>("aten::gelu"),
    Row<&Tanh>("aten::tanh"),
    Row<&InPlace<&Tanh>>("aten::tanh_"),
    Row<&LeakyRelu>("aten::leaky_relu"),
    Row<&Elu>("aten::elu"),
    Row<&Function<&Exponential>>("aten::exp"),
    Row<&Function<&Logarithm>>("aten::log"),
    Row<&Function<&Root>>("aten::sqrt"),
    Row<&Function<&InverseRoot>>("aten::rsqrt"),
    Row<&Function<&Sine>>("aten::sin"),
    Row<&Function<&Cosine>>("aten::cos"),
    Row<&Function<&ErrorFunction>>("aten::erf"),
    Row<&Function<&ReciprocalOf>>("aten::reciprocal"),
    Row<&Function<&BinaryLogarithm>>("aten::log2"),
    Row<&Mish>("aten::mish"),
    Row<&Softplus>("aten::softplus"),
    Row<&Floor>("aten::floor"),
    Row<&Ceil>("aten::ceil"),
    Row<&Round>("aten::round"),
};

}  // namespace

TensorRef SigmoidOf(const Tensor& x) {
  return Sigmoid(x);
}
TensorRef TanhOf(const Tensor& x) {
  return Tanh(x);
}
TensorRef ReluOf(const Tensor& x) {
  return Relu(x);
}
TensorRef GeluOf(const Tensor& x) {
  return Gelu(x, "none");
}

std::span<const KernelRow> ActivationKernels() {
  return kRows;
}

}  // namespace handrail::kernels
