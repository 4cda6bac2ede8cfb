// The entry of this stage: recognizes a file by its content and reads PyTorch's zip archives.
//
// In:  the bytes of a file, mapped or copied.   Out: records, by name; their bytes.
// What the bytes of a record mean is for others: pickle.h reads the pickled ones.
// mobile_flatbuffer.h reads the other kind of file that PyTorch's mobile runtime knows.
//
// Format: PKWARE's APPNOTE.TXT 6.3.10 (zip), and PyTorch's habits on top of it: one leading folder
// for all records, data aligned to 64 bytes by an extra field, sizes in data descriptors. None of
// these habits is required here: archives rewritten by other zip tools read the same.
//
// Reader of our own, over zlib: minizip reports bare codes, while an error here names record,
// place, need and found; and tensors are used where they lie in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"

#include "archive/memory_budget.h"

namespace handrail {

enum class ContentKind : uint8_t {
  kEmpty,             // no bytes at all
  kZip,               // "PK" and a zip signature: Archive::Open
  kMobileFlatbuffer,  // "PTMF" at byte 4: mobile_flatbuffer.h
  kPyTorchPreview,    // "PYTORCH1": the archives of PyTorch's preview release, refused by name
  kOther,             // none of these; a debug map, perhaps
};

// By the first 8 bytes alone, never by the file's name.
ContentKind RecognizeContent(std::span<const std::byte> bytes);

// One entry of the archive's directory. Names are views into the file, bytes as they stand there:
// they may be empty, hold "..", or be invalid UTF-8. Nothing is ever extracted by name.
struct ArchiveRecord {
  // With the archive's folder taken off if it is in there ("bytecode.pkl"), else the full name.
  std::string_view name;
  std::string_view full_name;
  uint64_t size_bytes = 0;           // of the record's content
  uint64_t stored_size_bytes = 0;    // of what lies in the file; smaller if deflated
  uint64_t local_header_offset = 0;  // in the file
  uint32_t checksum = 0;             // CRC-32 of the content
  uint16_t method = 0;               // 0 stored, 8 deflated; others are listed but cannot be read
  uint16_t flags = 0;                // general purpose bits; 3: data descriptor, 11: UTF-8 name
  bool overlaps = false;             // reaches over the next record's header: cannot be read
  bool is_on_other_disk = false;     // part of a multi-disk archive, so that it cannot be read
  bool is_recovered = false;         // found by the recovery scan, not in a directory

  bool is_deflated() const { return method == 8; }
};

// The content of one record: a view into the file if it was stored, its own memory if it was
// deflated. Move-only; moving keeps `bytes()` valid.
class RecordBytes {
 public:
  std::span<const std::byte> bytes() const { return bytes_; }
  // Whether bytes() lies in the file, and so lives as long as the file does.
  bool is_view_of_file() const { return inflated_ == nullptr; }

 private:
  friend class Archive;
  std::span<const std::byte> bytes_;
  std::unique_ptr<std::byte[]> inflated_;
  MemoryCharge charge_;
};

// A zip archive over bytes that it does not own and that must outlive it. Opening reads the
// directory at the file's end and touches nothing else. Thread-safe to read, as far as each thread
// brings its own MemoryBudget.
class Archive {
 public:
  // `name` is for messages ("model.ptl: ..."). The directory's memory is taken from `budget`, which
  // must outlive the archive.
  //
  // If the directory is damaged or cut off, the records that are still intact are found by walking
  // local headers from the file's start, and warnings() says so. Walking stops where the end of a
  // record cannot be known. Only then are records' bytes touched.
  //
  // Fails with kTruncated (empty file), kUnsupported ("PYTORCH1", multi-disk), kLimit, or
  // kCorrupt/kTruncated if there is neither a directory nor an intact record.
  static Result<Archive> Open(std::span<const std::byte> bytes, std::string name,
                              MemoryBudget& budget);

  const std::string& name() const { return name_; }
  // The leading folder of the first entry, without '/'; empty if the first entry is in no folder.
  std::string_view archive_name() const { return archive_name_; }
  // In the order of the directory. Folder entries ("archive/code/") are left out.
  const std::vector<ArchiveRecord>& records() const { return records_; }
  // What is wrong with the archive although it can be read: one message each, complete with the
  // archive's name. At most kWarningsMax, the last of which says that there were more.
  const std::vector<std::string>& warnings() const { return warnings_; }
  static constexpr size_t kWarningsMax = 64;

  // The record of that name: first as a name inside the archive's folder, then as a full name; null
  // if there is none. Of several records with one name it is the first; is_ambiguous() tells.
  // Names are compared byte by byte. Takes O(log records).
  const ArchiveRecord* Find(std::string_view record_name) const;
  bool is_ambiguous(std::string_view record_name) const;

  // Where the record's stored bytes begin in the file: for tensors, which are used in place without
  // being read here. Reads the local header, and checks that it agrees with the directory and that
  // all stored bytes are inside the file and before the directory. No checksum is checked.
  Result<uint64_t> DataOffset(const ArchiveRecord& record) const;

  // The record's bytes as they lie in the file, deflated or not; checks as DataOffset.
  Result<std::span<const std::byte>> StoredBytes(const ArchiveRecord& record) const;

  // The record's content, with its checksum checked. Errors name the archive and the record:
  //   "model.ptl: record 'version': checksum is 0x12345678, need 0x9abcdef0"
  // kUnsupported: encrypted, another disk, another method; kLimit: the budget has too little left
  // (nothing was allocated); kCorrupt, kTruncated: anything else.
  Result<RecordBytes> Read(const ArchiveRecord& record, MemoryBudget& budget) const;
  // The same by name. kNotFound if there is none; kConflict if there are several: whoever asks by
  // name must not get one of two by chance.
  Result<RecordBytes> Read(std::string_view record_name, MemoryBudget& budget) const;

 private:
  Archive() = default;
  Status ReadDirectory(MemoryBudget& budget);
  // Appends to records_ what is intact, and returns why the walk ended early, if it did.
  Result<std::string> Recover(MemoryBudget& budget);
  Status AddRecord(const ArchiveRecord& record, MemoryBudget& budget);
  Status IndexRecords(MemoryBudget& budget);
  void MarkOverlaps(std::vector<uint32_t>& rows);
  void Warn(std::string_view message);
  std::span<const uint32_t> RowsOf(std::string_view record_name) const;
  Result<RecordBytes> ReadUnnamed(const ArchiveRecord& record, MemoryBudget& budget) const;
  Result<uint64_t> DataOffsetUnnamed(const ArchiveRecord& record) const;

  std::span<const std::byte> bytes_;
  std::string name_;
  std::string_view archive_name_;
  std::vector<ArchiveRecord> records_;
  std::vector<uint32_t> by_name_;    // rows of records_, sorted by (full_name, row)
  uint64_t records_end_offset_ = 0;  // no record's bytes lie at or after this offset
  std::vector<std::string> warnings_;
  MemoryCharge charge_;
};

}  // namespace handrail
