#include "handrail/lowering/lowering_key.h"

#include <bit>
#include <cstdint>
#include <vector>

#include "lowering/handle_order.h"

namespace handrail {
namespace {

static_assert(std::endian::native == std::endian::little,
              "columns are hashed as they lie in memory, and keys are the same everywhere");

// Numbers the rows of one table of the unit by the order in which they are met.
class FirstMet {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Whether the row is new; `number` is its own in any case.
  bool Number(uint32_t row, uint32_t& number) {
    if (row >= numbers_.size()) numbers_.resize(row + 1, kNone);
    const bool is_new = numbers_[row] == kNone;
    if (is_new) numbers_[row] = count_++;
    number = numbers_[row];
    return is_new;
  }

 private:
  std::vector<uint32_t> numbers_;
  uint32_t count_ = 0;
};

// Rows are named by when they were first met, and their content is hashed then: neither ids nor
// rows that no node leads to count.
class KeyHasher {
 public:
  explicit KeyHasher(const graph::CompilationUnit& unit) : unit_(unit) {}

  void AddGraph(std::string_view name, const graph::Graph& graph) {
    contents_.Add(name);
    nodes_.push_back(FirstMet::kNone);  // ends the method before
    ForEachNodeInHandleOrder(graph, [&](graph::NodeId node) {
      nodes_.push_back(NameOf(graph.kind(node)));
      nodes_.push_back(RangeOf(graph.range(node)));
      nodes_.push_back(StackOf(graph.stack(node)));
      return true;
    });
  }

  Hash128 Finish() {
    contents_.Add(std::as_bytes(std::span(nodes_)));
    return contents_.Finish();
  }

  FieldHasher& contents() { return contents_; }

 private:
  uint32_t NameOf(StringId text) {
    if (text.is_none()) return FirstMet::kNone;
    uint32_t number = 0;
    if (names_.Number(text.index, number)) contents_.Add("name").Add(unit_.text(text));
    return number;
  }

  uint32_t SourceOf(graph::SourceId id) {
    if (id.is_none()) return FirstMet::kNone;
    uint32_t number = 0;
    if (!sources_.Number(id.index, number)) return number;
    const graph::SourceRow& row = unit_.origins.source(id);
    contents_.Add("source").Add(uint64_t{row.file_name.has_value()}).Add(uint64_t{row.first_line});
    contents_.Add(row.file_name.value_or("")).Add(uint64_t{row.text.has_value()});
    contents_.Add(HashBytes(row.text.value_or("")));
    return number;
  }

  uint32_t RangeOf(graph::RangeId id) {
    uint32_t number = 0;
    if (!ranges_.Number(id.index, number)) return number;
    const graph::RangeRow& row = unit_.origins.range(id);
    const uint32_t source = SourceOf(row.source);
    contents_.Add("range").Add(uint64_t{source}).Add(uint64_t{row.start} << 32 | row.end);
    contents_.Add(static_cast<uint64_t>(row.gap));
    return number;
  }

  uint32_t StackOf(graph::StackId id) {
    // Callers stand above those they call: what was not met yet is the chain's inner end.
    std::vector<graph::StackId> unmet;
    uint32_t number = FirstMet::kNone;
    graph::StackId at = id;
    while (!at.is_none() && (at.index >= stacks_.size() || stacks_[at.index] == FirstMet::kNone)) {
      unmet.push_back(at);
      at = unit_.origins.stack(at).caller;
    }
    if (!at.is_none()) number = stacks_[at.index];
    if (!unmet.empty()) stacks_.resize(unit_.origins.stack_count(), FirstMet::kNone);
    for (auto next = unmet.rbegin(); next != unmet.rend(); ++next) {
      const graph::StackRow& row = unit_.origins.stack(*next);
      const uint64_t caller = number;
      const uint64_t range = RangeOf(row.range);
      const uint64_t function = NameOf(row.function);
      const uint64_t type = NameOf(row.module_type);
      const uint64_t instance = NameOf(row.module_name);
      contents_.Add("call").Add(caller << 32 | range).Add(function << 32 | type).Add(instance);
      number = stacks_[next->index] = stack_count_++;
    }
    return number;
  }

  const graph::CompilationUnit& unit_;
  FieldHasher contents_;
  std::vector<uint32_t> nodes_;  // three numbers for each node
  FirstMet names_;
  FirstMet sources_;
  FirstMet ranges_;
  std::vector<uint32_t> stacks_;
  uint32_t stack_count_ = 0;
};

}  // namespace

Hash128 LoweringKey(const LoweringIdentity& identity, const graph::CompilationUnit& unit,
                    std::span<const MethodToLower> methods) {
  KeyHasher hasher(unit);
  hasher.contents().Add("lowering").Add(identity.backend).Add(identity.module_type);
  hasher.contents().Add(identity.module_path).Add(identity.options);
  for (const MethodToLower& method : methods) hasher.AddGraph(method.name, *method.graph);
  return hasher.Finish();
}

Hash128 SaltedKey(const Hash128& key, uint64_t salt) {
  return FieldHasher().Add("salted").Add(key).Add(salt).Finish();
}

}  // namespace handrail
