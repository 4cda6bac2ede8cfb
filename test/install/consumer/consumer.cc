// Records one node, encodes the map, and finds the node again by its handle.
#include <cstdio>
#include <utility>

#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/debug_map/debug_map.h"
#include "handrail/debug_map/debug_map_writer.h"

int main() {
  handrail::DebugInfoBuilder builder;
  const handrail::SourceId source =
      builder.AddSource({.file_name = "model.py", .text = "y = x + 1\n"});
  if (!builder.BeginUnit({.key = handrail::HashBytes("consumer")})) return 1;
  const auto handle = builder.AddNode("aten::add", builder.AddRange(source, 4, 9));
  if (!handle) return 1;

  auto bytes = handrail::EncodeDebugMap(std::move(builder).Finish());
  if (!bytes) return 1;
  const auto map = handrail::DebugMap::FromBytes(*std::move(bytes), "consumer.hdm");
  if (!map) return 1;
  const auto found = map->Find(*handle);
  if (!found) return 1;
  handrail::TextBuffer name;
  const auto text = map->string(found->node.name, name);
  if (!text) return 1;
  std::printf("%.*s\n", static_cast<int>(text->size()), text->data());
}
