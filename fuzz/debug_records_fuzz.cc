// Properties of the reader of debug records (torch_debug/torch_debug.h), whatever the bytes:
// - it does not crash, and what it takes is bounded;
// - debug info that it gives is whole: every id names a row, callers come before callees, a unit's
//   handles ascend;
// - the same bytes give the same build id, and a handle never loses its node when bytecode.pkl is
// not
//   checked.
//
// An input is a file if it begins like one (zip or flatbuffer); else its first byte chooses a
// record, the rest is that record's content, and the other records are those of a small sound
// archive.
#include <array>
#include <string>
#include <string_view>

#include "handrail/base/byte_cursor.h"
#include "handrail/base/check.h"
#include "handrail/torch_debug/torch_debug.h"

#include "archive/archive.h"
#include "archive/pickle_writer.h"
#include "archive/zip_writer.h"

namespace handrail {
namespace {

constexpr std::array<std::string_view, 6> kRecords = {
    "code/m.py.debug_pkl", "callstack_debug_map.pkl", "mobile_debug_handles.pkl",
    "bytecode.pkl",        "mobile_debug.pkl",        "data.pkl"};

// ((0, (("x + 1", "m.py", 3), 0, 5), 1),)
std::string SoundRanges() {
  PickleWriter writer;
  writer.BeginTuple(1);
  writer.BeginTuple(3);
  writer.Int(0);
  writer.BeginTuple(3);
  writer.BeginTuple(3);
  writer.Text("x + 1");
  writer.Text("m.py");
  writer.Int(3);
  writer.EndTuple(3);
  writer.Int(0);
  writer.Int(5);
  writer.EndTuple(3);
  writer.Int(1);
  writer.EndTuple(3);
  writer.EndTuple(1);
  return std::move(writer).Finish();
}

// ((7, 1, "aten::add", None),)
std::string SoundMap() {
  PickleWriter writer;
  writer.BeginTuple(1);
  writer.BeginTuple(4);
  writer.Int(7);
  writer.Int(1);
  writer.Text("aten::add");
  writer.None();
  writer.EndTuple(4);
  writer.EndTuple(1);
  return std::move(writer).Finish();
}

std::string ArchiveAround(std::string_view record, std::string_view content) {
  std::string file;
  ZipWriter writer("m", file);
  const auto add = [&](std::string_view name, std::string_view sound) {
    HANDRAIL_CHECK(writer.Add(name, name == record ? content : sound).has_value());
  };
  static const std::string ranges = SoundRanges();
  static const std::string map = SoundMap();
  add(kRecords[0], ranges);
  // Only without handles does mobile_debug.pkl count.
  if (record != "mobile_debug.pkl") add(kRecords[1], map);
  for (size_t i = 2; i < kRecords.size(); ++i) {
    if (kRecords[i] == record) add(record, {});
  }
  HANDRAIL_CHECK(writer.Finish().has_value());
  return file;
}

void CheckWhole(const DebugInfo& info) {
  const auto is_string = [&](StringId id) {
    return id.is_none() || id.index < info.strings.size();
  };
  for (const Source& source : info.sources) {
    HANDRAIL_CHECK(is_string(source.file_name) && source.text.index < info.texts.size());
  }
  for (const SourceRange& range : info.ranges) {
    HANDRAIL_CHECK(range.source.is_none() || range.source.index < info.sources.size());
  }
  for (const CallSite& site : info.call_sites) {
    HANDRAIL_CHECK(is_string(site.function) && site.range.index < info.ranges.size());
    HANDRAIL_CHECK(is_string(site.module_type) && is_string(site.module_name));
  }
  for (size_t i = 0; i < info.stacks.size(); ++i) {
    HANDRAIL_CHECK(info.stacks[i].caller.is_none() || info.stacks[i].caller.index < i);
    HANDRAIL_CHECK(info.stacks[i].call_site.index < info.call_sites.size());
  }
  for (const Unit& unit : info.units) {
    HANDRAIL_CHECK(unit.handles.size() == unit.nodes.size());
    for (size_t i = 0; i < unit.nodes.size(); ++i) {
      HANDRAIL_CHECK(i == 0 || unit.handles[i - 1] < unit.handles[i]);
      const Node& node = unit.nodes[i];
      HANDRAIL_CHECK(is_string(node.name) && is_string(node.function));
      HANDRAIL_CHECK(node.range.index < info.ranges.size());
      HANDRAIL_CHECK(node.stack.is_none() || node.stack.index < info.stacks.size());
    }
  }
}

void Check(std::string_view input) {
  const ContentKind kind = RecognizeContent(AsBytes(input));
  std::string file(input);
  if (kind != ContentKind::kZip && kind != ContentKind::kMobileFlatbuffer) {
    if (input.empty()) return;
    const auto choice = static_cast<uint8_t>(input[0]);
    file = ArchiveAround(kRecords[choice % kRecords.size()], input.substr(1));
  }
  const auto read = ReadTorchDebugInfo(AsBytes(file), "fuzz");
  const auto again = ReadTorchDebugInfo(AsBytes(file), "fuzz", {.check_bytecode = false});
  HANDRAIL_CHECK(read.has_value() == again.has_value());
  if (!read) return;
  CheckWhole(read->info);
  CheckWhole(again->info);
  HANDRAIL_CHECK(read->build_id == again->build_id && read->kind == again->kind);
  if (read->has_debug_handles && !read->info.units.empty()) {
    HANDRAIL_CHECK(read->info.units[0].handles == again->info.units[0].handles);
  }
}

}  // namespace
}  // namespace handrail

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  handrail::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
