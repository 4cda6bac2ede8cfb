// What arithmetic operators do to two elements. Integers wrap.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "kernels/raise.h"

namespace handrail::kernels {

struct Add {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    } else {
      return a + b;
    }
  }
};
struct Subtract {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
    } else {
      return a - b;
    }
  }
};
struct SubtractTurned {
  template <typename T>
  T operator()(T a, T b) const {
    return Subtract()(b, a);
  }
};
struct Multiply {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }
};
// Of floats: IEEE 754's, by zero too, which C++ does not define.
struct Divide {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) Raise("ZeroDivisionError");
      return b == -1 ? Subtract()(T{0}, a) : a / b;
    } else {
      return a / b;
    }
  }
};
struct DivideTruncating {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return Divide()(a, b);
    } else {
      return std::trunc(Divide()(a, b));
    }
  }
};
struct FloorDivide {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      const T quotient = Divide()(a, b);
      return b != -1 && a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
    } else {
      // As PyTorch (and Python) do: the quotient of what a modulus leaves, which is exact.
      if (b == 0) return Divide()(a, b);
      const T rest = std::fmod(a, b);
      T quotient = (a - rest) / b;
      if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
      if (quotient == 0) return std::copysign(T{0}, a / b);
      const T floored = std::floor(quotient);
      return quotient - floored > T{0.5} ? floored + 1 : floored;
    }
  }
};
struct Remainder {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) Raise("ZeroDivisionError");
      if (b == -1) return 0;
      const T rest = a % b;
      return (rest != 0 && (rest < 0) != (b < 0)) ? rest + b : rest;
    } else {
      const T rest = std::fmod(a, b);
      return (rest != 0 && (rest < 0) != (b < 0)) ? rest + b : rest;
    }
  }
};
struct RemainderTruncating {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) Raise("ZeroDivisionError");
      return b == -1 ? 0 : a % b;
    } else {
      return std::fmod(a, b);
    }
  }
};
struct Power {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b < 0) return a == 1 ? 1 : (a == -1 ? (b % 2 == 0 ? 1 : -1) : 0);
      T result = 1;
      for (; b != 0; b >>= 1) {
        if ((b & 1) != 0) result = Multiply()(result, a);
        a = Multiply()(a, a);
      }
      return result;
    } else {
      return std::pow(a, b);
    }
  }
};
// Integers never are.
template <typename T>
bool IsNan(T x) {
  if constexpr (std::is_integral_v<T>) {
    return false;
  } else {
    return std::isnan(x);
  }
}
struct Smaller {
  template <typename T>
  T operator()(T a, T b) const {
    return IsNan(a) ? a : (b < a || IsNan(b) ? b : a);
  }
};
struct Larger {
  template <typename T>
  T operator()(T a, T b) const {
    return IsNan(a) ? a : (a < b || IsNan(b) ? b : a);
  }
};

}  // namespace handrail::kernels
