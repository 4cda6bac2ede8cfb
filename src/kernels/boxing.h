// Turns a plain function over typed arguments into a Kernel, which takes them off a stack.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "handrail/kernels/kernels.h"
#include "handrail/values/value.h"

#include "kernels/raise.h"

namespace handrail::kernels {

using values::Dict;
using values::ElementType;
using values::List;
using values::Stack;
using values::Tensor;
using values::TensorRef;
using values::Value;
using Ints = std::vector<int64_t>;
using Kind = Value::Kind;

// A Python number.
struct Scalar {
  Kind kind = Kind::kInt;  // kBool, kInt or kFloat
  int64_t integer = 0;
  double number = 0;
  bool is_float() const { return kind == Kind::kFloat; }
};

[[noreturn]] void RaiseWrongKind(const Value& value, std::string_view expected);

template <typename T>
struct Unbox;
template <>
struct Unbox<int64_t> {
  static int64_t From(const Value& value) {
    if (value.kind() != Kind::kInt) RaiseWrongKind(value, "int");
    return value.int_value();
  }
};
template <>
struct Unbox<double> {
  static double From(const Value& value) {
    if (value.kind() == Kind::kInt) return static_cast<double>(value.int_value());
    if (value.kind() != Kind::kFloat) RaiseWrongKind(value, "float");
    return value.float_value();
  }
};
template <>
struct Unbox<bool> {
  static bool From(const Value& value) {
    if (value.kind() != Kind::kBool) RaiseWrongKind(value, "bool");
    return value.bool_value();
  }
};
template <>
struct Unbox<Scalar> {
  static Scalar From(const Value& value) {
    switch (value.kind()) {
      case Kind::kBool:
        return {Kind::kBool, value.bool_value() ? 1 : 0, value.bool_value() ? 1.0 : 0.0};
      case Kind::kInt:
        return {Kind::kInt, value.int_value(), static_cast<double>(value.int_value())};
      case Kind::kFloat:
        return {Kind::kFloat, 0, value.float_value()};
      default:
        RaiseWrongKind(value, "number");
    }
  }
};
template <>
struct Unbox<const std::string&> {
  static const std::string& From(const Value& value) {
    if (value.kind() != Kind::kString) RaiseWrongKind(value, "str");
    return value.string();
  }
};
template <>
struct Unbox<const Value&> {
  static const Value& From(const Value& value) { return value; }
};
template <>
struct Unbox<Tensor&> {
  static Tensor& From(const Value& value) {
    if (value.kind() != Kind::kTensor) RaiseWrongKind(value, "Tensor");
    return value.tensor();
  }
};
template <>
struct Unbox<const Tensor&> {
  static const Tensor& From(const Value& value) { return Unbox<Tensor&>::From(value); }
};
// None is null.
template <>
struct Unbox<const Tensor*> {
  static const Tensor* From(const Value& value) {
    return value.is_none() ? nullptr : &Unbox<Tensor&>::From(value);
  }
};
template <>
struct Unbox<List&> {
  static List& From(const Value& value) {
    if (value.kind() != Kind::kList) RaiseWrongKind(value, "List");
    return value.list();
  }
};
template <>
struct Unbox<Dict&> {
  static Dict& From(const Value& value) {
    if (value.kind() != Kind::kDict) RaiseWrongKind(value, "Dict");
    return value.dict();
  }
};
template <typename T>
struct Unbox<std::vector<T>> {
  static std::vector<T> From(const Value& value) {
    std::vector<T> result;
    const List& list = Unbox<List&>::From(value);
    result.reserve(list.elements.size());
    for (const Value& element : list.elements) result.push_back(Unbox<T>::From(element));
    return result;
  }
};
template <>
struct Unbox<const Ints&> : Unbox<Ints> {};
template <typename T>
struct Unbox<std::optional<T>> {
  static std::optional<T> From(const Value& value) {
    if (value.is_none()) return std::nullopt;
    return Unbox<T>::From(value);
  }
};
template <>
struct Unbox<const std::optional<Ints>&> : Unbox<std::optional<Ints>> {};

template <typename T>
requires(!std::is_same_v<std::remove_cvref_t<T>, Scalar>) Value Box(T&& result) {
  return Value(std::forward<T>(result));
}
inline Value Box(Value&& result) {
  return std::move(result);
}
inline Value Box(const Scalar& result) {
  if (result.is_float()) return Value(result.number);
  if (result.kind == Kind::kBool) return Value(result.integer != 0);
  return Value(result.integer);
}
template <typename T>
Value Box(std::vector<T>&& result) {
  std::vector<Value> elements;
  elements.reserve(result.size());
  for (auto&& element : result) elements.push_back(Box(std::move(element)));
  return values::MakeList(std::move(elements));
}

template <typename T>
inline constexpr bool kIsTuple = false;
template <typename... T>
inline constexpr bool kIsTuple<std::tuple<T...>> = true;

inline void DropLast(Stack& stack, size_t count) {
  for (size_t i = 0; i < count; ++i) stack.pop_back();
}
[[noreturn]] void RaiseStackTooShort();

template <auto F>
struct Boxed;
template <typename R, typename... A, R (*F)(A...)>
struct Boxed<F> {
  static void Run(Stack& stack) { Call(stack, std::index_sequence_for<A...>()); }

 private:
  template <size_t... I>
  static void Call(Stack& stack, std::index_sequence<I...> /*arguments*/) {
    constexpr size_t kCount = sizeof...(A);
    if (stack.size() < kCount) RaiseStackTooShort();
    [[maybe_unused]] Value* arguments = stack.data() + (stack.size() - kCount);
    if constexpr (std::is_void_v<R>) {
      F(Unbox<A>::From(arguments[I])...);
      DropLast(stack, kCount);
    } else if constexpr (kIsTuple<R>) {
      R results = F(Unbox<A>::From(arguments[I])...);
      DropLast(stack, kCount);
      std::apply([&](auto&... result) { (stack.push_back(Box(std::move(result))), ...); }, results);
    } else if constexpr (kCount == 0) {
      stack.push_back(Box(F()));
    } else {
      Value result = Box(F(Unbox<A>::From(arguments[I])...));
      arguments[0] = std::move(result);
      DropLast(stack, kCount - 1);
    }
  }
};

// A row of a family's table.
struct KernelRow {
  static constexpr int kAnyCount = -1;

  std::string_view name;  // "aten::add.Tensor"
  Kernel kernel;
  int argument_count;  // kAnyCount: the last argument says how many
};
template <typename F>
inline constexpr int kArgumentCount = 0;
template <typename R, typename... A>
inline constexpr int kArgumentCount<R (*)(A...)> = int{sizeof...(A)};
template <auto F>
constexpr KernelRow Row(std::string_view name) {
  return {name, &Boxed<F>::Run, kArgumentCount<decltype(F)>};
}

}  // namespace handrail::kernels
