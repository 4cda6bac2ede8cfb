// callstack_debug_map.pkl: the mirror of handle_nodes.h and call_stacks.h.
#include <cstddef>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "handrail/base/interned_rows.h"

#include "archive/pickle_writer.h"
#include "torch_debug/debug_record_writer.h"
#include "torch_debug/tagged_ranges.h"

namespace handrail {

using CallsId = Id<struct CallsTag>;

// A stack from one call inwards, as PyTorch nests them: debug info has it the other way round.
struct Calls {
  CallSiteId call_site;
  CallsId callee;  // none: this is the innermost call

  friend bool operator==(const Calls&, const Calls&) = default;
};
static uint64_t HashOf(const Calls& calls) {
  return MixHash(calls.call_site.index, calls.callee.index);
}

namespace {

// What PyTorch writes where it does not know the callee's name.
constexpr std::string_view kUnknownFunction = "FunctionName_UNKNOWN";

bool IsKnown(const DebugInfo& info, const Node& node) {
  const RangeGap gap = info.ranges[node.range.index].gap;
  return gap != RangeGap::kStripped && gap != RangeGap::kDamagedRecord &&
         gap != RangeGap::kConflict;
}

class CallStackMapWriter {
 public:
  CallStackMapWriter(const DebugInfo& info, const RangeTags& tags) : info_(info), tags_(tags) {}

  std::string Write(const Unit& unit);

 private:
  CallsId OutermostOf(StackId stack);
  void WriteCalls(CallsId calls);
  void WriteModule(const CallSite& call_site);
  std::string_view TextOf(StringId id, std::string_view if_none) const {
    return id.is_none() ? if_none : info_.strings.at(id);
  }

  const DebugInfo& info_;
  const RangeTags& tags_;
  PickleWriter writer_;
  InternedRows<CallsId, Calls> calls_;
  std::unordered_map<StackId, CallsId> outermost_;
  std::unordered_map<CallsId, uint32_t> calls_memo_;
  std::map<std::pair<StringId, StringId>, uint32_t> module_memo_;
};

CallsId CallStackMapWriter::OutermostOf(StackId stack) {
  const auto [row, is_new] = outermost_.try_emplace(stack);
  if (is_new) {
    for (StackId at = stack; !at.is_none(); at = info_.stacks[at.index].caller) {
      row->second = calls_.Intern(Calls{info_.stacks[at.index].call_site, row->second});
    }
  }
  return row->second;
}

void CallStackMapWriter::WriteModule(const CallSite& call_site) {
  if (!call_site.has_module()) return writer_.None();
  const std::pair key(call_site.module_type, call_site.module_name);
  if (const auto known = module_memo_.find(key); known != module_memo_.end()) {
    return writer_.Get(known->second);
  }
  writer_.BeginTuple(2);
  writer_.Text(TextOf(call_site.module_type, ""));
  writer_.Text(TextOf(call_site.module_name, ""));
  writer_.EndTuple(2);
  module_memo_.emplace(key, writer_.Memoize());
}

void CallStackMapWriter::WriteCalls(CallsId calls) {
  std::vector<CallsId> open;
  for (; !calls.is_none() && !calls_memo_.contains(calls); calls = calls_.at(calls).callee) {
    const CallSite& call_site = info_.call_sites[calls_.at(calls).call_site.index];
    writer_.BeginTuple(4);
    WriteModule(call_site);
    writer_.Int(tags_.TagOf(call_site.range));
    open.push_back(calls);
  }
  if (calls.is_none()) {
    writer_.None();
  } else {
    writer_.Get(calls_memo_.at(calls));
  }
  for (; !open.empty(); open.pop_back()) {
    const CallSite& call_site = info_.call_sites[calls_.at(open.back()).call_site.index];
    writer_.Text(TextOf(call_site.function, kUnknownFunction));
    writer_.EndTuple(4);
    calls_memo_.emplace(open.back(), writer_.Memoize());
  }
}

std::string CallStackMapWriter::Write(const Unit& unit) {
  size_t count = 0;
  for (const Node& node : unit.nodes) count += IsKnown(info_, node);
  writer_.BeginTuple(count);
  for (size_t i = 0; i < unit.handles.size(); ++i) {
    const Node& node = unit.nodes[i];
    if (!IsKnown(info_, node)) continue;
    writer_.BeginTuple(4);
    writer_.Int(unit.handles[i]);
    writer_.Int(tags_.NodeTagOf(node.range));
    writer_.Text(TextOf(node.name, ""));
    WriteCalls(OutermostOf(node.stack));
    writer_.EndTuple(4);
  }
  writer_.EndTuple(count);
  return std::move(writer_).Finish();
}

}  // namespace

std::string WriteCallStackMap(const DebugInfo& info, const Unit& unit, const RangeTags& tags) {
  return CallStackMapWriter(info, tags).Write(unit);
}

}  // namespace handrail
