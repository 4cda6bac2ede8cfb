// Properties of the pickle reader (archive/pickle.h), whatever the bytes:
// - it does not crash, and takes no more than its budget, all of which it gives back;
// - every value that can be reached is of a known kind, can be described, and knows its place;
// - parsing takes no recursion: deep values are freed (the corpus has some).
#include <unordered_set>
#include <vector>

#include "archive/pickle.h"

using handrail::Pickle, handrail::PickleKind, handrail::PickleValue;

namespace {

// Visits every container once.
void Visit(const Pickle& pickle, size_t size) {
  std::unordered_set<uint64_t> seen;
  std::vector<PickleValue> open{pickle.root()};
  while (!open.empty()) {
    const PickleValue value = open.back();
    open.pop_back();
    if (!seen.insert(value.identity()).second) continue;
    HANDRAIL_CHECK(!pickle.Describe(value).empty());
    const uint64_t offset = pickle.OffsetOf(value);
    HANDRAIL_CHECK(offset < size || offset == handrail::Error::kNoOffset);
    if (value.is_tuple() || value.is_list() || value.is_dict()) {
      open.insert(open.end(), value.elements().begin(), value.elements().end());
    } else if (value.kind() == PickleKind::kObject) {
      open.insert(open.end(),
                  {value.callable(), value.args(), value.state().value_or(PickleValue()),
                   value.items().value_or(PickleValue())});
    } else if (value.kind() == PickleKind::kPersistentId) {
      open.push_back(value.persistent_id());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  handrail::MemoryBudget budget(size);
  {
    const auto pickle = Pickle::Parse(std::as_bytes(std::span(data, size)), budget);
    if (pickle) Visit(*pickle, size);
  }
  HANDRAIL_CHECK(budget.left_bytes() == budget.total_bytes());
  return 0;
}
