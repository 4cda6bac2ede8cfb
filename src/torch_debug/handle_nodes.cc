#include "torch_debug/handle_nodes.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "handrail/debug_info/handle.h"

#include "archive/quoted.h"
#include "torch_debug/call_stacks.h"
#include "torch_debug/int64_table.h"
#include "torch_debug/pickle_shape.h"

namespace handrail {
namespace {

// A handle's row in the table: the function that owns it, and whether it has a node already.
class Owner {
 public:
  static constexpr uint32_t kNobody = UINT32_MAX >> 2;

  explicit Owner(uint32_t row) : row_(row) {}
  static uint32_t RowOf(uint32_t function, bool has_node) {
    return function << 1 | static_cast<uint32_t>(has_node);
  }
  uint32_t function() const { return row_ >> 1; }
  bool has_node() const { return (row_ & 1) != 0; }

 private:
  uint32_t row_;
};

// Of one node in the builder, whose tables grow by doubling.
constexpr uint64_t kNodeBytes = 2 * (sizeof(DebugHandle) + sizeof(Node));

// Of a function's name in the builder, its text aside: that is a text of the record.
constexpr uint64_t kStringBytes = 64;

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
        damaged_(builder.AddGap(RangeGap::kDamagedRecord)) {}

  Status Run();

 private:
  void ParseMap();
  Status MakeTable();
  void ReadOwners();
  void ReadEntries();
  void AddHandlesWithoutEntry();

