// Properties: never crashes; a log without tokens passes unchanged; how the log is cut into pieces
// changes nothing. The first two bytes say how it is cut.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "handrail/base/check.h"
#include "handrail/debug_info/debug_info_builder.h"
#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/symbolize/log_filter.h"

namespace handrail {
namespace {

constexpr size_t kSizeMax = 64 << 10;

// Handles 0 to 99, some of them calls; build 00000007000000000000000000000000.
MapSet MakeMaps() {
  DebugInfoBuilder builder;
  HANDRAIL_CHECK(builder.BeginUnit({.kind = UnitKind::kForeign,
                                    .key = {1, 1},
                                    .build_id = {7ull << 32, 0},
                                    .top_type = "__torch__.M"}));
  const SourceId source =
      builder.AddSource({.file_name = "m.py", .first_line = 1, .text = "a\nb + c\nd\n"});
  for (DebugHandle handle = 0; handle < 100; ++handle) {
    Node node;
    node.name = builder.AddString(handle % 7 == 0 ? "prim::CallMethod" : "aten::add");
    node.range = builder.AddRange(source, static_cast<uint64_t>(handle % 8), 9);
    if (handle % 5 != 0) node.function = builder.AddString("__torch__.M.forward");
    builder.AddForeignNode(handle, node);
  }
  auto bytes = EncodeDebugMap(std::move(builder).Finish());
  HANDRAIL_CHECK(bytes);
  auto map = DebugMap::FromBytes(*std::move(bytes), "m.hdm");
  HANDRAIL_CHECK(map);
  MapSet maps;
  maps.Add(OpenedMap{*std::move(map), MapFileKind::kDebugMap, "m.hdm", {}});
  return maps;
}

struct Filtered {
  std::string out;
  LogFilter::Counts counts;
};

Filtered Filter(MapSet& maps, std::string_view log, size_t piece_bytes) {
  Filtered filtered;
  LogFilter filter(maps, {}, [&filtered](std::string_view piece) -> Status {
    filtered.out += piece;
    return {};
  });
  for (size_t at = 0; at < log.size(); at += piece_bytes) {
    HANDRAIL_CHECK(filter.Write(log.substr(at, piece_bytes)));
  }
  HANDRAIL_CHECK(filter.Finish());
  filtered.counts = filter.counts();
  return filtered;
}

}  // namespace
}  // namespace handrail

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace handrail;
  static MapSet maps = MakeMaps();
  if (size < 2 || size > kSizeMax) return 0;
  const std::string_view log(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Filtered whole = Filter(maps, log, log.size() + 1);
  HANDRAIL_CHECK(whole.counts.tokens == whole.counts.symbolized + whole.counts.unknown);
  if (whole.counts.tokens == 0) HANDRAIL_CHECK(whole.out == log);
  const Filtered cut = Filter(maps, log, 1 + (data[0] | size_t{data[1]} << 8) % 5000);
  HANDRAIL_CHECK(cut.out == whole.out && cut.counts.unknown == whole.counts.unknown);
  return 0;
}
