#include "debug_info/row_copier.h"

namespace handrail {
namespace {

template <typename RowId>
RowId New(const std::vector<RowId>& ids, RowId old_id) {
  return old_id.is_none() ? RowId::none() : ids[old_id.index];
}

}  // namespace

RowCopier::RowCopier(const DebugInfo& info, DebugInfoBuilder& builder)
    : info_(info), builder_(builder) {
  for (uint32_t i = 0; i < info.strings.size(); ++i) {
    strings_.push_back(builder.AddString(info.strings.at(StringId{i})));
  }
  for (const Source& source : info.sources) CopySource(source);
  for (const SourceRange& range : info.ranges) CopyRange(range);
  for (const Stack& stack : info.stacks) CopyStack(stack);
}

Unit RowCopier::Copy(const Unit& unit) const {
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

void RowCopier::CopySource(const Source& source) {
  DebugInfoBuilder::SourceOptions options;
  options.first_line = source.first_line;
  if (!source.file_name.is_none()) options.file_name = info_.strings.at(source.file_name);
  if (!source.text.is_none()) options.text = info_.text(source.text);
  sources_.push_back(builder_.AddSource(options));
}

void RowCopier::CopyRange(const SourceRange& range) {
  ranges_.push_back(range.source.is_none()
                        ? builder_.AddGap(range.gap)
                        : builder_.AddRange(sources_[range.source.index], range.start, range.end));
}

void RowCopier::CopyStack(const Stack& stack) {
  const CallSite& site = info_.call_sites[stack.call_site.index];
  stacks_.push_back(
      builder_.AddCall(New(stacks_, stack.caller),
                       CallSite{New(strings_, site.function), New(strings_, site.module_type),
                                New(strings_, site.module_name), ranges_[site.range.index]}));
}

}  // namespace handrail
