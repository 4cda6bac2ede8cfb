// Properties of the zip reader (archive/archive.h), whatever the bytes:
// - it does not crash, and takes no more than its budget, all of which it gives back;
// - a record that is a view lies in the file, where DataOffset says;
// - a record that it reads, copied to a new archive, is read from there just the same.
#include "handrail/base/byte_cursor.h"
#include "handrail/base/check.h"

#include "archive/archive.h"
#include "archive/zip_writer.h"

using handrail::Archive, handrail::ArchiveRecord, handrail::AsText, handrail::MemoryBudget;

namespace {

void CheckCopy(const Archive& archive, const ArchiveRecord& record, std::string_view content) {
  std::string copy;
  handrail::ZipWriter writer("folder", copy);
  if (!writer.AddCopy(archive, record)) return;  // a name of 64 KiB with the folder's on top
  HANDRAIL_CHECK(writer.Finish().has_value());
  MemoryBudget budget(copy.size() + content.size());
  const auto reopened = Archive::Open(handrail::AsBytes(copy), "copy", budget);
  HANDRAIL_CHECK(reopened.has_value() && reopened->records().size() == 1);
  HANDRAIL_CHECK(AsText(reopened->Read(record.name, budget)->bytes()) == content);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  MemoryBudget budget(size);
  {
    const auto archive = Archive::Open(bytes, "input", budget);
    if (!archive) return 0;
    for (const ArchiveRecord& record : archive->records()) {
      const auto content = archive->Read(record, budget);
      if (!content || record.name.empty() || record.name.ends_with('/')) continue;
      const uint64_t offset = archive->DataOffset(record).value();
      HANDRAIL_CHECK(!content->is_view_of_file() ||
                     content->bytes().data() == bytes.data() + offset);
      CheckCopy(*archive, record, AsText(content->bytes()));
    }
  }
  HANDRAIL_CHECK(budget.left_bytes() == budget.total_bytes());
  return 0;
}
