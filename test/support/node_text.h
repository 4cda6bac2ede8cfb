// Everything a map says of a handle as one line of text: equal lines, equal debug info.
#pragma once

#include <string>

#include <fmt/format.h>

#include "handrail/debug_map/debug_map.h"

namespace handrail::testing {

inline std::string StringText(const DebugMap& map, StringId id) {
  if (id.is_none()) return "none";
  TextBuffer buffer;
  const auto text = map.string(id, buffer);
  return text ? fmt::format("'{}'", *text) : fmt::format("damaged");
}

inline std::string RangeText(const DebugMap& map, RangeId id) {
  const auto location = map.location(id);
  if (!location) return "damaged";
  if (location->range.source.is_none()) {
    return fmt::format("gap{}", static_cast<int>(location->range.gap));
  }
  return fmt::format("{}:{}:{}-{}:{}", StringText(map, location->file_name), location->line,
                     location->column, location->end_line, location->end_column);
}

// "damaged" stands for each part that a damaged block hides.
inline std::string NodeText(const DebugMap& map, const Answer<Node>& node) {
  if (!node) return fmt::format("unknown: {}", ToString(node.error().reason));
  std::string text = fmt::format("{} {} in {}", StringText(map, node->name),
                                 RangeText(map, node->range), StringText(map, node->function));
  for (StackId id = node->stack; !id.is_none();) {
    const auto stack = map.stack(id);
    if (!stack) return text + " damaged";
    const auto site = map.call_site(stack->call_site);
    if (!site) return text + " damaged";
    text += fmt::format(" < {} of {} {} at {}", StringText(map, site->function),
                        StringText(map, site->module_type), StringText(map, site->module_name),
                        RangeText(map, site->range));
    id = stack->caller;
  }
  return text;
}

inline std::string NodeText(const DebugMap& map, UnitId unit, DebugHandle handle) {
  const auto found = map.Find(unit, handle);
  if (!found) return fmt::format("unknown: {}", ToString(found.error().reason));
  return NodeText(map, found->node);
}

// The same out of debug info that is still in memory.
inline std::string NodeText(const DebugInfo& info, const Node& node) {
  const auto string = [&](StringId id) {
    return id.is_none() ? std::string("none") : fmt::format("'{}'", info.strings.at(id));
  };
  const auto range = [&](RangeId id) {
    const SourceRange& row = info.ranges[id.index];
    if (row.source.is_none()) return fmt::format("gap{}", static_cast<int>(row.gap));
    const Source& source = info.sources[row.source.index];
    return fmt::format("{}:{}:{}-{}:{}", string(source.file_name),
                       source.first_line + row.start.line - 1, row.start.column,
                       source.first_line + row.end.line - 1, row.end.column);
  };
  std::string text =
      fmt::format("{} {} in {}", string(node.name), range(node.range), string(node.function));
  for (StackId id = node.stack; !id.is_none(); id = info.stacks[id.index].caller) {
    const CallSite& site = info.call_sites[info.stacks[id.index].call_site.index];
    text += fmt::format(" < {} of {} {} at {}", string(site.function), string(site.module_type),
                        string(site.module_name), range(site.range));
  }
  return text;
}

}  // namespace handrail::testing
