// What tags stand for: the source ranges of an archive's debug_pkl records.
//
// In:  the archive's *.debug_pkl records, in the order of its directory.
// Out: RangeId by tag, for callstack_map.h.
//
// A record, in one of two forms (PyTorch 1.12 and up write the second):
//   (entry, ...)                                            sources hold their text
//   ("FORMAT_WITH_STRING_TABLE", (text, ...), (entry, ...))   sources hold indices into the texts
//   entry  = (offset in the .py file, range, tag)           before 1.9 without tag
//   range  = (source, start, end)                           byte offsets in the source's text
//   source: source_table.h
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "handrail/debug_info/debug_info_builder.h"

#include "archive/memory_budget.h"
#include "archive/pickle.h"
#include "torch_debug/int64_index.h"
#include "torch_debug/source_table.h"
#include "torch_debug/warning_list.h"

namespace handrail {

// What PyTorch writes for a range without a tag.
inline constexpr int64_t kNoTag = -1;
// What a record with a text table begins with.
inline constexpr std::string_view kStringTableForm = "FORMAT_WITH_STRING_TABLE";
// What the names of these records end with; before it stands that of the code file.
inline constexpr std::string_view kRangesSuffix = ".debug_pkl";

// A record, in either form. Views of its pickle.
struct RangesRecord {
  std::span<const PickleValue> texts;  // of its text table; empty in the old form
  std::span<const PickleValue> entries;
};
Result<RangesRecord> ReadRangesRecord(const Pickle& pickle);

class TaggedRanges {
 public:
  enum class Use : uint8_t {
    kTagged,      // only ranges that are asked for by tag become ranges of the debug info
    kEverything,  // all of them, with or without tag
  };

  // All must outlive this.
  TaggedRanges(Use use, DebugInfoBuilder& builder, MemoryBudget& budget, WarningList& warnings);

  // Reads a record. What is wrong with it becomes warnings, and the rest is used.
  void AddRecord(std::string_view record_name, std::span<const std::byte> content);
  // Ends reading: from now on tags can be asked for. If a tag was defined more than once, the first
  // readable definition counts, as in PyTorch; definitions that differ are a warning.
  void Index();

  // The range of a tag; a gap for kNoTag (kNotRecorded) and for tags that no record defines.
  RangeId Find(int64_t tag);
  // The tags that are defined, each once, those that come first in the archive first.
  std::vector<int64_t> DefinedTags() const;
  // Whether Find gives this for tags that no record defines.
  bool IsUndefined(RangeId range) const { return range == undefined_; }

 private:
  struct Definition {
    int64_t tag;
    uint64_t start;
    uint64_t end;
    SourceId source;  // none: `range` is set
    RangeId range;    // none: not asked for so far
    uint32_t record;

    bool IsSameRange(const Definition& other) const {
      return source == other.source && start == other.start && end == other.end &&
             (!source.is_none() || range == other.range);
    }
  };
  Status ReadRecord(std::string_view record_name, std::span<const std::byte> content);
  void ReadEntry(const Pickle& pickle, size_t index, PickleValue entry, SourceTable& sources);
  // The definition without its tag. Fails if the range or its source is not readable.
  Result<Definition> ReadRange(const Pickle& pickle, size_t index, PickleValue range,
                               SourceTable& sources);

  Use use_;
  DebugInfoBuilder& builder_;
  WarningList& warnings_;
  MemoryBudget& budget_;
  SourceCosts costs_;
  MemoryCharge charge_;
  RangeId not_recorded_;
  RangeId undefined_;
  std::vector<Definition> definitions_;
  std::vector<std::string> record_names_;
  std::vector<int64_t> damaged_tags_;
  Int64Index tags_;
  std::vector<uint32_t> rows_;  // of definitions_, by the tag's place
};

}  // namespace handrail
