// Zip archives for tests, byte by byte: what other tools than ours write, and what no tool should.
#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

#include "handrail/base/byte_cursor.h"

namespace handrail {

inline std::string LittleEndian(uint64_t value, unsigned size) {
  std::string out;
  for (unsigned i = 0; i < size; ++i) out += static_cast<char>(i < 8 ? value >> (8 * i) : 0);
  return out;
}

inline uint32_t Crc(std::string_view text) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

// Overwrites the bytes at `offset`.
inline void Patch(std::string& bytes, size_t offset, std::string_view with) {
  bytes.replace(offset, with.size(), with);
}

// One record as headers describe it; what is not said follows from `data`, which is what is stored.
struct ImageRecord {
  std::string name = {};
  std::string data = {};
  uint16_t method = 0;
  uint16_t flags = 0;
  uint32_t checksum = Crc(data);
  uint32_t size = static_cast<uint32_t>(data.size());
  uint32_t stored_size = static_cast<uint32_t>(data.size());
  std::string local_extra = {};
  std::string central_extra = {};
  std::string descriptor = {};
};

// An archive as Python's zipfile would write it: nothing is aligned, no zip64, sizes up front. The
// records' offsets and the directory's are returned through the pointers.
inline std::string PlainZip(const std::vector<ImageRecord>& records, std::string_view comment = "",
                            std::vector<uint32_t> offsets = {}) {
  std::string out;
  std::string directory;
  for (size_t i = 0; i < records.size(); ++i) {
    const ImageRecord& record = records[i];
    if (offsets.size() <= i) offsets.push_back(static_cast<uint32_t>(out.size()));
    const bool is_deferred = (record.flags & 8) != 0;
    const std::string middle =
        LittleEndian(record.flags, 2) + LittleEndian(record.method, 2) + LittleEndian(0, 4);
    const std::string sizes = LittleEndian(record.checksum, 4) +
                              LittleEndian(record.stored_size, 4) + LittleEndian(record.size, 4);
    out += "PK\3\4" + LittleEndian(20, 2) + middle + (is_deferred ? LittleEndian(0, 12) : sizes) +
           LittleEndian(record.name.size(), 2) + LittleEndian(record.local_extra.size(), 2) +
           record.name + record.local_extra + record.data + record.descriptor;
    directory += "PK\1\2" + LittleEndian(20, 2) + LittleEndian(20, 2) + middle + sizes +
                 LittleEndian(record.name.size(), 2) +
                 LittleEndian(record.central_extra.size(), 2) + LittleEndian(0, 10) +
                 LittleEndian(offsets[i], 4) + record.name + record.central_extra;
  }
  const size_t directory_offset = out.size();
  out += directory;
  out += "PK\5\6" + LittleEndian(0, 4) + LittleEndian(records.size(), 2) +
         LittleEndian(records.size(), 2) + LittleEndian(directory.size(), 4) +
         LittleEndian(directory_offset, 4) + LittleEndian(comment.size(), 2);
  out += comment;
  return out;
}

// A file of test/data.
inline std::string Fixture(std::string_view name) {
  std::ifstream file(std::string(HANDRAIL_SOURCE_DIR "/test/data/").append(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace handrail
