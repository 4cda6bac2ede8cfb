// An archive with some of its records taken out and others put in; the rest stays as it is.
//
// In:  an Archive, what to change.   Out: the bytes of a new archive.
//
// Records that are kept have the same full names, contents, checksums and compression, in the same
// order, each record's data at a multiple of 64 bytes, as PyTorch's reader maps tensors. What
// belongs to no record is not kept: folder entries, comments, dates. An archive that PyTorch wrote,
// edited without a change, gives the same bytes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/base/result.h"

#include "archive/archive.h"

namespace handrail {

struct ArchiveEdit {
  // Whether a record, by its name inside the archive's folder, is left out. Empty: none is.
  std::function<bool(std::string_view record_name)> removes;
  // Put in the place of the record of that name, or behind all others, in the archive's folder,
  // compressed as PyTorch would.
  struct NewRecord {
    std::string name;
    std::string content;
  };
  std::vector<NewRecord> added;
};

// kCorrupt: the archive's directory is damaged, so that the copy might lack records; kConflict: two
// records have one name; kUnsupported, kTruncated and so on: a record's bytes cannot be copied.
Result<std::string> EditArchive(const Archive& archive, const ArchiveEdit& edit);

}  // namespace handrail
