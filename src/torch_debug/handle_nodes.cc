#include "torch_debug/handle_nodes.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "handrail/debug_info/handle.h"

#include "archive/quoted.h"
#include "torch_debug/call_stacks.h"
#include "torch_debug/int64_index.h"
#include "torch_debug/pickle_shape.h"

namespace handrail {
namespace {

// Of one node in the builder, whose tables grow by doubling.
constexpr uint64_t kNodeBytes = 2 * (sizeof(DebugHandle) + sizeof(Node));
// Of a function's name in the builder, its text aside: that is a text of the record.
constexpr uint64_t kFunctionBytes = 64;

// The map's entries are in the order of a hash table. They are read in that order, except for their
// stacks, and put in the order of their handles: there neighbours have the same stack, and the unit
// needs no sorting.
class NodeReader {
 public:
  NodeReader(const HandleNodesInput& input, TaggedRanges& ranges, DebugInfoBuilder& builder,
             MemoryBudget& budget, WarningList& warnings)
      : input_(input),
        ranges_(ranges),
        builder_(builder),
        budget_(budget),
        warnings_(warnings),
        charge_(budget),
        gap_(builder.AddGap(input.gap_without_map)),
        damaged_(builder.AddGap(RangeGap::kDamagedRecord)),
        texts_(builder, budget) {}

  Status Run();

 private:
  // An entry, its stack not yet read.
  struct Entry {
    PickleValue stack;
    StringId name;
    RangeId range;  // none: there is no entry
  };
  // What is known of one handle.
  struct Row {
    static constexpr uint32_t kNoFunction = UINT32_MAX;
    static constexpr uint32_t kSeveralFunctions = UINT32_MAX - 1;

    Entry entry;
    uint32_t function = kNoFunction;

    bool has_entry() const { return !entry.range.is_none(); }
    bool has_node() const { return has_entry() || function != kNoFunction; }
  };

  void ParseMap();
  void PlaceFunctions();
  void PlaceEntries();
  uint64_t CountNodes() const;
  void AddNodes();

  // The handle of an entry; nothing if it cannot be told.
  static std::optional<DebugHandle> HandleOf(PickleValue entry) {
    if (!entry.is_tuple() || entry.size() == 0 || !entry.at(0).is_int()) return std::nullopt;
    return entry.at(0).as_int();
  }
  // If the entry cannot be read, which is a warning, its range is damaged_ and its stack is None.
  Entry ReadEntry(size_t index, DebugHandle handle, PickleValue value);
  Result<Entry> ReadParts(PickleValue value);
  Node NodeOf(DebugHandle handle, const Entry& entry, uint32_t function, CallStacks& stacks);

