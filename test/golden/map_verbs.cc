#include "test/golden/map_verbs.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "handrail/debug_map/debug_map.h"
#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/symbolize/log_filter.h"
#include "handrail/symbolize/map_set.h"
#include "handrail/symbolize/symbolizer.h"

#include "debug_map/body.h"
#include "debug_map/dump_bytes.h"
#include "debug_map/layout.h"
#include "debug_map/reader.h"
#include "debug_map/verify.h"
#include "test/support/debug_info_text.h"

namespace handrail::golden {
namespace {

constexpr const char* kMapName = "map.hdm";

std::string Print(const Error& error) {
  return "error: " + std::string(ToString(error.code)) + ": " + error.message + "\n";
}

template <typename Number>
std::vector<Number> ParseNumbers(std::string_view list) {
  std::vector<Number> numbers;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    Number number{};
    std::from_chars(list.data(), list.data() + comma, number);
    numbers.push_back(number);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return numbers;
}

uint64_t ParseOffset(const std::string& text) {
  return std::stoull(text, nullptr, 0);
}

// What the cases of one file have made so far.
class MapFile {
 public:
  std::string Map(GoldenCase& golden_case) {
    DebugMapOptions options;
    options.source_text = !golden_case.Flag("no-source");
    if (const std::string rule = golden_case.Argument("path-map"); !rule.empty()) {
      const size_t equals = rule.find('=');
      options.path_map.emplace_back(rule.substr(0, equals), rule.substr(equals + 1));
    }
    auto described = DescribeDebugInfo(golden_case.input());
    if (!described) return Print(described.error());
    infos_.push_back(std::move(described->info));
    handles_ = std::move(described->handles);
    auto bytes = EncodeDebugMap(infos_.back(), options);
    if (!bytes) return Print(bytes.error());
    bytes_ = *std::move(bytes);
    std::string output = Open();
    if (!output.empty()) return output;
    for (const DebugHandle handle : handles_) output += " " + std::to_string(handle);
    return "handles:" + output + "\n";
  }

  // One map of all that the file has described.
  std::string Merge(GoldenCase&) {
    std::vector<const DebugInfo*> infos;
    for (const DebugInfo& info : infos_) infos.push_back(&info);
    const auto merged = MergeDebugInfo(infos);
    if (!merged) return Print(merged.error());
    auto bytes = EncodeDebugMap(*merged);
    if (!bytes) return Print(bytes.error());
    bytes_ = *std::move(bytes);
    const std::string problem = Open();
    return problem.empty() ? std::to_string(map_->unit_count()) + " units\n" : problem;
  }

  std::string Symbolize(GoldenCase& golden_case) {
    Symbolizer symbolizer(*map_, Style(golden_case));
    std::vector<DebugHandle> handles = ParseNumbers<DebugHandle>(golden_case.Argument("handles"));
    for (const size_t node : ParseNumbers<size_t>(golden_case.Argument("nodes"))) {
      handles.push_back(handles_.at(node));
    }
    HandleScope scope;
    if (const std::string unit = golden_case.Argument("unit"); !unit.empty()) {
      scope.unit = UnitId{static_cast<uint32_t>(ParseOffset(unit))};
    }
    Trace trace;
    symbolizer.Symbolize(handles, scope, trace);
    if (!golden_case.Flag("json")) return trace.text;
    std::string json;
    AppendTraceJson(trace, json);
    return json;
  }

  std::string Filter(GoldenCase& golden_case) {
    const std::string folder = ::testing::TempDir() + "golden_" + std::to_string(::getpid()) + "_";
    const std::string path = folder + kMapName;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes_.data()),
               static_cast<std::streamsize>(bytes_.size()));
    MapSet maps;
    if (Status status = maps.Add(path); !status) return Print(status.error());
    LogFilterOptions options;
    options.style = Style(golden_case);
    if (golden_case.Flag("json")) options.format = LogFormat::kJson;
    std::string output;
    LogFilter filter(maps, options, [&](std::string_view piece) -> Status {
      output += piece;
      return {};
    });
    EXPECT_TRUE(filter.Write(golden_case.input()));
    EXPECT_TRUE(filter.Finish());
    std::filesystem::remove(path);
    for (size_t at = 0; (at = output.find(folder, at)) != std::string::npos;) {
      output.erase(at, folder.size());
    }
    return output;
  }

  // Every handle with the rows of the map that it leads to.
  std::string Rows(GoldenCase&) {
    std::string output;
    for (uint32_t i = 0; i < map_->unit_count(); ++i) {
      const auto unit = map_->unit(UnitId{i});
      output += "unit " + std::to_string(i) + ": ";
      output += unit ? std::string(ToString(unit->kind)) : "damaged";
      if (unit && !unit->top_type.is_none()) output += ", " + Text(unit->top_type);
      output += "\n";
      const auto visited =
          map_->ForEachHandle(UnitId{i}, [&](DebugHandle handle, const Answer<Node>& node) {
            output += std::to_string(handle) + ": " + Row(node) + "\n";
          });
      if (!visited) output += "handles: " + std::string(Sentence(visited.error().reason)) + "\n";
    }
    return output;
  }

  std::string Verify(GoldenCase&) {
    std::string output;
    for (const debug_map::Fault& fault : debug_map::Verify(*map_)) output += fault.message + "\n";
    return output.empty() ? "no faults\n" : output;
  }

  std::string Bytes(GoldenCase&) { return debug_map::DumpBytes(*map_); }

