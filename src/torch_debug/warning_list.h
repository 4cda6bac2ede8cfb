// Collects what is wrong with a file although the rest of it is used.
//
// In:  faults, as the readers of this stage meet them.   Out: TorchDebugInfo::warnings.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handrail/base/result.h"

namespace handrail {

// Kinds of fault: of one kind in one record only the first is told, the others are counted, so that
// one systematic fault does not bury the rest.
enum class Fault : uint8_t {
  kArchive,           // the container says so itself
  kRecord,            // the record cannot be read at all
  kEntry,             // an entry is not of the record's shape
  kRange,             // a source range cannot be read
  kStart,             // a source range starts outside its text
  kTagConflict,       // one tag, two ranges
  kUndefinedTag,      // a node's tag that no record defines
  kUndefinedCallTag,  // a call site's tag that no record defines
  kCallStack,         // an inlined call stack cannot be read
  kDuplicateHandle,   // one handle, two entries
  kNoHandle,          // an entry for the handle that means "no handle"
  kMissingHandle,     // an instruction's handle without an entry
  kFunctionCount,     // two records disagree on how many functions there are
  kFunctionName,      // two records disagree on a function's name
  kInstructionCount,  // two records disagree on how many instructions a function has
  kVersion,           // a record's version cannot be read
  kMemory,            // the rest of the record would take too much memory or time
};

class WarningList {
 public:
  // `file_name` begins every message.
  explicit WarningList(std::string_view file_name) : file_name_(file_name) {}

  // "<file>: record '<record>': <message>". `make_message` is called for the first fault of a kind
  // in a record only.
  template <typename MakeMessage>
  void Add(std::string_view record, Fault fault, ErrorCode code, MakeMessage&& make_message) {
    if (Error* warning = NewWarning(record, fault)) {
      *warning = InRecord(record, Error{code, Error::kNoOffset, make_message()});
    }
  }
  // The same for an error that has a message already, without the file and the record.
  void Add(std::string_view record, Fault fault, Error error);
  // An error whose message names file and record itself.
  void AddWhole(std::string_view record, Fault fault, Error error);

  bool empty() const { return warnings_.empty(); }
  // In the order in which each was first met. The list is empty afterwards.
  std::vector<Error> Take();

 private:
  // A place for the first warning of its kind; null if there was one already, or if there are too
  // many warnings.
  Error* NewWarning(std::string_view record, Fault fault);
  Error InRecord(std::string_view record, Error error) const;

  struct Warning {
    Error error;
    uint64_t count;
  };
  std::string file_name_;
  std::vector<Warning> warnings_;
  std::map<std::pair<std::string, Fault>, size_t> rows_;
  std::pair<std::string, Fault> last_key_;  // the kind met last, which is most likely met again
  size_t last_row_ = 0;
  uint64_t left_out_count_ = 0;
};

}  // namespace handrail
