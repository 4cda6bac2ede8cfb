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
// needs no sorting. The map is given up before nodes are added, so that not all of it is in memory.
class NodeReader {
 public:
  NodeReader(HandleNodesInput input, TaggedRanges& ranges, DebugInfoBuilder& builder,
             MemoryBudget& budget, WarningList& warnings)
      : input_(std::move(input)),
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
  // What is known of one handle: first its entry, then the stack that the entry leads to.
  struct Row {
    static constexpr uint32_t kNoFunction = UINT32_MAX;
    static constexpr uint32_t kSeveralFunctions = UINT32_MAX - 1;

    PickleValue unread_stack;
    StringId name;
    RangeId range;  // none: there is no entry
    StackId stack;
    uint32_t function = kNoFunction;

    bool has_entry() const { return !range.is_none(); }
    bool has_node() const { return has_entry() || function != kNoFunction; }
  };
  static_assert(sizeof(Row) == 24);

  void ParseMap();
  void PlaceFunctions();
  void PlaceEntries();
  void ReadStacks();
  void ReadStack(DebugHandle handle, Row& row);
  Status AddNodes();

  // The handle of an entry; nothing if it cannot be told.
  static std::optional<DebugHandle> HandleOf(PickleValue entry) {
    if (!entry.is_tuple() || entry.size() == 0 || !entry.at(0).is_int()) return std::nullopt;
    return entry.at(0).as_int();
  }
  // Reads an entry, its stack aside. If it cannot be read, which is a warning, the row is damaged.
  void ReadEntry(size_t index, DebugHandle handle, PickleValue value, Row& row);
  Status ReadParts(PickleValue value, Row& row);
  void MarkDamaged(Row& row) { row = Row{{}, {}, damaged_, {}, row.function}; }
  void AddNode(DebugHandle handle, const Row& row);

  HandleNodesInput input_;
  TaggedRanges& ranges_;
  DebugInfoBuilder& builder_;
  MemoryBudget& budget_;
  WarningList& warnings_;
  MemoryCharge charge_;
  RangeId gap_;      // of handles that the map has no entry for
  RangeId damaged_;  // of entries that cannot be read
  std::optional<Pickle> map_;
  std::span<const PickleValue> entries_;
  TextCache texts_;                   // of map_
  std::optional<CallStacks> stacks_;  // of map_
  std::vector<StringId> function_names_;
  Int64Index handles_;
  std::vector<Row> rows_;  // by the handle's place
  // Entries whose handle has one already.
  std::vector<std::pair<DebugHandle, Row>> repeats_;
};

void NodeReader::ParseMap() {
  if (!input_.call_stack_map) return;
  const auto fail = [this](Error error) {
    warnings_.Add(kCallStackMapName, Fault::kRecord, std::move(error));
    gap_ = damaged_;
  };
  Result<Pickle> map = Pickle::Parse(input_.call_stack_map->bytes(), budget_);
  if (!map) return fail(std::move(map).error());
  const auto entries = ExpectAnyTuple(*map, map->root(), "debug info");
  if (!entries) return fail(entries.error());
  map_ = *std::move(map);
  entries_ = *entries;
  stacks_.emplace(*map_, ranges_, texts_, builder_, budget_, warnings_);
}

void NodeReader::PlaceFunctions() {
  if (!input_.handles) return;
  for (const HandleRecord::Function& function : input_.handles->functions()) {
    const auto index = static_cast<uint32_t>(function_names_.size());
    function_names_.push_back(builder_.AddString(function.name));
    for (const PickleValue value : function.handles) {
      if (value.as_int() == kUnknownHandle) continue;
      uint32_t& owner = rows_[handles_.PlaceOf(value.as_int())].function;
      owner = owner == Row::kNoFunction || owner == index ? index : Row::kSeveralFunctions;
    }
  }
  input_.handles.reset();
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
      ReadEntry(i, *handle, entries_[i], row);
    } else {
      repeats_.emplace_back(*handle, Row{{}, {}, {}, {}, row.function});
      ReadEntry(i, *handle, entries_[i], repeats_.back().second);
      warnings_.Add(kCallStackMapName, Fault::kDuplicateHandle, ErrorCode::kConflict, [&] {
        return fmt::format(
            "entry {}: debug handle: need one without an entry so far, have {} again", i, *handle);
      });
    }
  }
}

