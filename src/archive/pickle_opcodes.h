// The pickle opcodes as an enum, and how a scalar's opcode says where its bytes are. Shared by the
// parser, the values (which decode scalars when asked) and the writer.
#pragma once

#include <cstdint>
#include <string_view>

namespace handrail {

enum class PickleOpcode : uint8_t {
#define HANDRAIL_PICKLE_OPCODE(name, byte, text, meaning) name = (byte),
#include "archive/pickle_opcodes.def"
};

// "BINGET", or "" if it is none that we read.
std::string_view ToString(PickleOpcode opcode);

// Little-endian; the caller has checked that the bytes are there.
template <typename T>
T LoadLittleEndian(const uint8_t* bytes) {
  T value = 0;
  for (unsigned i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | static_cast<T>(static_cast<T>(bytes[i]) << (8 * i)));
  }
  return value;
}

// How many bytes of length follow the opcode of a text, of bytes or of a long integer; 0 for other
// opcodes.
constexpr unsigned LengthBytes(PickleOpcode opcode) {
  switch (opcode) {
    case PickleOpcode::kShortBinString:
    case PickleOpcode::kShortBinUnicode:
    case PickleOpcode::kShortBinBytes:
    case PickleOpcode::kLong1:
      return 1;
    case PickleOpcode::kBinString:
    case PickleOpcode::kBinUnicode:
    case PickleOpcode::kBinBytes:
    case PickleOpcode::kLong4:
      return 4;
    case PickleOpcode::kBinUnicode8:
    case PickleOpcode::kBinBytes8:
      return 8;
    default:
      return 0;
  }
}

// The length itself, from `LengthBytes(opcode)` bytes. The signed lengths of BINSTRING and LONG4
// read as unsigned: negative ones are longer than any pickle.
inline uint64_t LoadLength(const uint8_t* bytes, unsigned length_bytes) {
  switch (length_bytes) {
    case 1:
      return *bytes;
    case 4:
      return LoadLittleEndian<uint32_t>(bytes);
    default:
      return LoadLittleEndian<uint64_t>(bytes);
  }
}

// Two's complement of `size` bytes, at most 8; no bytes are 0.
inline int64_t LoadLong(const uint8_t* bytes, unsigned size) {
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i) value |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  if (size == 0 || size == 8) return static_cast<int64_t>(value);
  const unsigned unused_bits = 64 - 8 * size;
  return static_cast<int64_t>(value << unused_bits) >> unused_bits;
}

}  // namespace handrail
