// Where the code of an archive's file was written first: its debug_pkl record.
//
// In:  (offset in the code file, source range, tag) entries, in ascending order; see
//      torch_debug/tagged_ranges.h for the two forms of the record.
// Out: for a range of the code file, the range of the last entry at or before its start, as
//      PyTorch's findSourceRangeThatGenerated gives it; the range itself if there is none.
//
// Sources are assembled when the first of their ranges is asked for.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "handrail/base/result.h"
#include "handrail/graph/origin.h"

#include "archive/archive.h"
#include "archive/pickle.h"
#include "graph/emit.h"

namespace handrail::graph {

class RecordedRanges final : public RangeMapper {
 public:
  // Ranges are those of `code_file` until a record is read. All must outlive this.
  RecordedRanges(OriginTable& origins, SourceId code_file, MemoryBudget& budget)
      : origins_(origins), code_file_(code_file), budget_(budget), charge_(budget) {}

  // Uses a record. If it fails, ranges stay those of the code file.
  Status Read(RecordBytes record);
  // Whether a range that was asked for could not be read; the first reason, for a warning.
  const std::optional<Error>& fault() const { return fault_; }

  RangeId RangeOf(script::TextRange range) override;

 private:
  struct Entry {
    int64_t offset;
    PickleValue range;
    RangeId id;  // none: not asked for so far
    bool is_damaged = false;
  };
  Result<RangeId> ReadRange(PickleValue range);
  Result<SourceId> SourceOf(PickleValue source);
  Result<SourceId> ReadSource(PickleValue source);
  Result<std::string_view> TextAt(PickleValue index) const;
  // The text that a list of indices into the record's texts spells.
  Result<std::string_view> TextOf(PickleValue lines);

  OriginTable& origins_;
  SourceId code_file_;
  MemoryBudget& budget_;
  MemoryCharge charge_;
  std::optional<RecordBytes> record_;
  std::optional<Pickle> pickle_;
  std::span<const PickleValue> texts_;  // of the record's table; empty in the old form
  std::vector<Entry> entries_;
  // Both by identity. A source without anything (none) is PyTorch's way to write "no source".
  std::unordered_map<uint64_t, SourceId> sources_;
  std::unordered_map<uint64_t, std::string_view> assembled_;
  std::optional<Error> fault_;
};

}  // namespace handrail::graph
