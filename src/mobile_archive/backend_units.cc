#include "mobile_archive/backend_units.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace handrail::mobile_archive {
namespace {

// Rows of one debug info as rows of a builder: each once.
class RowCopier {
 public:
  RowCopier(const DebugInfo& from, DebugInfoBuilder& builder) : from_(from), builder_(builder) {
    for (const Source& source : from.sources) {
      DebugInfoBuilder::SourceOptions options{.first_line = source.first_line};
      if (!source.file_name.is_none()) options.file_name = from.strings.at(source.file_name);
      if (!source.text.is_none()) options.text = from.text(source.text);
      sources_.push_back(builder.AddSource(options));
    }
    for (const SourceRange& range : from.ranges) {
      ranges_.push_back(range.source.is_none() ? builder.AddGap(range.gap)
                                               : builder.AddRange(sources_[range.source.index],
                                                                  range.start, range.end));
    }
    // Callers stand above those they call.
    for (const Stack& stack : from.stacks) {
      const CallSite& call = from.call_sites[stack.call_site.index];
      stacks_.push_back(builder.AddCall(
          Copy(stack.caller), CallSite{Copy(call.function), Copy(call.module_type),
                                       Copy(call.module_name), ranges_[call.range.index]}));
    }
  }

  Unit Copy(const Unit& unit) {
    Unit copy = unit;
    copy.top_type = Copy(unit.top_type);
    for (Node& node : copy.nodes) {
      node =
          Node{Copy(node.name), ranges_[node.range.index], Copy(node.stack), Copy(node.function)};
    }
    return copy;
  }

 private:
  StringId Copy(StringId id) const {
    return id.is_none() ? id : builder_.AddString(from_.strings.at(id));
  }
  StackId Copy(StackId id) const { return id.is_none() ? id : stacks_[id.index]; }

  const DebugInfo& from_;
  DebugInfoBuilder& builder_;
  std::vector<SourceId> sources_;
  std::vector<RangeId> ranges_;
  std::vector<StackId> stacks_;
};

}  // namespace

Status AddBackendUnits(const DebugInfo& from, DebugInfoBuilder& builder) {
  RowCopier copier(from, builder);
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
