#include "archive/zip_writer.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "handrail/base/byte_cursor.h"
#include "handrail/base/check.h"

#include "archive/quoted.h"
#include "archive/zip_layout.h"

namespace handrail {
namespace {

constexpr uint64_t kDeflatedOverBytes = 200;

// PyTorch's writer (miniz) says 0 for what it stores and 2.0 for what it deflates.
constexpr uint16_t VersionNeeded(bool is_deflated) {
  return is_deflated ? 20 : 0;
}

// Only what has data has a data descriptor.
uint16_t Flags(uint64_t stored_size_bytes) {
  return stored_size_bytes == 0 ? zip::kNameIsUtf8
                                : static_cast<uint16_t>(zip::kHasDataDescriptor | zip::kNameIsUtf8);
}

// The bytes of a header.
class Fields {
 public:
  Fields& U16(uint64_t value) { return Append(value, 2); }
  Fields& U32(uint64_t value) { return Append(value, 4); }
  Fields& U64(uint64_t value) { return Append(value, 8); }
  // The value, or "in 64 bits".
  Fields& U32OrIn64(uint64_t value) { return U32(std::min<uint64_t>(value, zip::kIn64Bits32)); }
  Fields& U16OrIn64(uint64_t value) { return U16(std::min<uint64_t>(value, zip::kIn64Bits16)); }
  Fields& Text(std::string_view text) {
    out_ += text;
    return *this;
  }
  Fields& Fill(size_t count, char byte) {
    out_.append(count, byte);
    return *this;
  }
  const std::string& bytes() const { return out_; }

 private:
  Fields& Append(uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) out_ += static_cast<char>(value >> (8 * i));
    return *this;
  }
  std::string out_;
};

bool IsIn64(uint64_t value) {
  return value >= zip::kIn64Bits32;
}

// The zip64 extra field of a header: those of the values that need it, or nothing.
std::string Zip64Extra(uint64_t size_bytes, uint64_t stored_size_bytes, uint64_t offset) {
  Fields values;
  if (IsIn64(size_bytes)) values.U64(size_bytes);
  if (IsIn64(stored_size_bytes)) values.U64(stored_size_bytes);
  if (IsIn64(offset)) values.U64(offset);
  if (values.bytes().empty()) return {};
  Fields extra;
  extra.U16(zip::kZip64Extra).U16(values.bytes().size()).Text(values.bytes());
  return extra.bytes();
}

uint32_t ChecksumOf(std::span<const std::byte> content) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
}

// A raw deflate stream.
Result<std::string> Deflate(std::span<const std::byte> content) {
  constexpr int kMemoryLevel = 9;
  if (content.size() > std::numeric_limits<uInt>::max()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("cannot deflate {} bytes", content.size()));
  }
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return Fail(ErrorCode::kLimit, "zlib has no memory to deflate with");
  }
  std::string out(deflateBound(&stream, content.size()), '\0');
  // zlib's next_in is not const unless ZLIB_CONST is defined; it is only read.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  HANDRAIL_CHECK(status == Z_STREAM_END);
  return out;
}

}  // namespace

ZipMethod PyTorchRecordMethod(std::string_view record_name, uint64_t size_bytes) {
  const bool is_compressible = (record_name.starts_with("code/") && record_name.ends_with(".py")) ||
                               record_name.ends_with(".debug_pkl") ||
                               record_name == "callstack_debug_map.pkl";
  return is_compressible && size_bytes > kDeflatedOverBytes ? ZipMethod::kDeflated
                                                            : ZipMethod::kStored;
}

ZipWriter::ZipWriter(std::string archive_name, Sink sink)
    : archive_name_(std::move(archive_name)), sink_(std::move(sink)) {}

ZipWriter::ZipWriter(std::string archive_name, std::string& out)
    : ZipWriter(std::move(archive_name), [&out](std::span<const std::byte> bytes) -> Status {
        out += AsText(bytes);
        return {};
      }) {}

Status ZipWriter::Write(std::span<const std::byte> bytes) {
  HANDRAIL_RETURN_IF_ERROR(sink_(bytes));
  offset_ += bytes.size();
  return {};
}

Status ZipWriter::Add(std::string_view record_name, std::span<const std::byte> content,
                      ZipMethod method) {
  const uint32_t checksum = ChecksumOf(content);
  if (method == ZipMethod::kStored) {
    return AddStored(record_name, content, content.size(), checksum, /*is_deflated=*/false);
  }
  HANDRAIL_ASSIGN_OR_RETURN(const std::string deflated, Deflate(content));
  return AddStored(record_name, AsBytes(deflated), content.size(), checksum, /*is_deflated=*/true);
}

Status ZipWriter::Add(std::string_view record_name, std::string_view content, ZipMethod method) {
  return Add(record_name, AsBytes(content), method);
}

Status ZipWriter::AddCopy(const Archive& archive, const ArchiveRecord& record) {
  HANDRAIL_ASSIGN_OR_RETURN(const auto stored, archive.StoredBytes(record));
  if (record.method != zip::kStored && record.method != zip::kDeflated) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: record {}: need method 0 (stored) or 8 (deflated), have {}",
                            archive.name(), Quoted(record.name), record.method));
  }
  return AddStored(archive_name_.empty() ? record.full_name : record.name, stored,
                   record.size_bytes, record.checksum, record.is_deflated());
}

