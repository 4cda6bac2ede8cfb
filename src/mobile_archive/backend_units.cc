#include "mobile_archive/backend_units.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "debug_info/row_copier.h"

namespace handrail::mobile_archive {
Status AddBackendUnits(const DebugInfo& from, DebugInfoBuilder& builder) {
  const RowCopier copier(from, builder);
  for (const Unit& unit : from.units) {
    if (unit.kind != UnitKind::kBackend) continue;
    HANDRAIL_RETURN_IF_ERROR(builder.AddUnit(copier.Copy(unit)));
  }
  return {};
}

Unit UnitOfAllHandles(const DebugInfo& info) {
  std::vector<std::pair<DebugHandle, const Node*>> rows;
  for (const Unit& unit : info.units) {
    for (size_t i = 0; i < unit.handles.size(); ++i) {
      rows.emplace_back(unit.handles[i], &unit.nodes[i]);
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  Unit all;
  for (const auto& [handle, node] : rows) {
    // Two blobs with one handle are refused when they are put into one archive.
    if (!all.handles.empty() && all.handles.back() == handle) continue;
    all.handles.push_back(handle);
    all.nodes.push_back(*node);
  }
  return all;
}

}  // namespace handrail::mobile_archive
