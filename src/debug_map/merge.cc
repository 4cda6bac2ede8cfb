// Several debug infos -> one: units side by side over shared rows.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/debug_map/debug_map_writer.h"

namespace handrail {
namespace {

// Copies the rows of one debug info into a builder that holds those of others.
class RowCopier {
 public:
  RowCopier(const DebugInfo& info, DebugInfoBuilder& builder) : info_(info), builder_(builder) {
    for (uint32_t i = 0; i < info.strings.size(); ++i) {
      strings_.push_back(builder.AddString(info.strings.at(StringId{i})));
    }
    for (const Source& source : info.sources) CopySource(source);
    for (const SourceRange& range : info.ranges) CopyRange(range);
    for (const Stack& stack : info.stacks) CopyStack(stack);
  }

  Unit Copy(const Unit& unit) const {
    Unit copy;
    copy.kind = unit.kind;
    copy.key = unit.key;
    copy.build_id = unit.build_id;
    copy.top_type = New(strings_, unit.top_type);
    copy.handles = unit.handles;
    copy.nodes.reserve(unit.nodes.size());
    for (const Node& node : unit.nodes) {
      copy.nodes.push_back(Node{New(strings_, node.name), New(ranges_, node.range),
                                New(stacks_, node.stack), New(strings_, node.function)});
    }
    return copy;
  }

 private:
  template <typename RowId>
  static RowId New(const std::vector<RowId>& ids, RowId old_id) {
    return old_id.is_none() ? RowId::none() : ids[old_id.index];
  }
  void CopySource(const Source& source) {
    DebugInfoBuilder::SourceOptions options;
    options.first_line = source.first_line;
    if (!source.file_name.is_none()) options.file_name = info_.strings.at(source.file_name);
    if (!source.text.is_none()) options.text = info_.text(source.text);
    sources_.push_back(builder_.AddSource(options));
  }
  void CopyRange(const SourceRange& range) {
    ranges_.push_back(range.source.is_none() ? builder_.AddGap(range.gap)
                                             : builder_.AddRange(sources_[range.source.index],
                                                                 range.start, range.end));
  }
  void CopyStack(const Stack& stack) {
    const CallSite& site = info_.call_sites[stack.call_site.index];
    stacks_.push_back(
        builder_.AddCall(New(stacks_, stack.caller),
                         CallSite{New(strings_, site.function), New(strings_, site.module_type),
                                  New(strings_, site.module_name), ranges_[site.range.index]}));
  }

  const DebugInfo& info_;
  DebugInfoBuilder& builder_;
  std::vector<StringId> strings_;
  std::vector<SourceId> sources_;
  std::vector<RangeId> ranges_;
  std::vector<StackId> stacks_;
};

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