Status ZipWriter::AddStored(std::string_view record_name, std::span<const std::byte> stored,
                            uint64_t size_bytes, uint32_t checksum, bool is_deflated) {
  Entry entry{archive_name_.empty() ? std::string(record_name)
                                    : fmt::format("{}/{}", archive_name_, record_name),
              offset_,
              size_bytes,
              stored.size(),
              checksum,
              is_deflated};
  const std::string& name = entry.full_name;
  if (name.empty() || name.size() > UINT16_MAX) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("record {}: a name of {} bytes, need 1 to {}", Quoted(record_name),
                            name.size(), UINT16_MAX));
  }
  if (!names_.insert(name).second) {
    return Fail(ErrorCode::kConflict,
                fmt::format("record {}: was added before", Quoted(record_name)));
  }

  // As PyTorch: the sizes are in the local header's zip64 field if either size or the record's
  // offset needs it, else they are 0 there and only the data descriptor and the directory know.
  std::string extra;
  if (IsIn64(entry.size_bytes) || IsIn64(entry.stored_size_bytes) || IsIn64(entry.offset)) {
    extra = Zip64Extra(entry.size_bytes, entry.stored_size_bytes, entry.offset);
  }
  const uint64_t unpadded = offset_ + zip::kLocalHeaderBytes + name.size() + extra.size() + 4;
  const uint64_t pad_bytes =
      (zip::kDataAlignmentBytes - unpadded % zip::kDataAlignmentBytes) % zip::kDataAlignmentBytes;
  Fields local;
  local.U32(zip::kLocalHeaderSignature)
      .U16(VersionNeeded(is_deflated))
      .U16(Flags(entry.stored_size_bytes))
      .U16(is_deflated ? zip::kDeflated : zip::kStored)
      .U32(0)  // time, date
      .U32(0)  // checksum: in the data descriptor
      .U32(0)  // sizes: in the data descriptor
      .U32(0)
      .U16(name.size())
      .U16(extra.size() + 4 + pad_bytes)
      .Text(name)
      .Text(extra)
      .U16(zip::kPyTorchPadExtra)
      .U16(pad_bytes)
      .Fill(pad_bytes, 'Z');
  HANDRAIL_RETURN_IF_ERROR(Write(AsBytes(local.bytes())));
  if (!stored.empty()) {
    HANDRAIL_RETURN_IF_ERROR(Write(stored));
    Fields descriptor;
    descriptor.U32(zip::kDataDescriptorSignature).U32(checksum);
    if (extra.empty()) {
      descriptor.U32(entry.stored_size_bytes).U32(entry.size_bytes);
    } else {
      descriptor.U64(entry.stored_size_bytes).U64(entry.size_bytes);
    }
    HANDRAIL_RETURN_IF_ERROR(Write(AsBytes(descriptor.bytes())));
  }
  entries_.push_back(std::move(entry));
  return {};
}

Status ZipWriter::Finish() {
  // What miniz puts in its zip64 end record: made on Unix by version 3.0, needs version 4.5.
  constexpr uint16_t kMadeBy = 0x031e;
  constexpr uint16_t kNeeded = 45;
  const uint64_t directory_offset = offset_;
  for (const Entry& entry : entries_) {
    const std::string extra = Zip64Extra(entry.size_bytes, entry.stored_size_bytes, entry.offset);
    Fields central;
    central.U32(zip::kCentralHeaderSignature)
        .U16(0)  // made by
        .U16(VersionNeeded(entry.is_deflated))
        .U16(Flags(entry.stored_size_bytes))
        .U16(entry.is_deflated ? zip::kDeflated : zip::kStored)
        .U32(0)  // time, date
        .U32(entry.checksum)
        .U32OrIn64(entry.stored_size_bytes)
        .U32OrIn64(entry.size_bytes)
        .U16(entry.full_name.size())
        .U16(extra.size())
        .U16(0)  // comment
        .U16(0)  // disk
        .U16(0)  // attributes
        .U32(0)
        .U32OrIn64(entry.offset)
        .Text(entry.full_name)
        .Text(extra);
    HANDRAIL_RETURN_IF_ERROR(Write(AsBytes(central.bytes())));
  }
  const uint64_t end64_offset = offset_;
  const uint64_t directory_bytes = end64_offset - directory_offset;
  Fields end;
  end.U32(zip::kZip64EndSignature)
      .U64(zip::kZip64EndBytes - 12)  // of what follows this field
      .U16(kMadeBy)
      .U16(kNeeded)
      .U32(0)  // disks
      .U32(0)
      .U64(entries_.size())
      .U64(entries_.size())
      .U64(directory_bytes)
      .U64(directory_offset);
  end.U32(zip::kZip64LocatorSignature).U32(0).U64(end64_offset).U32(1);
  end.U32(zip::kEndSignature)
      .U16(0)  // disks
      .U16(0)
      .U16OrIn64(entries_.size())
      .U16OrIn64(entries_.size())
      .U32OrIn64(directory_bytes)
      .U32OrIn64(directory_offset)
      .U16(0);  // comment
  return Write(AsBytes(end.bytes()));
}

}  // namespace handrail
