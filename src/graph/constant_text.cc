#include "graph/constant_text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "graph/subtyping.h"
#include "graph/type_parser.h"

namespace handrail::graph {
namespace {

constexpr uint64_t kCanonicalNan = 0x7ff8000000000000u;

// The type that surroundings give to the `index`-th element; None: they say nothing.
TypeId ElementType(const TypeTable& types, ConstantKind kind, TypeId type, size_t index) {
  switch (kind) {
    case ConstantKind::kList:
      return types.is(type, TypeKind::kList) ? types.element(type) : types::kNone;
    case ConstantKind::kDict:
      if (!types.is(type, TypeKind::kDict)) return types::kNone;
      return index % 2 == 0 ? types.key(type) : types.value(type);
    default: {
      if (!types.is(type, TypeKind::kTuple)) return types::kNone;
      const auto elements = types.elements(type);
      return index < elements.size() ? elements[index] : types::kNone;
    }
  }
}

// A double that reads back to the same bits, and never looks like an integer.
void WriteDouble(double value, std::string& out) {
  const auto bits = std::bit_cast<uint64_t>(value);
  if (std::isnan(value)) {
    out += bits == kCanonicalNan ? "nan" : fmt::format("nan{:016x}", bits);
    return;
  }
  const std::string text = fmt::format("{}", value);
  out += text;
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) out += '.';
}

bool TellsItsType(ConstantKind kind) {
  return kind <= ConstantKind::kDevice;
}

void WriteScalar(const CompilationUnit& unit, ConstantId id, std::string& out) {
  const ConstantTable& constants = unit.constants;
  const auto quoted = [&](std::string_view word) {
    out += word;
    out += '(';
    WriteQuoted(unit.text(constants.name(id)), out);
    out += ')';
  };
  switch (constants.at(id).kind) {
    case ConstantKind::kNone:
      out += "None";
      return;
    case ConstantKind::kBool:
      out += constants.bool_value(id) ? "True" : "False";
      return;
    case ConstantKind::kInt:
      out += fmt::format("{}", constants.int_value(id));
      return;
    case ConstantKind::kFloat:
      return WriteDouble(constants.float_value(id), out);
    case ConstantKind::kComplex:
      out += "complex(";
      WriteDouble(constants.complex_value(id).real(), out);
      out += ", ";
      WriteDouble(constants.complex_value(id).imag(), out);
      out += ')';
      return;
    case ConstantKind::kString:
      return WriteQuoted(unit.text(constants.name(id)), out);
    case ConstantKind::kDevice:
      return quoted("device");
    case ConstantKind::kFunction:
      return quoted("function");
    case ConstantKind::kEnum:
      return quoted("enum");
    case ConstantKind::kExternal:
      out += fmt::format("external({})", constants.external_row(id));
      return;
    case ConstantKind::kList:
    case ConstantKind::kTuple:
    case ConstantKind::kDict:
      return;  // WriteConstant's
  }
}

struct Brackets {
  std::string_view open;
  std::string_view close;
};
Brackets BracketsOf(ConstantKind kind) {
  switch (kind) {
    case ConstantKind::kList:
      return {"[", "]"};
    case ConstantKind::kTuple:
      return {"(", ")"};
    default:
      return {"{", "}"};
  }
}

// What a number is written as: `1`, `1.5`, `nan7ff8000000000001`.
std::optional<double> DoubleOf(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const std::string_view digits = text.substr(is_negative || text.starts_with('+') ? 1 : 0);
  double value = 0;
  if (digits == "inf") {
    value = std::numeric_limits<double>::infinity();
  } else if (digits == "nan") {
    return std::bit_cast<double>(kCanonicalNan);
  } else if (digits.starts_with("nan")) {
    uint64_t bits = 0;
    const auto [end, error] =
        std::from_chars(digits.data() + 3, digits.data() + digits.size(), bits, 16);
    const double nan = std::bit_cast<double>(bits);
    if (error != std::errc() || end != digits.data() + digits.size() || !std::isnan(nan)) return {};
    return nan;
  } else {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return {};
  }
  return is_negative ? -value : value;
}

std::optional<int64_t> IntOf(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

class ConstantReader {
 public:
  ConstantReader(CompilationUnit& unit, TextCursor& cursor) : unit_(unit), cursor_(cursor) {}

  Result<ConstantId> Read(TypeId expected) {
    while (true) {
      ConstantId done;
      if (TakeOpening(expected)) {
        if (!cursor_.Take(BracketsOf(open_.back().kind).close)) {
          expected = NextExpected();
          continue;
        }
        HANDRAIL_ASSIGN_OR_RETURN(done, Close());
      } else if (cursor_.Take("annotate(")) {
        HANDRAIL_ASSIGN_OR_RETURN(const ArgumentType type,
                                  ParseTypeAt(unit_, cursor_, TypeVariables::kRefused));
        HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(","));
        expected = type.type;
        annotated_.push_back(open_.size());
        continue;
      } else {
        HANDRAIL_ASSIGN_OR_RETURN(done, ReadScalar(expected));
      }
      // A value is complete: what it completes in turn.
      while (true) {
        if (!annotated_.empty() && annotated_.back() == open_.size()) {
          HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(")"));
          annotated_.pop_back();
          continue;
        }
        if (open_.empty()) return done;
        Open& open = open_.back();
        open.elements.push_back(done);
        const bool is_key = open.kind == ConstantKind::kDict && open.elements.size() % 2 == 1;
        const std::string_view close = BracketsOf(open.kind).close;
        if (is_key) {
          HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(":"));
          break;
        }
        if (cursor_.Take(",") && !cursor_.Sees(close)) break;
        HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(close));
        HANDRAIL_ASSIGN_OR_RETURN(done, Close());
      }
      expected = NextExpected();
    }
  }

 private:
  struct Open {
    ConstantKind kind;
    TypeId type;
    std::vector<ConstantId> elements;
  };

  bool TakeOpening(TypeId expected) {
    for (ConstantKind kind : {ConstantKind::kList, ConstantKind::kTuple, ConstantKind::kDict}) {
      if (!cursor_.Take(BracketsOf(kind).open)) continue;
      open_.push_back({kind, unit_.types.WithoutOptional(expected), {}});
      return true;
    }
    return false;
  }

  TypeId NextExpected() const {
    const Open& open = open_.back();
    return ElementType(unit_.types, open.kind, open.type, open.elements.size());
  }

  Result<ConstantId> Close() {
    const Open closed = std::move(open_.back());
    open_.pop_back();
    const bool fits = closed.kind == ConstantKind::kList   ? IsA(closed, TypeKind::kList)
                      : closed.kind == ConstantKind::kDict ? IsA(closed, TypeKind::kDict)
                                                           : IsTuple(closed);
    if (!fits) {
      return tl::unexpected(cursor_.ErrorHere(
          fmt::format("need a constant of type {}, have another", unit_.ToString(closed.type))));
    }
    return unit_.constants.Compound(closed.kind, closed.type, closed.elements);
  }

  bool IsA(const Open& open, TypeKind kind) const {
    return unit_.types.is(open.type, kind) && ElementsFit(open);
  }
  bool IsTuple(const Open& open) const {
    return IsA(open, TypeKind::kTuple) &&
           unit_.types.elements(open.type).size() == open.elements.size();
  }
  bool ElementsFit(const Open& open) const {
    for (size_t i = 0; i < open.elements.size(); ++i) {
      const TypeId needed = ElementType(unit_.types, open.kind, open.type, i);
      if (!IsSubtype(unit_, unit_.constants.at(open.elements[i]).type, needed)) return false;
    }
    return true;
  }

  Result<ConstantId> ReadScalar(TypeId expected) {
    ConstantTable& constants = unit_.constants;
    const TypeId type = unit_.types.WithoutOptional(expected);
    if (cursor_.Take("None")) return constants.None();
    if (cursor_.Take("True")) return constants.Bool(true);
    if (cursor_.Take("False")) return constants.Bool(false);
    if (cursor_.Sees("\"")) {
      HANDRAIL_ASSIGN_OR_RETURN(const StringId text, Quoted());
      return constants.String(text);
    }
    for (std::string_view word : {"device(", "function(", "enum("}) {
      if (!cursor_.Take(word)) continue;
      HANDRAIL_ASSIGN_OR_RETURN(const StringId text, Quoted());
      HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(")"));
      return word[0] == 'd'   ? constants.Device(text)
             : word[0] == 'f' ? constants.Function(type, text)
                              : constants.Enum(type, text);
    }
    if (cursor_.Take("external(")) {
      HANDRAIL_ASSIGN_OR_RETURN(const uint32_t row, cursor_.TakeUint32("a row"));
      HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(")"));
      return constants.External(type, row);
    }
    if (cursor_.Take("complex(")) {
      HANDRAIL_ASSIGN_OR_RETURN(const double real, Double());
      HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(","));
      HANDRAIL_ASSIGN_OR_RETURN(const double imaginary, Double());
      HANDRAIL_RETURN_IF_ERROR(cursor_.Expect(")"));
      return constants.Complex({real, imaginary});
    }
    cursor_.at_end();  // blanks
    const size_t start = cursor_.offset();
    const std::string_view number = cursor_.TakeNumber();
    if (type != types::kFloat) {
      if (const auto value = IntOf(number)) return constants.Int(*value);
    }
    if (const auto value = DoubleOf(number)) return constants.Float(*value);
    return tl::unexpected(cursor_.ErrorAt(start, "expected a constant"));
  }

  Result<StringId> Quoted() {
    HANDRAIL_ASSIGN_OR_RETURN(const std::string text, cursor_.TakeQuoted());
    return unit_.strings.Intern(text);
  }

  Result<double> Double() {
    if (const auto value = DoubleOf(cursor_.TakeNumber())) return *value;
    return tl::unexpected(cursor_.ErrorHere("expected a number"));
  }

  CompilationUnit& unit_;
  TextCursor& cursor_;
  std::vector<Open> open_;
  std::vector<size_t> annotated_;  // how many were open at each `annotate(` that is open
};

}  // namespace

