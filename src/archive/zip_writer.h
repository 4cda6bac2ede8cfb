// Writes zip archives as PyTorch's PyTorchStreamWriter does: the same records in the same order
// give the same bytes, deflated records apart (another deflate chooses other matches). The mirror
// of archive.h.
//
// In:  records.   Out: bytes to a sink, front to back, each once.
//
// What PyTorch writes: all records in one folder; every record's data at a multiple of 64 bytes, by
// an extra field "FB" filled with 'Z'; dates 0; a data descriptor after each record that is not
// empty; zip64 end records always.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "handrail/base/result.h"

#include "archive/archive.h"

namespace handrail {

enum class ZipMethod : uint8_t {
  kStored,
  // At zlib's best level. PyTorch deflates only records over 200 bytes that are code/*.py,
  // *.debug_pkl or callstack_debug_map.pkl (PyTorchRecordMethod).
  kDeflated,
};

// What PyTorch would choose for a record.
ZipMethod PyTorchRecordMethod(std::string_view record_name, uint64_t size_bytes);

class ZipWriter {
 public:
  // Takes the next bytes of the file. A failure ends writing and is what the writer returns.
  using Sink = std::function<Status(std::span<const std::byte>)>;

  // Every record goes in the folder `archive_name`; PyTorch's is the file's name without its
  // suffix, or "archive". If it is empty, records go in no folder.
  ZipWriter(std::string archive_name, Sink sink);
  // Appends to `out`, which must outlive the writer.
  ZipWriter(std::string archive_name, std::string& out);

  // Adds a record. kConflict: the name was added before; kInvalidArgument: a name of more than
  // 65535 bytes, folder included; any error of the sink.
  Status Add(std::string_view record_name, std::span<const std::byte> content,
             ZipMethod method = ZipMethod::kStored);
  Status Add(std::string_view record_name, std::string_view content,
             ZipMethod method = ZipMethod::kStored);
  // Adds a record of another archive under the same name (its full one, if records go in no
  // folder), its stored bytes as they are (deflated ones are not inflated). Checks where the bytes
  // lie, but not their checksum, which is copied. kUnsupported: neither stored nor deflated.
  Status AddCopy(const Archive& archive, const ArchiveRecord& record);

  // Writes the directory. Nothing may be added afterwards.
  Status Finish();

 private:
  struct Entry {
    std::string full_name;
    uint64_t offset;
    uint64_t size_bytes;
    uint64_t stored_size_bytes;
    uint32_t checksum;
    bool is_deflated;
  };
  Status AddStored(std::string_view record_name, std::span<const std::byte> stored,
                   uint64_t size_bytes, uint32_t checksum, bool is_deflated);
  Status Write(std::span<const std::byte> bytes);

  std::string archive_name_;
  Sink sink_;
  uint64_t offset_ = 0;
  std::vector<Entry> entries_;
  std::unordered_set<std::string> names_;
};

}  // namespace handrail
