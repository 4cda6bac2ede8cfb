// A whole file as read-only bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "handrail/base/result.h"

namespace handrail {

enum class MapMode {
  // mmap: opening costs the same for every size, pages are read when touched. If another process
  // truncates the file meanwhile, touching a lost page raises SIGBUS; our own writers never
  // truncate (they write a temporary file and rename it).
  kMap,
  // read(): a private copy, for files that others may truncate or that live on failing media.
  kCopy,
};

// Owns the mapping or the copy. Moving keeps `bytes()` valid. Thread-safe to read.
class MappedFile {
 public:
  // Fails with kIo, or with kUnsupported if `path` is not a regular file.
  static Result<MappedFile> Open(const std::filesystem::path& path, MapMode mode = MapMode::kMap);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  // The path it was opened by, for messages.
  const std::string& name() const { return name_; }

 private:
  MappedFile() = default;
  void Release();

  std::string name_;
  std::span<const std::byte> bytes_;
  std::vector<std::byte> copy_;
  bool is_mapped_ = false;
};

}  // namespace handrail