void WriteConstant(const CompilationUnit& unit, ConstantId constant, TypeId expected,
                   std::string& out) {
  struct Value {
    ConstantId constant;
    TypeId expected;
  };
  std::vector<std::variant<Value, std::string_view>> pending{Value{constant, expected}};
  while (!pending.empty()) {
    const auto next = pending.back();
    pending.pop_back();
    if (const auto* text = std::get_if<std::string_view>(&next)) {
      out += *text;
      continue;
    }
    const Value value = std::get<Value>(next);
    const Constant& row = unit.constants.at(value.constant);
    if (TellsItsType(row.kind)) {
      WriteScalar(unit, value.constant, out);
      continue;
    }
    if (row.type != unit.types.WithoutOptional(value.expected)) {
      out += "annotate(" + unit.ToString(row.type) + ", ";
      pending.push_back(std::string_view(")"));
    }
    if (row.kind < ConstantKind::kList) {
      WriteScalar(unit, value.constant, out);
      continue;
    }
    const Brackets brackets = BracketsOf(row.kind);
    out += brackets.open;
    pending.push_back(brackets.close);
    const auto elements = unit.constants.elements(value.constant);
    const bool is_dict = row.kind == ConstantKind::kDict;
    for (size_t i = elements.size(); i-- > 0;) {
      pending.push_back(Value{elements[i], ElementType(unit.types, row.kind, row.type, i)});
      if (i > 0) pending.push_back(std::string_view(is_dict && i % 2 == 1 ? ": " : ", "));
    }
  }
}

Result<ConstantId> ParseConstantAt(CompilationUnit& unit, TextCursor& cursor, TypeId expected) {
  return ConstantReader(unit, cursor).Read(expected);
}

}  // namespace handrail::graph