  const HandleNodesInput& input_;
  TaggedRanges& ranges_;
  DebugInfoBuilder& builder_;
  MemoryBudget& budget_;
  WarningList& warnings_;
  MemoryCharge charge_;
  RangeId gap_;      // of handles that the map has no entry for
  RangeId damaged_;  // of entries that cannot be read
  std::optional<Pickle> map_;
  std::span<const PickleValue> entries_;
  TextCache texts_;  // of map_
  std::vector<StringId> function_names_;
  Int64Index handles_;
  std::vector<Row> rows_;  // by the handle's place
  // Entries whose handle has one already.
  std::vector<std::pair<DebugHandle, Entry>> repeats_;
};

void NodeReader::ParseMap() {
  if (!input_.call_stack_map) return;
  const auto fail = [this](Error error) {
    warnings_.Add(kCallStackMapName, Fault::kRecord, std::move(error));
    gap_ = damaged_;
  };
  Result<Pickle> map = Pickle::Parse(*input_.call_stack_map, budget_);
  if (!map) return fail(std::move(map).error());
  const auto entries = ExpectAnyTuple(*map, map->root(), "debug info");
  if (!entries) return fail(entries.error());
  map_ = *std::move(map);
  entries_ = *entries;
}

void NodeReader::PlaceFunctions() {
  if (input_.handles == nullptr) return;
  for (const HandleRecord::Function& function : input_.handles->functions()) {
    const auto index = static_cast<uint32_t>(function_names_.size());
    function_names_.push_back(builder_.AddString(function.name));
    for (const PickleValue value : function.handles) {
      if (value.as_int() == kUnknownHandle) continue;
      uint32_t& owner = rows_[handles_.PlaceOf(value.as_int())].function;
      owner = owner == Row::kNoFunction || owner == index ? index : Row::kSeveralFunctions;
    }
  }
}

void NodeReader::PlaceEntries() {
  for (size_t i = 0; i < entries_.size(); ++i) {
    const std::optional<DebugHandle> handle = HandleOf(entries_[i]);
    if (!handle) {
      // A handle without an entry may be this one's.
      gap_ = damaged_;
      warnings_.Add(kCallStackMapName, Fault::kEntry, ErrorCode::kCorrupt, [&] {
        return fmt::format(
            "entry {}: debug info: need a tuple that begins with a debug handle, have {}", i,
            map_->Describe(entries_[i]));
      });
    } else if (*handle == kUnknownHandle) {
      warnings_.Add(kCallStackMapName, Fault::kNoHandle, ErrorCode::kCorrupt, [&] {
        return fmt::format("entry {}: debug handle: need one that stands for a node, have {}", i,
                           kUnknownHandle);
      });
    } else if (Row& row = rows_[handles_.PlaceOf(*handle)]; !row.has_entry()) {
      row.entry = ReadEntry(i, *handle, entries_[i]);
    } else {
      repeats_.emplace_back(*handle, ReadEntry(i, *handle, entries_[i]));
      warnings_.Add(kCallStackMapName, Fault::kDuplicateHandle, ErrorCode::kConflict, [&] {
        return fmt::format(
            "entry {}: debug handle: need one without an entry so far, have {} again", i, *handle);
      });
    }
  }
}

uint64_t NodeReader::CountNodes() const {
  uint64_t count = repeats_.size();
  for (const Row& row : rows_) count += row.has_node();
  return count;
}

Result<NodeReader::Entry> NodeReader::ReadParts(PickleValue value) {
  const auto parts = value.elements();
  if (parts.size() != 4 && parts.size() != 3) {
    return FailShape(*map_, value, "debug info", "a tuple of 4 (3 before PyTorch 1.10)");
  }
  if (!parts[1].is_int()) return FailShape(*map_, parts[1], "source range tag", "an int");
  Entry entry;
  if (parts.size() == 4) {
    if (!parts[2].is_text()) return FailShape(*map_, parts[2], "node name", "a text");
    HANDRAIL_ASSIGN_OR_RETURN(entry.name, texts_.Intern(parts[2]));
  }
  entry.stack = parts.back();
  entry.range = ranges_.Find(parts[1].as_int());
  return entry;
}

NodeReader::Entry NodeReader::ReadEntry(size_t index, DebugHandle handle, PickleValue value) {
  const Result<Entry> entry = ReadParts(value);
  if (!entry) {
    const bool is_limit = entry.error().code == ErrorCode::kLimit;
    warnings_.Add(
        kCallStackMapName, is_limit ? Fault::kMemory : Fault::kEntry, entry.error().code, [&] {
          return fmt::format("entry {}: debug handle {}: {}", index, handle, entry.error().message);
        });
    return Entry{{}, {}, damaged_};
  }
  if (ranges_.IsUndefined(entry->range)) {
    warnings_.Add(kCallStackMapName, Fault::kUndefinedTag, ErrorCode::kCorrupt, [&] {
      return fmt::format(
          "entry {}: debug handle {}: source range tag {} is defined by no debug_pkl record", index,
          handle, value.at(1).as_int());
    });
  }
  return *entry;
}

Node NodeReader::NodeOf(DebugHandle handle, const Entry& entry, uint32_t function,
                        CallStacks& stacks) {
  const StringId function_name =
      function < function_names_.size() ? function_names_[function] : StringId::none();
  const Result<StackId> stack = stacks.Read(entry.stack);
  if (stack) return Node{entry.name, entry.range, *stack, function_name};
  const bool is_limit = stack.error().code == ErrorCode::kLimit;
  warnings_.Add(kCallStackMapName, is_limit ? Fault::kMemory : Fault::kCallStack,
                stack.error().code,
                [&] { return fmt::format("debug handle {}: {}", handle, stack.error().message); });
  return Node{{}, damaged_, {}, function_name};
}

void NodeReader::AddNodes() {
  CallStacks stacks(map_ ? &*map_ : nullptr, ranges_, texts_, builder_, budget_, warnings_);
  for (uint32_t place = 0; place < rows_.size(); ++place) {
    const Row& row = rows_[place];
    if (!row.has_node()) continue;
    const DebugHandle handle = handles_.KeyAt(place);
    if (!row.has_entry() && map_) {
      warnings_.Add(HandleRecord::kName, Fault::kMissingHandle, ErrorCode::kCorrupt, [&] {
        return fmt::format("debug handle {} has no entry in record '{}'", handle,
                           kCallStackMapName);
      });
    }
    const Entry entry = row.has_entry() ? row.entry : Entry{{}, {}, gap_};
    builder_.AddForeignNode(handle, NodeOf(handle, entry, row.function, stacks));
  }
  for (const auto& [handle, entry] : repeats_) {
    const uint32_t function = rows_[handles_.PlaceOf(handle)].function;
    builder_.AddForeignNode(handle, NodeOf(handle, entry, function, stacks));
  }
}

Status NodeReader::Run() {
  ParseMap();
  const auto for_each_handle = [this](auto&& add) {
    if (input_.handles != nullptr) {
      for (const HandleRecord::Function& function : input_.handles->functions()) {
        for (const PickleValue handle : function.handles) add(handle.as_int());
      }
    }
    for (const PickleValue entry : entries_) {
      if (const std::optional<DebugHandle> handle = HandleOf(entry)) add(*handle);
    }
  };
  HANDRAIL_ASSIGN_OR_RETURN(handles_,
                            Int64Index::Of(for_each_handle, sizeof(Row), budget_, "debug handles"));
  const size_t function_count = input_.handles == nullptr ? 0 : input_.handles->functions().size();
  HANDRAIL_RETURN_IF_ERROR(charge_.Take(function_count * kFunctionBytes, "functions"));
  rows_.resize(handles_.place_count());
  PlaceFunctions();
  PlaceEntries();
  HANDRAIL_RETURN_IF_ERROR(charge_.Take(CountNodes() * kNodeBytes, "debug handles"));
  AddNodes();
  return {};
}

}  // namespace

Status AddHandleNodes(const HandleNodesInput& input, TaggedRanges& ranges,
                      DebugInfoBuilder& builder, MemoryBudget& budget, WarningList& warnings) {
  return NodeReader(input, ranges, builder, budget, warnings).Run();
}

}  // namespace handrail
