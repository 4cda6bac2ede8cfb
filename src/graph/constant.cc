#include "handrail/graph/constant.h"

#include <algorithm>
#include <bit>

#include "handrail/base/check.h"
#include "handrail/base/interned_rows.h"

namespace handrail::graph {
namespace {

constexpr uint32_t kEmptySlot = UINT32_MAX;

bool HasElements(ConstantKind kind) {
  return kind == ConstantKind::kList || kind == ConstantKind::kTuple || kind == ConstantKind::kDict;
}

}  // namespace

ConstantTable::ConstantTable() : slots_(64, kEmptySlot) {
  Intern({ConstantKind::kNone, types::kNone}, {});
}

ConstantId ConstantTable::Bool(bool value) {
  return Intern({ConstantKind::kBool, types::kBool, value}, {});
}
ConstantId ConstantTable::Int(int64_t value) {
  return Intern({ConstantKind::kInt, types::kInt, static_cast<uint64_t>(value)}, {});
}
ConstantId ConstantTable::Float(double value) {
  return Intern({ConstantKind::kFloat, types::kFloat, std::bit_cast<uint64_t>(value)}, {});
}
ConstantId ConstantTable::Complex(std::complex<double> value) {
  return Intern({ConstantKind::kComplex, types::kComplex, std::bit_cast<uint64_t>(value.real()),
                 std::bit_cast<uint64_t>(value.imag())},
                {});
}
ConstantId ConstantTable::String(StringId value) {
  return Intern({ConstantKind::kString, types::kString, value.index}, {});
}
ConstantId ConstantTable::Device(StringId value) {
  return Intern({ConstantKind::kDevice, types::kDevice, value.index}, {});
}
ConstantId ConstantTable::Function(TypeId type, StringId qualified_name) {
  return Intern({ConstantKind::kFunction, type, qualified_name.index}, {});
}
ConstantId ConstantTable::Enum(TypeId type, StringId member) {
  return Intern({ConstantKind::kEnum, type, member.index}, {});
}
ConstantId ConstantTable::External(TypeId type, uint32_t row) {
  return Intern({ConstantKind::kExternal, type, row}, {});
}
ConstantId ConstantTable::Compound(ConstantKind kind, TypeId type,
                                   std::span<const ConstantId> elements) {
  HANDRAIL_CHECK(HasElements(kind));
  return Intern({kind, type}, elements);
}

double ConstantTable::float_value(ConstantId id) const {
  return std::bit_cast<double>(at(id).bits);
}

std::complex<double> ConstantTable::complex_value(ConstantId id) const {
  return {std::bit_cast<double>(at(id).bits), std::bit_cast<double>(at(id).more_bits)};
}

std::span<const ConstantId> ConstantTable::elements(ConstantId id) const {
  if (!HasElements(at(id).kind)) return {};
  return std::span(elements_).subspan(at(id).bits, at(id).more_bits);
}

ConstantId ConstantTable::Intern(const Constant& row, std::span<const ConstantId> elements) {
  uint64_t hash = MixHash(static_cast<uint64_t>(row.kind), row.type.index);
  hash = MixHash(MixHash(hash, row.bits), row.more_bits);
  for (ConstantId element : elements) hash = MixHash(hash, element.index);
  const bool has_elements = HasElements(row.kind);
  const size_t mask = slots_.size() - 1;
  size_t slot = static_cast<size_t>(hash) & mask;
  for (; slots_[slot] != kEmptySlot; slot = (slot + 1) & mask) {
    const uint32_t index = slots_[slot];
    if (hashes_[index] != hash) continue;
    const Constant& other = rows_[index];
    if (other.kind != row.kind || other.type != row.type) continue;
    if (has_elements ? std::ranges::equal(this->elements(ConstantId{index}), elements)
                     : other.bits == row.bits && other.more_bits == row.more_bits) {
      return ConstantId{index};
    }
  }
  HANDRAIL_CHECK(rows_.size() < limits::kRowsMax);
  const ConstantId id{static_cast<uint32_t>(rows_.size())};
  Constant added = row;
  if (has_elements) {
    added.bits = elements_.size();
    added.more_bits = elements.size();
    // `elements` may be a view of elements_, which insert would move.
    const std::vector<ConstantId> copied(elements.begin(), elements.end());
    elements_.insert(elements_.end(), copied.begin(), copied.end());
  }
  rows_.push_back(added);
  hashes_.push_back(hash);
  slots_[slot] = id.index;
  if (rows_.size() * 2 > slots_.size()) Grow();
  return id;
}

void ConstantTable::Grow() {
  slots_.assign(slots_.size() * 2, kEmptySlot);
  const size_t mask = slots_.size() - 1;
  for (uint32_t index = 0; index < rows_.size(); ++index) {
    size_t slot = static_cast<size_t>(hashes_[index]) & mask;
    while (slots_[slot] != kEmptySlot) slot = (slot + 1) & mask;
    slots_[slot] = index;
  }
}

}  // namespace handrail::graph
