// Several debug infos -> one: units side by side over shared rows.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/debug_map/debug_map_writer.h"

#include "debug_info/row_copier.h"

namespace handrail {
namespace {

bool AreEqual(const Unit& a, const Unit& b) {
  return a.kind == b.kind && a.top_type == b.top_type && a.handles == b.handles &&
         a.nodes == b.nodes;
}

}  // namespace

Result<DebugInfo> MergeDebugInfo(std::span<const DebugInfo* const> infos) {
  DebugInfoBuilder builder;
  std::vector<Unit> units;
  std::map<std::pair<Hash128, Hash128>, size_t> unit_by_identity;
  for (const DebugInfo* info : infos) {
    const RowCopier copier(*info, builder);
    for (const Unit& unit : info->units) {
      Unit copy = copier.Copy(unit);
      const auto [entry, is_new] =
          unit_by_identity.emplace(std::pair(unit.key, unit.build_id), units.size());
      if (is_new) {
        units.push_back(std::move(copy));
      } else if (!AreEqual(units[entry->second], copy)) {
        return Fail(ErrorCode::kConflict,
                    fmt::format("two units with key {} differ", unit.key.ToHex()));
      }
    }
  }
  for (Unit& unit : units) HANDRAIL_RETURN_IF_ERROR(builder.AddUnit(std::move(unit)));
  return std::move(builder).Finish();
}

}  // namespace handrail
