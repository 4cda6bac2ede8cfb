// The sources that one debug_pkl record describes -> sources of the debug info.
//
// In:  a source as the record writes it, in one of two forms:
//        (text, file name | None, first line)                       every release that wrote
//        debug_pkl
//        ([line text, ...], file name, first line)                  1.12 and up; lines and file
//        name are
//                                                                   indices into the record's texts
// Out: SourceId, or that it is the null source: PyTorch's way to write "no source".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "handrail/base/hash128.h"
#include "handrail/base/result.h"
#include "handrail/debug_info/debug_info_builder.h"

#include "archive/memory_budget.h"
#include "archive/pickle.h"

namespace handrail {

struct RecordedSource {
  SourceId id;
  uint64_t text_size_bytes = 0;
  // No text, no name, line 0: a range (0, 0) of it is a null range.
  bool is_null = false;
  bool has_name = false;
};

// What the sources of a whole archive may cost. A record of n bytes can spell n / 2 lines in n / 2
// sources, each of any length.
class SourceCosts {
 public:
  explicit SourceCosts(MemoryBudget& budget);

  // Takes the work of assembling and hashing `size_bytes` of text; kLimit if there is too little
  // left.
  Status TakeWork(uint64_t size_bytes);
  // Takes the memory of one source, its text aside.
  Status TakeSource();
  // Takes the memory that a text and the table of its lines will need in the debug info, unless the
  // text was there before.
  Status TakeText(std::string_view text);
  MemoryBudget& budget() { return budget_; }

 private:
  struct Hasher {
    size_t operator()(const Hash128& hash) const { return static_cast<size_t>(hash.low); }
  };
  MemoryBudget& budget_;
  uint64_t work_total_bytes_;
  uint64_t work_left_bytes_;
  MemoryCharge charge_;
  std::unordered_set<Hash128, Hasher> texts_;
};

class SourceTable {
 public:
  // All must outlive the table. `texts` are the record's texts; empty in records of the old form.
  SourceTable(const Pickle& pickle, std::span<const PickleValue> texts, DebugInfoBuilder& builder,
              SourceCosts& costs)
      : pickle_(pickle),
        texts_(texts),
        builder_(builder),
        costs_(costs),
        assembled_charge_(costs.budget()) {}

  // Each value is read once, and so is each of its parts: values are compared by identity.
  // kCorrupt: not a source; kLimit: memory or work.
  Result<RecordedSource> Read(PickleValue source);

 private:
  Result<RecordedSource> ReadNew(PickleValue source);
  Result<std::string_view> TextAt(PickleValue index, std::string_view what) const;
  // Makes `text_` the text of a source's first part.
  Status AssembleText(PickleValue lines);

  const Pickle& pickle_;
  std::span<const PickleValue> texts_;
  DebugInfoBuilder& builder_;
  SourceCosts& costs_;
  std::unordered_map<uint64_t, Result<RecordedSource>> sources_;  // by identity
  // Whose text `text_` is; texts of sources that follow each other are often the same.
  std::optional<uint64_t> text_identity_;
  std::string_view text_;  // of the record, or of `assembled_`
  std::string assembled_;
  MemoryCharge assembled_charge_;
};

}  // namespace handrail