Status NodeReader::ReadParts(PickleValue value, Row& row) {
  const auto parts = value.elements();
  if (parts.size() != 4 && parts.size() != 3) {
    return FailShape(*map_, value, "debug info", "a tuple of 4 (3 before PyTorch 1.10)");
  }
  if (!parts[1].is_int()) return FailShape(*map_, parts[1], "source range tag", "an int");
  if (parts.size() == 4) {
    if (!parts[2].is_text()) return FailShape(*map_, parts[2], "node name", "a text");
    HANDRAIL_ASSIGN_OR_RETURN(row.name, texts_.Intern(parts[2]));
  }
  row.unread_stack = parts.back();
  row.range = ranges_.Find(parts[1].as_int());
  return {};
}

void NodeReader::ReadEntry(size_t index, DebugHandle handle, PickleValue value, Row& row) {
  const Status status = ReadParts(value, row);
  if (!status) {
    MarkDamaged(row);
    const bool is_limit = status.error().code == ErrorCode::kLimit;
    warnings_.Add(kCallStackMapName, is_limit ? Fault::kMemory : Fault::kEntry, status.error().code,
                  [&] {
                    return fmt::format("entry {}: debug handle {}: {}", index, handle,
                                       status.error().message);
                  });
  } else if (ranges_.IsUndefined(row.range)) {
    warnings_.Add(kCallStackMapName, Fault::kUndefinedTag, ErrorCode::kCorrupt, [&] {
      return fmt::format(
          "entry {}: debug handle {}: source range tag {} is defined by no debug_pkl record", index,
          handle, value.at(1).as_int());
    });
  }
}

void NodeReader::ReadStack(DebugHandle handle, Row& row) {
  const Result<StackId> stack = stacks_->Read(row.unread_stack);
  if (stack) {
    row.stack = *stack;
    return;
  }
  MarkDamaged(row);
  const bool is_limit = stack.error().code == ErrorCode::kLimit;
  warnings_.Add(kCallStackMapName, is_limit ? Fault::kMemory : Fault::kCallStack,
                stack.error().code,
                [&] { return fmt::format("debug handle {}: {}", handle, stack.error().message); });
}

void NodeReader::ReadStacks() {
  if (!map_) return;
  for (uint32_t place = 0; place < rows_.size(); ++place) {
    Row& row = rows_[place];
    if (!row.has_node()) continue;
    if (row.has_entry()) {
      ReadStack(handles_.KeyAt(place), row);
    } else {
      warnings_.Add(HandleRecord::kName, Fault::kMissingHandle, ErrorCode::kCorrupt, [&] {
        return fmt::format("debug handle {} has no entry in record '{}'", handles_.KeyAt(place),
                           kCallStackMapName);
      });
    }
  }
  for (auto& [handle, row] : repeats_) ReadStack(handle, row);
  entries_ = {};
  map_.reset();
  input_.call_stack_map.reset();
}

void NodeReader::AddNode(DebugHandle handle, const Row& row) {
  const StringId function =
      row.function < function_names_.size() ? function_names_[row.function] : StringId::none();
  const RangeId range = row.has_entry() ? row.range : gap_;
  builder_.AddForeignNode(handle, Node{row.name, range, row.stack, function});
}

Status NodeReader::AddNodes() {
  uint64_t count = repeats_.size();
  for (const Row& row : rows_) count += row.has_node();
  HANDRAIL_RETURN_IF_ERROR(charge_.Take(count * kNodeBytes, "debug handles"));
  for (uint32_t place = 0; place < rows_.size(); ++place) {
    if (rows_[place].has_node()) AddNode(handles_.KeyAt(place), rows_[place]);
  }
  for (const auto& [handle, row] : repeats_) AddNode(handle, row);
  return {};
}

Status NodeReader::Run() {
  ParseMap();
  const auto for_each_handle = [this](auto&& add) {
    if (input_.handles) {
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
  const size_t function_count = input_.handles ? input_.handles->functions().size() : 0;
  HANDRAIL_RETURN_IF_ERROR(charge_.Take(function_count * kFunctionBytes, "functions"));
  rows_.resize(handles_.place_count());
  PlaceFunctions();
  PlaceEntries();
  ReadStacks();
  return AddNodes();
}

}  // namespace

Status AddHandleNodes(HandleNodesInput input, TaggedRanges& ranges, DebugInfoBuilder& builder,
                      MemoryBudget& budget, WarningList& warnings) {
  return NodeReader(std::move(input), ranges, builder, budget, warnings).Run();
}

}  // namespace handrail
