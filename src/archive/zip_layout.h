// The numbers of the zip format that reader and writer share (APPNOTE.TXT 6.3.10, sections 4.3 and
// 4.5). All fields are little-endian.
#pragma once

#include <cstdint>

namespace handrail::zip {

inline constexpr uint32_t kLocalHeaderSignature = 0x04034b50;     // "PK\3\4"
inline constexpr uint32_t kDataDescriptorSignature = 0x08074b50;  // "PK\7\8"
inline constexpr uint32_t kCentralHeaderSignature = 0x02014b50;   // "PK\1\2"
inline constexpr uint32_t kEndSignature = 0x06054b50;             // "PK\5\6"
inline constexpr uint32_t kZip64EndSignature = 0x06064b50;        // "PK\6\6"
inline constexpr uint32_t kZip64LocatorSignature = 0x07064b50;    // "PK\6\7"

// Sizes without the variable parts (name, extra field, comment).
inline constexpr uint64_t kLocalHeaderBytes = 30;
inline constexpr uint64_t kCentralHeaderBytes = 46;
inline constexpr uint64_t kEndBytes = 22;
inline constexpr uint64_t kZip64EndBytes = 56;
inline constexpr uint64_t kZip64LocatorBytes = 20;

// "See the zip64 extra field, or the zip64 end record."
inline constexpr uint16_t kIn64Bits16 = UINT16_MAX;
inline constexpr uint32_t kIn64Bits32 = UINT32_MAX;

inline constexpr uint16_t kStored = 0;
inline constexpr uint16_t kDeflated = 8;

// General purpose bits.
inline constexpr uint16_t kEncrypted = 1u << 0 | 1u << 6 | 1u << 13;
inline constexpr uint16_t kHasDataDescriptor = 1u << 3;
inline constexpr uint16_t kNameIsUtf8 = 1u << 11;

// Extra field ids.
inline constexpr uint16_t kZip64Extra = 0x0001;
inline constexpr uint16_t kPyTorchPadExtra = 0x4246;  // "FB", then bytes 'Z'

// PyTorch's alignment of record data.
inline constexpr uint64_t kDataAlignmentBytes = 64;

}  // namespace handrail::zip
