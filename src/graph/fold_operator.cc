#include "graph/fold_operator.h"

#include <cmath>
#include <complex>
#include <string>
#include <string_view>

namespace handrail::graph {
namespace {

// A number of either kind.
struct Number {
  bool is_int;
  int64_t whole;
  double real;
};

class Folder {
 public:
  Folder(CompilationUnit& unit, std::string_view name, TypeId result,
         std::span<const ConstantId> arguments)
      : unit_(unit), table_(unit.constants), name_(name), result_(result), arguments_(arguments) {}

  std::optional<ConstantId> Fold() {
    if (arguments_.size() == 2) {
      if (name_ == "aten::__is__") return table_.Bool(arguments_[0] == arguments_[1]);
      if (name_ == "aten::__isnot__") return table_.Bool(arguments_[0] != arguments_[1]);
      return FoldTwo();
    }
    if (arguments_.size() == 1) return FoldOne();
    return std::nullopt;
  }

 private:
  ConstantKind kind(size_t row) const { return table_.at(arguments_[row]).kind; }

  std::optional<Number> NumberAt(size_t row) const {
    switch (kind(row)) {
      case ConstantKind::kInt: {
        const int64_t whole = table_.int_value(arguments_[row]);
        return Number{true, whole, static_cast<double>(whole)};
      }
      case ConstantKind::kFloat:
        return Number{false, 0, table_.float_value(arguments_[row])};
      default:
        return std::nullopt;
    }
  }

  std::optional<std::complex<double>> ComplexAt(size_t row) const {
    if (kind(row) == ConstantKind::kComplex) return table_.complex_value(arguments_[row]);
    const std::optional<Number> number = NumberAt(row);
    return number ? std::optional<std::complex<double>>(number->real) : std::nullopt;
  }

  std::optional<ConstantId> FoldOne() {
    if (kind(0) == ConstantKind::kBool) {
      const bool value = table_.bool_value(arguments_[0]);
      if (name_ == "aten::__not__") return table_.Bool(!value);
      if (name_ == "aten::Bool") return table_.Bool(value);
      if (name_ == "aten::Int") return table_.Int(value ? 1 : 0);
      if (name_ == "aten::Float") return table_.Float(value ? 1 : 0);
      return std::nullopt;
    }
    if (kind(0) == ConstantKind::kString && name_ == "aten::len") {
      // Bytes, as PyTorch counts.
      return table_.Int(static_cast<int64_t>(unit_.text(table_.name(arguments_[0])).size()));
    }
    if (kind(0) == ConstantKind::kString && name_ == "aten::device") {
      return table_.Device(table_.name(arguments_[0]));
    }
    if (kind(0) == ConstantKind::kComplex) {
      if (name_ == "aten::neg") return table_.Complex(-table_.complex_value(arguments_[0]));
      return std::nullopt;
    }
    const std::optional<Number> a = NumberAt(0);
    if (!a) return std::nullopt;
    if (name_ == "aten::neg") {
      if (!a->is_int) return table_.Float(-a->real);
      if (a->whole == INT64_MIN) return std::nullopt;
      return table_.Int(-a->whole);
    }
    if (name_ == "aten::Bool") return table_.Bool(a->is_int ? a->whole != 0 : a->real != 0);
    if (name_ == "aten::Float") return table_.Float(a->real);
    if (name_ == "aten::Int") {
      if (a->is_int) return table_.Int(a->whole);
      if (!(std::abs(a->real) < 0x1p63)) return std::nullopt;
      return table_.Int(static_cast<int64_t>(a->real));
    }
    if (name_ == "prim::abs") {
      if (!a->is_int) return table_.Float(std::abs(a->real));
      if (a->whole == INT64_MIN) return std::nullopt;
      return table_.Int(a->whole < 0 ? -a->whole : a->whole);
    }
    if (name_ == "aten::sqrt" && a->real >= 0) return table_.Float(std::sqrt(a->real));
    return std::nullopt;
  }

  std::optional<ConstantId> FoldTwo() {
    if (kind(0) == ConstantKind::kBool && kind(1) == ConstantKind::kBool) {
      const bool a = table_.bool_value(arguments_[0]);
      const bool b = table_.bool_value(arguments_[1]);
      if (name_ == "aten::__and__") return table_.Bool(a && b);
      if (name_ == "aten::__or__") return table_.Bool(a || b);
      if (name_ == "aten::__xor__" || name_ == "aten::ne") return table_.Bool(a != b);
      if (name_ == "aten::eq") return table_.Bool(a == b);
      return std::nullopt;
    }
    if (kind(0) == ConstantKind::kString && kind(1) == ConstantKind::kString) {
      const std::string_view a = unit_.text(table_.name(arguments_[0]));
      const std::string_view b = unit_.text(table_.name(arguments_[1]));
      if (name_ == "aten::add") {
        return table_.String(unit_.strings.Intern(std::string(a) + std::string(b)));
      }
      if (name_ == "aten::eq") return table_.Bool(a == b);
      if (name_ == "aten::ne") return table_.Bool(a != b);
      if (name_ == "aten::lt") return table_.Bool(a < b);
      if (name_ == "aten::gt") return table_.Bool(a > b);
      if (name_ == "aten::le") return table_.Bool(a <= b);
      if (name_ == "aten::ge") return table_.Bool(a >= b);
      return std::nullopt;
    }
    if (kind(0) == ConstantKind::kDevice && kind(1) == ConstantKind::kDevice) {
      if (name_ == "aten::eq") return table_.Bool(arguments_[0] == arguments_[1]);
      if (name_ == "aten::ne") return table_.Bool(arguments_[0] != arguments_[1]);
      return std::nullopt;
    }
    if (kind(0) == ConstantKind::kComplex || kind(1) == ConstantKind::kComplex) {
      return FoldComplex();
    }
    const std::optional<Number> a = NumberAt(0);
    const std::optional<Number> b = NumberAt(1);
    if (!a || !b) return std::nullopt;
    if (std::optional<ConstantId> compared = Compare(*a, *b)) return compared;
    return a->is_int && b->is_int ? FoldInts(a->whole, b->whole) : FoldFloats(a->real, b->real);
  }

