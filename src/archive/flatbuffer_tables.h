// Tables, vectors and strings of a flatbuffer, reached through checked offsets.
//
// Encoding (https://flatbuffers.dev/internals/): a table begins with the distance back to its
// vtable, which begins with two 16-bit sizes, its own and the table's, and then holds one 16-bit
// offset into the table per field, 0 for a field that has its default value. What does not fit into
// a table is reached by a 32-bit distance forward. A vector is its 32-bit count, then its elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "handrail/base/result.h"

namespace handrail::flatbuffer {

// A field of a table of the schema: its position in the vtable, and its name for messages.
struct Field {
  uint16_t slot;
  std::string_view name;
};

struct Table {
  uint64_t offset = 0;  // in the file, as all offsets here
  uint64_t vtable_offset = 0;
  uint16_t vtable_bytes = 0;
  uint16_t table_bytes = 0;
};

// `count` elements from `offset` on, all of which are in the file. Empty if the field is absent.
struct Vector {
  uint64_t offset = 0;
  uint32_t count = 0;
};

// Does not own the bytes. Every function fails with kTruncated or kCorrupt, "offset 0x48:
// module.ivalues: need 12 bytes, have 3", when what it follows leads out of them.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // The table that the file's first four bytes lead to.
  Result<Table> Root(std::string_view what) const;

  // Fields that stand in the table itself.
  Result<uint8_t> U8(const Table& table, Field field, uint8_t default_value) const;
  Result<uint32_t> U32(const Table& table, Field field, uint32_t default_value) const;

  // Fields that are reached by a distance. An absent table is nothing, an absent text is empty.
  Result<std::optional<Table>> TableOf(const Table& table, Field field) const;
  Result<Vector> VectorOf(const Table& table, Field field, uint32_t element_bytes) const;
  Result<std::string_view> TextOf(const Table& table, Field field) const;

  // An element of a vector of tables; `index` < count.
  Result<Table> TableAt(const Vector& vector, uint32_t index, std::string_view what) const;
  // The bytes of a vector.
  std::span<const std::byte> BytesOf(const Vector& vector, uint32_t element_bytes) const {
    return bytes_.subspan(static_cast<size_t>(vector.offset),
                          static_cast<size_t>(vector.count) * element_bytes);
  }

 private:
  template <typename T>
  Result<T> Load(uint64_t offset, std::string_view what) const;
  // Where the field's value stands; nothing if it is absent.
  Result<std::optional<uint64_t>> Place(const Table& table, Field field, uint32_t size_bytes) const;
  // Where the distance at `place` leads.
  Result<uint64_t> Follow(uint64_t place, std::string_view what) const;
  Result<std::optional<uint64_t>> Target(const Table& table, Field field) const;
  Result<Table> TableFrom(uint64_t offset, std::string_view what) const;

  std::span<const std::byte> bytes_;
};

}  // namespace handrail::flatbuffer
