#include "torch_debug/own_records.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "handrail/debug_map/debug_map.h"
#include "handrail/debug_map/debug_map_writer.h"

namespace handrail {
namespace {

// What a row takes once it is decoded, its place in a hash table included. A map can promise many
// rows in few bytes.
constexpr uint64_t kRowBytes = 64;

Status ChargeRows(const DebugMap& map, MemoryCharge& charge) {
  uint64_t rows = uint64_t{map.string_count()} + map.source_count() + map.range_count() +
                  map.stack_count() + map.call_site_count();
  for (uint32_t i = 0; i < map.unit_count(); ++i) {
    const Answer<DebugMap::UnitInfo> unit = map.unit(UnitId{i});
    if (!unit) continue;  // decoding says what is wrong with it
    if (unit->handle_count > UINT64_MAX / kRowBytes - rows) {
      return charge.Take(UINT64_MAX, map.name());
    }
    rows += unit->handle_count;
  }
  return charge.Take(rows * kRowBytes, map.name());
}

// Both ascend.
void RemoveHandles(const std::vector<DebugHandle>& removed, Unit& unit) {
  size_t kept = 0;
  auto next = removed.begin();
  for (size_t i = 0; i < unit.handles.size(); ++i) {
    next = std::lower_bound(next, removed.end(), unit.handles[i]);
    if (next != removed.end() && *next == unit.handles[i]) continue;
    unit.handles[kept] = unit.handles[i];
    unit.nodes[kept] = unit.nodes[i];
    ++kept;
  }
  unit.handles.resize(kept);
  unit.nodes.resize(kept);
}

}  // namespace

Result<DebugInfo> ReadOwnUnits(const Archive& archive, MemoryBudget& budget) {
  if (archive.Find(kOwnDebugInfoName) == nullptr) return DebugInfo();
  HANDRAIL_ASSIGN_OR_RETURN(const RecordBytes record, archive.Read(kOwnDebugInfoName, budget));
  const std::span<const std::byte> bytes = record.bytes();
  const std::string place = fmt::format("{}: record '{}'", archive.name(), kOwnDebugInfoName);
  MemoryCharge charge(budget);
  HANDRAIL_RETURN_IF_ERROR(charge.Take(bytes.size(), place));
  HANDRAIL_ASSIGN_OR_RETURN(const DebugMap map,
                            DebugMap::FromBytes({bytes.begin(), bytes.end()}, place));
  HANDRAIL_RETURN_IF_ERROR(ChargeRows(map, charge));
  return DecodeDebugMap(map);
}

void AddOwnUnits(const Archive& archive, MemoryBudget& budget, WarningList& warnings,
                 TorchDebugInfo& result) {
  if (archive.Find(kOwnDebugInfoName) == nullptr) return;
  result.has_debug_info = true;
  Result<DebugInfo> own = ReadOwnUnits(archive, budget);
  if (!own) {
    const bool is_limit = own.error().code == ErrorCode::kLimit;
    return warnings.AddWhole(kOwnDebugInfoName, is_limit ? Fault::kMemory : Fault::kRecord,
                             std::move(own).error());
  }
  for (Unit& unit : own->units) {
    unit.build_id = result.build_id;
    for (Unit& pytorch_unit : result.info.units) RemoveHandles(unit.handles, pytorch_unit);
  }
  const std::array<const DebugInfo*, 2> infos = {&result.info, &*own};
  Result<DebugInfo> merged = MergeDebugInfo(infos);
  if (!merged) {
    return warnings.Add(kOwnDebugInfoName, Fault::kRecord, std::move(merged).error());
  }
  result.info = *std::move(merged);
}

}  // namespace handrail
