// Typed row numbers. An id is the number of a row in one table, and its type says which table.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace handrail {

template <typename Tag>
struct Id {
  uint32_t index = UINT32_MAX;

  static constexpr Id none() { return Id{UINT32_MAX}; }
  constexpr bool is_none() const { return index == UINT32_MAX; }
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;
};

}  // namespace handrail

template <typename Tag>
struct std::hash<handrail::Id<Tag>> {
  size_t operator()(handrail::Id<Tag> id) const noexcept { return std::hash<uint32_t>()(id.index); }
};