  bool ReadEntry(size_t index, PickleValue entry, CallStacks& stacks, TextCache& texts);
  // Marks that the handle has a node; says whose it is.
  StringId TakeHandle(size_t index, DebugHandle handle);

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
  std::vector<StringId> function_names_;
  Int64Table owners_;
};

void NodeReader::ParseMap() {
  if (!input_.call_stack_map) return;
  const auto fail = [this](Error error) {
    warnings_.Add(kCallStackMapName, Fault::kRecord, std::move(error));
    gap_ = damaged_;
  };
  Result<Pickle> map = Pickle::Parse(*input_.call_stack_map, budget_);
  if (!map) return fail(std::move(map).error());
  const auto entries = map->ExpectTuple(map->root(), "debug info");
  if (!entries) return fail(entries.error());
  map_ = *std::move(map);
  entries_ = *entries;
}

Status NodeReader::MakeTable() {
  Int64Table::Extent extent;
  if (input_.handles != nullptr) {
    for (const HandleRecord::Function& function : input_.handles->functions()) {
      for (const PickleValue handle : function.handles) extent.Add(handle.as_int());
    }
    HANDRAIL_RETURN_IF_ERROR(charge_.Take(
        input_.handles->functions().size() * (sizeof(StringId) + kStringBytes), "functions"));
  }
  for (const PickleValue entry : entries_) {
    if (entry.is_tuple() && entry.size() > 0 && entry.at(0).is_int()) {
      extent.Add(entry.at(0).as_int());
    }
  }
  HANDRAIL_ASSIGN_OR_RETURN(owners_, Int64Table::For(extent, budget_, "debug handles"));
  return charge_.Take(entries_.size() * kNodeBytes, "debug handles");
}

void NodeReader::ReadOwners() {
  if (input_.handles == nullptr) return;
  for (const HandleRecord::Function& function : input_.handles->functions()) {
    const auto index = static_cast<uint32_t>(function_names_.size());
    function_names_.push_back(builder_.AddString(function.name));
    for (const PickleValue value : function.handles) {
      const DebugHandle handle = value.as_int();
      if (handle == kUnknownHandle) continue;
      uint32_t& row = owners_.At(handle);
      if (row == Int64Table::kAbsent) {
        row = Owner::RowOf(index, false);
      } else if (Owner(row).function() != index) {
        row = Owner::RowOf(Owner::kNobody, false);
      }
    }
  }
}

StringId NodeReader::TakeHandle(size_t index, DebugHandle handle) {
  uint32_t& row = owners_.At(handle);
  const Owner owner(row == Int64Table::kAbsent ? Owner::RowOf(Owner::kNobody, false) : row);
  if (owner.has_node()) {
    warnings_.Add(kCallStackMapName, Fault::kDuplicateHandle, ErrorCode::kConflict, [&] {
      return fmt::format("entry {}: need a handle without an entry so far, have handle {} again",
                         index, handle);
    });
  }
  row = Owner::RowOf(owner.function(), true);
  return owner.function() == Owner::kNobody ? StringId::none() : function_names_[owner.function()];
}

bool NodeReader::ReadEntry(size_t index, PickleValue entry, CallStacks& stacks, TextCache& texts) {
  const auto warn = [&](Fault fault, Error error) {
    warnings_.Add(kCallStackMapName, fault, std::move(error).In(fmt::format("entry {}", index)));
    return false;
  };
  const bool has_name = entry.is_tuple() && entry.size() == 4;
  if (!has_name && !(entry.is_tuple() && entry.size() == 3)) {
    warn(Fault::kEntry,
         FailShape(*map_, entry, "debug info", "a tuple of 4 (3 before PyTorch 1.10)").value());
    if (!entry.is_tuple() || entry.size() == 0) return false;
  }
  const auto parts = entry.elements();
  if (!parts[0].is_int()) {
    return warn(Fault::kEntry, FailShape(*map_, parts[0], "debug handle", "an int").value());
  }
  const DebugHandle handle = parts[0].as_int();
  if (handle == kUnknownHandle) {
    return warn(Fault::kNoHandle, Error{ErrorCode::kCorrupt, Error::kNoOffset,
                                        "debug handle: need one that stands for a node, have -1"});
  }
  Node node{.name = {}, .range = damaged_, .stack = {}, .function = TakeHandle(index, handle)};
  const auto add_damaged = [&](Error error) {
    builder_.AddForeignNode(handle, node);
    return warn(error.code == ErrorCode::kLimit ? Fault::kMemory : Fault::kEntry,
                std::move(error).In(fmt::format("debug handle {}", handle)));
  };
  if (!has_name && parts.size() != 3) {
    builder_.AddForeignNode(handle, node);
    return false;
  }
  if (!parts[1].is_int()) {
    return add_damaged(FailShape(*map_, parts[1], "source range tag", "an int").value());
  }
  StringId name;
  if (has_name) {
    if (!parts[2].is_text()) {
      return add_damaged(FailShape(*map_, parts[2], "node name", "a text").value());
    }
    const Result<StringId> interned = texts.Intern(parts[2]);
    if (!interned) return add_damaged(interned.error());
    name = *interned;
  }
  // A stack that cannot be read has its own warning.
  const std::optional<StackId> stack = stacks.Read(parts.back());
  if (!stack) {
    builder_.AddForeignNode(handle, node);
    return false;
  }
  node.name = name;
  node.range = ranges_.Find(parts[1].as_int());
  node.stack = *stack;
  if (ranges_.IsUndefined(node.range)) {
    warnings_.Add(kCallStackMapName, Fault::kUndefinedTag, ErrorCode::kCorrupt, [&] {
      return fmt::format(
          "entry {}: debug handle {}: source range tag {} is defined by no debug_pkl "
          "record",
          index, handle, parts[1].as_int());
    });
  }
  builder_.AddForeignNode(handle, node);
  return true;
}

void NodeReader::ReadEntries() {
  if (!map_) return;
  TextCache texts(builder_, budget_);
  CallStacks stacks(kCallStackMapName, *map_, ranges_, texts, builder_, budget_, warnings_);
  bool all_have_handles = true;
  for (size_t i = 0; i < entries_.size(); ++i) {
    const PickleValue entry = entries_[i];
    if (!ReadEntry(i, entry, stacks, texts)) {
      all_have_handles &= entry.is_tuple() && entry.size() > 0 && entry.at(0).is_int();
    }
  }
  // A handle without an entry may be that of an entry whose handle cannot be read.
  if (!all_have_handles) gap_ = damaged_;
}

void NodeReader::AddHandlesWithoutEntry() {
  if (input_.handles == nullptr) return;
  uint64_t missing_count = 0;
  for (const HandleRecord::Function& function : input_.handles->functions()) {
    for (const PickleValue value : function.handles) {
      missing_count += !Owner(owners_.Find(value.as_int())).has_node();
    }
  }
  if (Status status = charge_.Take(missing_count * kNodeBytes, "debug handles"); !status) {
    return warnings_.Add(HandleRecord::kName, Fault::kMemory, std::move(status).error());
  }
  for (const HandleRecord::Function& function : input_.handles->functions()) {
    for (const PickleValue value : function.handles) {
      const DebugHandle handle = value.as_int();
      if (handle == kUnknownHandle) continue;
      uint32_t& row = owners_.At(handle);
      const Owner owner(row);
      if (owner.has_node()) continue;
      row = Owner::RowOf(owner.function(), true);
      const StringId name =
          owner.function() == Owner::kNobody ? StringId::none() : function_names_[owner.function()];
      builder_.AddForeignNode(handle, Node{{}, gap_, {}, name});
      if (!map_) continue;
      warnings_.Add(HandleRecord::kName, Fault::kMissingHandle, ErrorCode::kCorrupt, [&] {
        return fmt::format("function {}: debug handle {} has no entry in record '{}'",
                           Quoted(function.name), handle, kCallStackMapName);
      });
    }
  }
}

Status NodeReader::Run() {
  ParseMap();
  HANDRAIL_RETURN_IF_ERROR(MakeTable());
  ReadOwners();
  ReadEntries();
  AddHandlesWithoutEntry();
  return {};
}

}  // namespace

Status AddHandleNodes(const HandleNodesInput& input, TaggedRanges& ranges,
                      DebugInfoBuilder& builder, MemoryBudget& budget, WarningList& warnings) {
  return NodeReader(input, ranges, builder, budget, warnings).Run();
}

}  // namespace handrail