  // patch [section=TAG|tag=TAG] [at=N] [bytes=HEX|cut] [reseal] [keep]: changes bytes of a section
  // or of its name in the directory, opens the map again, and says what is wrong with it. `reseal`
  // makes digest and checksums fit, as an attacker would. `keep`: later cases see the changed map.
  std::string Patch(GoldenCase& golden_case) {
    uint64_t at = ParseOffset(golden_case.Argument("at", "0"));
    if (const std::string tag = golden_case.Argument("section"); !tag.empty()) {
      const auto& places = map_->reader().places();
      const auto place = std::find_if(places.begin(), places.end(),
                                      [&](const auto& known) { return known.tag == tag; });
      if (place == places.end()) return "there is no section " + tag + "\n";
      at += place->begin;
    }
    if (const std::string tag = golden_case.Argument("tag"); !tag.empty()) {
      // In the directory, where section names are.
      at = AsText(bytes_).find(tag, debug_map::kHeaderBytes);
    }
    const std::vector<std::byte> intact = bytes_;
    if (golden_case.Flag("cut")) bytes_.resize(at);
    const std::string hex = golden_case.Argument("bytes");
    for (size_t i = 0; i + 1 < hex.size(); i += 2) {
      bytes_.at(at + i / 2) = static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16));
    }
    if (golden_case.Flag("reseal")) Reseal();
    std::string output = Open();
    if (output.empty()) output = Verify(golden_case);
    if (!golden_case.Flag("keep")) {
      bytes_ = intact;
      EXPECT_EQ(Open(), "");
    }
    return output;
  }

 private:
  // Empty: it opened.
  std::string Open() {
    auto opened = DebugMap::FromBytes(bytes_, kMapName);
    if (!opened) return Print(opened.error());
    map_.emplace(*std::move(opened));
    return "";
  }

  void Reseal() {
    namespace dm = debug_map;
    uint64_t body_bytes = 0;
    std::memcpy(&body_bytes, bytes_.data() + dm::kBodySizeOffset, sizeof(body_bytes));
    const std::span<std::byte> bytes(bytes_);
    const Hash128 digest =
        HashBytes(bytes.subspan(dm::kHeaderBytes, body_bytes - dm::kHeaderBytes));
    std::memcpy(bytes_.data() + dm::kDigestOffset, &digest.high, 8);
    std::memcpy(bytes_.data() + dm::kDigestOffset + 8, &digest.low, 8);
    for (uint64_t block = 0; block < dm::BlockCount(body_bytes); ++block) {
      const uint64_t begin = block * dm::kBlockBytes;
      const uint64_t size = std::min(dm::kBlockBytes, body_bytes - begin);
      const uint32_t checksum = dm::Body::Checksum(bytes.subspan(begin, size), block);
      std::memcpy(bytes_.data() + body_bytes + block * dm::kChecksumBytes, &checksum, 4);
    }
  }

  static TraceStyle Style(GoldenCase& golden_case) {
    return golden_case.Argument("style") == "pytorch" ? TraceStyle::kPytorch
                                                      : TraceStyle::kHandrail;
  }

  std::string Text(StringId id) const {
    if (id.is_none()) return "-";
    TextBuffer buffer;
    const auto text = map_->string(id, buffer);
    return text ? std::string(*text) : "(damaged)";
  }

  std::string Place(RangeId id) const {
    const auto location = map_->location(id);
    if (!location) return "(" + std::string(Sentence(location.error().reason)) + ")";
    if (location->range.source.is_none())
      return "(" + std::string(ToString(location->range.gap)) + ")";
    return Text(location->file_name) + ":" + std::to_string(location->line) + ":" +
           std::to_string(location->column) + "-" + std::to_string(location->end_line) + ":" +
           std::to_string(location->end_column);
  }

  std::string Row(const Answer<Node>& node) const {
    if (!node) return std::string(Sentence(node.error().reason));
    std::string row = Text(node->name) + " " + Place(node->range);
    for (StackId id = node->stack; !id.is_none();) {
      const auto stack = map_->stack(id);
      if (!stack) return row + " (damaged)";
      const auto call = map_->call_site(stack->call_site);
      if (!call) return row + " (damaged)";
      row += "\n  in " + Text(call->function);
      if (call->has_module())
        row += " of " + Text(call->module_name) + ":" + Text(call->module_type);
      row += " called at " + Place(call->range);
      id = stack->caller;
    }
    if (!node->function.is_none()) row += "\n  in " + Text(node->function);
    return row;
  }

  std::vector<DebugInfo> infos_;
  std::vector<DebugHandle> handles_;
  std::vector<std::byte> bytes_;
  std::optional<DebugMap> map_;
};

}  // namespace

GoldenVerbs MakeMapVerbs() {
  const auto file = std::make_shared<MapFile>();
  const auto verb = [&](std::string (MapFile::*run)(GoldenCase&)) -> GoldenVerb {
    return [file, run](GoldenCase& golden_case) { return (*file.*run)(golden_case); };
  };
  return {
      {"map", verb(&MapFile::Map)},
      {"merge", verb(&MapFile::Merge)},
      {"symbolize", verb(&MapFile::Symbolize)},
      {"filter", verb(&MapFile::Filter)},
      {"rows", verb(&MapFile::Rows)},
      {"verify", verb(&MapFile::Verify)},
      {"bytes", verb(&MapFile::Bytes)},
      {"patch", verb(&MapFile::Patch)},
  };
}

}  // namespace handrail::golden
