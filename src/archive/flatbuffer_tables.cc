#include "archive/flatbuffer_tables.h"

#include <algorithm>

#include <fmt/format.h>

#include "handrail/base/byte_cursor.h"

namespace handrail::flatbuffer {

template <typename T>
Result<T> Reader::Load(uint64_t offset, std::string_view what) const {
  const auto start = static_cast<size_t>(std::min<uint64_t>(offset, bytes_.size()));
  ByteCursor cursor(bytes_.subspan(start), offset);
  if constexpr (sizeof(T) == 1) {
    return cursor.U8(what);
  } else if constexpr (sizeof(T) == 2) {
    return cursor.U16(what);
  } else {
    return cursor.U32(what);
  }
}

Result<uint64_t> Reader::Follow(uint64_t place, std::string_view what) const {
  HANDRAIL_ASSIGN_OR_RETURN(const uint32_t distance, Load<uint32_t>(place, what));
  if (distance > bytes_.size() - place) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("offset {:#x}: {}: leads {} bytes on, have {} up to the end", place,
                            what, distance, bytes_.size() - place),
                place);
  }
  return place + distance;
}

Result<Table> Reader::TableFrom(uint64_t offset, std::string_view what) const {
  HANDRAIL_ASSIGN_OR_RETURN(const uint32_t back_bits, Load<uint32_t>(offset, what));
  const int64_t vtable = static_cast<int64_t>(offset) - static_cast<int32_t>(back_bits);
  if (vtable < 0 || static_cast<uint64_t>(vtable) >= bytes_.size()) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("offset {:#x}: {}: its vtable is at {}, need 0 to {}", offset, what,
                            vtable, bytes_.size()),
                offset);
  }
  Table table{.offset = offset, .vtable_offset = static_cast<uint64_t>(vtable)};
  HANDRAIL_ASSIGN_OR_RETURN(table.vtable_bytes, Load<uint16_t>(table.vtable_offset, what));
  HANDRAIL_ASSIGN_OR_RETURN(table.table_bytes, Load<uint16_t>(table.vtable_offset + 2, what));
  if (table.vtable_bytes > bytes_.size() - table.vtable_offset ||
      table.table_bytes > bytes_.size() - table.offset) {
    return Fail(
        ErrorCode::kTruncated,
        fmt::format("offset {:#x}: {}: need {} bytes, and {} for its vtable at {:#x}, have "
                    "{} and {}",
                    offset, what, table.table_bytes, table.vtable_bytes, table.vtable_offset,
                    bytes_.size() - table.offset, bytes_.size() - table.vtable_offset),
        offset);
  }
  return table;
}

Result<Table> Reader::Root(std::string_view what) const {
  HANDRAIL_ASSIGN_OR_RETURN(const uint64_t offset, Follow(0, what));
  return TableFrom(offset, what);
}

Result<std::optional<uint64_t>> Reader::Place(const Table& table, Field field,
                                              uint32_t size_bytes) const {
  const uint32_t entry = 4 + 2u * field.slot;
  if (entry + 2 > table.vtable_bytes) return std::nullopt;
  HANDRAIL_ASSIGN_OR_RETURN(const uint16_t in_table,
                            Load<uint16_t>(table.vtable_offset + entry, field.name));
  if (in_table == 0) return std::nullopt;
  if (in_table + size_bytes > table.table_bytes) {
    return Fail(
        ErrorCode::kCorrupt,
        fmt::format("offset {:#x}: {}: need {} bytes at {} in the table, have a table of {}",
                    table.offset, field.name, size_bytes, in_table, table.table_bytes),
        table.offset);
  }
  return table.offset + in_table;
}

Result<std::optional<uint64_t>> Reader::Target(const Table& table, Field field) const {
  HANDRAIL_ASSIGN_OR_RETURN(const auto place, Place(table, field, 4));
  if (!place) return std::nullopt;
  return Follow(*place, field.name);
}

Result<uint8_t> Reader::U8(const Table& table, Field field, uint8_t default_value) const {
  HANDRAIL_ASSIGN_OR_RETURN(const auto place, Place(table, field, 1));
  if (!place) return default_value;
  return Load<uint8_t>(*place, field.name);
}

Result<uint32_t> Reader::U32(const Table& table, Field field, uint32_t default_value) const {
  HANDRAIL_ASSIGN_OR_RETURN(const auto place, Place(table, field, 4));
  if (!place) return default_value;
  return Load<uint32_t>(*place, field.name);
}

Result<std::optional<Table>> Reader::TableOf(const Table& table, Field field) const {
  HANDRAIL_ASSIGN_OR_RETURN(const auto target, Target(table, field));
  if (!target) return std::nullopt;
  return TableFrom(*target, field.name);
}

Result<Vector> Reader::VectorOf(const Table& table, Field field, uint32_t element_bytes) const {
  HANDRAIL_ASSIGN_OR_RETURN(const auto target, Target(table, field));
  if (!target) return Vector{};
  HANDRAIL_ASSIGN_OR_RETURN(const uint32_t count, Load<uint32_t>(*target, field.name));
  const uint64_t offset = *target + 4;
  const uint64_t have = bytes_.size() - offset;
  if (count > have / element_bytes) {
    return Fail(ErrorCode::kTruncated,
                fmt::format("offset {:#x}: {}: need {} elements of {} bytes, have {} bytes", offset,
                            field.name, count, element_bytes, have),
                offset);
  }
  return Vector{offset, count};
}

Result<std::string_view> Reader::TextOf(const Table& table, Field field) const {
  HANDRAIL_ASSIGN_OR_RETURN(const Vector text, VectorOf(table, field, 1));
  return AsText(BytesOf(text, 1));
}

Result<Table> Reader::TableAt(const Vector& vector, uint32_t index, std::string_view what) const {
  HANDRAIL_ASSIGN_OR_RETURN(const uint64_t offset,
                            Follow(vector.offset + uint64_t{4} * index, what));
  return TableFrom(offset, what);
}

}  // namespace handrail::flatbuffer
