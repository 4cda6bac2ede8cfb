// Constant values, as far as graphs hold them: the values of prim::Constant and the defaults of
// arguments. Interned, so that equal values are equal ConstantIds; NaNs are equal by bits, and 0.0
// is not -0.0.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "handrail/base/id.h"
#include "handrail/base/string_pool.h"
#include "handrail/graph/type.h"

namespace handrail::graph {

using ConstantId = Id<struct ConstantTag>;

enum class ConstantKind : uint8_t {
  kNone,
  kBool,
  kInt,
  kFloat,
  kComplex,
  kString,    // bytes, by StringId
  kDevice,    // "cuda:0", by StringId
  kFunction,  // by the StringId of its qualified name
  kEnum,      // by the StringId of the member's name; the type says of which enum
  // A row of the archive's constants.pkl: a tensor, or an object that only the runtime knows.
  kExternal,
  // Elements in the table of elements; a dict alternates keys and values.
  kList,
  kTuple,
  kDict,
};

struct Constant {
  ConstantKind kind;
  TypeId type;
  // kBool: 0 or 1. kInt: the number. kFloat: its bits. kComplex: the real part's bits. kString and
  // other names: StringId::index. kExternal: the row. kList and so on: the first element.
  uint64_t bits = 0;
  // kComplex: the imaginary part's bits. kList and so on: how many elements.
  uint64_t more_bits = 0;
};

// Not thread-safe to add to; safe to read from many threads.
class ConstantTable {
 public:
  ConstantTable();

  ConstantId None() { return ConstantId{0}; }
  ConstantId Bool(bool value);
  ConstantId Int(int64_t value);
  ConstantId Float(double value);
  ConstantId Complex(std::complex<double> value);
  ConstantId String(StringId value);
  ConstantId Device(StringId value);
  ConstantId Function(TypeId type, StringId qualified_name);
  ConstantId Enum(TypeId type, StringId member);
  ConstantId External(TypeId type, uint32_t row);
  // kList, kTuple or kDict.
  ConstantId Compound(ConstantKind kind, TypeId type, std::span<const ConstantId> elements);

  const Constant& at(ConstantId id) const { return rows_[id.index]; }
  uint32_t size() const { return static_cast<uint32_t>(rows_.size()); }
  // Each must be asked about a constant of its own kind.
  bool bool_value(ConstantId id) const { return at(id).bits != 0; }
  int64_t int_value(ConstantId id) const { return static_cast<int64_t>(at(id).bits); }
  double float_value(ConstantId id) const;
  std::complex<double> complex_value(ConstantId id) const;
  StringId name(ConstantId id) const { return StringId{static_cast<uint32_t>(at(id).bits)}; }
  uint32_t external_row(ConstantId id) const { return static_cast<uint32_t>(at(id).bits); }
  std::span<const ConstantId> elements(ConstantId id) const;

 private:
  ConstantId Intern(const Constant& row, std::span<const ConstantId> elements);
  void Grow();

  std::vector<Constant> rows_;
  std::vector<ConstantId> elements_;
  std::vector<uint64_t> hashes_;
  std::vector<uint32_t> slots_;  // open addressing; power of two; UINT32_MAX = empty
};

}  // namespace handrail::graph