  // `1.+2.j` is a sum: there are no other literals of complex numbers.
  std::optional<ConstantId> FoldComplex() {
    const std::optional<std::complex<double>> a = ComplexAt(0);
    const std::optional<std::complex<double>> b = ComplexAt(1);
    if (!a || !b) return std::nullopt;
    if (name_ == "aten::add") return table_.Complex(*a + *b);
    if (name_ == "aten::sub") return table_.Complex(*a - *b);
    if (name_ == "aten::mul") return table_.Complex(*a * *b);
    if (name_ == "aten::eq") return table_.Bool(*a == *b);
    if (name_ == "aten::ne") return table_.Bool(*a != *b);
    return std::nullopt;
  }

  std::optional<ConstantId> Compare(const Number& a, const Number& b) {
    const bool both_ints = a.is_int && b.is_int;
    const bool is_less = both_ints ? a.whole < b.whole : a.real < b.real;
    const bool is_more = both_ints ? a.whole > b.whole : a.real > b.real;
    const bool is_equal = both_ints ? a.whole == b.whole : a.real == b.real;
    if (name_ == "aten::eq") return table_.Bool(is_equal);
    if (name_ == "aten::ne") return table_.Bool(!is_equal);
    if (name_ == "aten::lt") return table_.Bool(is_less);
    if (name_ == "aten::gt") return table_.Bool(is_more);
    if (name_ == "aten::le") return table_.Bool(is_less || is_equal);
    if (name_ == "aten::ge") return table_.Bool(is_more || is_equal);
    return std::nullopt;
  }

  std::optional<ConstantId> FoldInts(int64_t a, int64_t b) {
    int64_t value = 0;
    if (name_ == "aten::add" && !__builtin_add_overflow(a, b, &value)) return table_.Int(value);
    if (name_ == "aten::sub" && !__builtin_sub_overflow(a, b, &value)) return table_.Int(value);
    if (name_ == "aten::mul" && !__builtin_mul_overflow(a, b, &value)) return table_.Int(value);
    if (name_ == "prim::min") return table_.Int(a < b ? a : b);
    if (name_ == "prim::max") return table_.Int(a > b ? a : b);
    if (name_ == "aten::__and__") return table_.Int(a & b);
    if (name_ == "aten::__or__") return table_.Int(a | b);
    if (name_ == "aten::__xor__") return table_.Int(a ^ b);
    if (b == 0 || (a == INT64_MIN && b == -1)) return std::nullopt;
    if (name_ == "aten::div") return table_.Float(static_cast<double>(a) / static_cast<double>(b));
    const bool rounds_down = a % b != 0 && (a < 0) != (b < 0);
    if (name_ == "aten::floordiv") return table_.Int(a / b - (rounds_down ? 1 : 0));
    if (name_ == "aten::remainder") return table_.Int(a % b + (rounds_down ? b : 0));
    return std::nullopt;
  }

  std::optional<ConstantId> FoldFloats(double a, double b) {
    if (result_ != types::kFloat && result_ != types::kNumber) return std::nullopt;
    if (name_ == "aten::add") return table_.Float(a + b);
    if (name_ == "aten::sub") return table_.Float(a - b);
    if (name_ == "aten::mul") return table_.Float(a * b);
    if (name_ == "prim::min") return table_.Float(a < b ? a : b);
    if (name_ == "prim::max") return table_.Float(a > b ? a : b);
    if (b == 0) return std::nullopt;
    if (name_ == "aten::div") return table_.Float(a / b);
    if (name_ == "aten::floordiv") return table_.Float(std::floor(a / b));
    return std::nullopt;
  }

  CompilationUnit& unit_;
  ConstantTable& table_;
  std::string_view name_;
  TypeId result_;
  std::span<const ConstantId> arguments_;
};

}  // namespace

std::optional<ConstantId> FoldOperator(CompilationUnit& unit, Symbol kind, TypeId result,
                                       std::span<const ConstantId> arguments) {
  return Folder(unit, unit.text(kind), result, arguments).Fold();
}

}  // namespace handrail::graph
