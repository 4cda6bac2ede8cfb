// handrail stats: where the bytes of debug info go.
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "handrail/base/mapped_file.h"
#include "handrail/debug_map/debug_map_writer.h"

#include "archive/archive.h"
#include "cli/input_file.h"
#include "cli/json_line.h"
#include "cli/options.h"
#include "cli/text_table.h"
#include "cli/verbs.h"
#include "debug_map/stats.h"

namespace handrail::cli {
namespace {

struct StatsOptions {
  std::string input_path;
  bool as_json = false;
};

// One line of the result.
struct Part {
  std::string name;
  uint64_t bytes = 0;
  uint64_t rows = 0;  // 0: it has no rows
  std::string content;
};

struct Parts {
  std::vector<Part> parts;
  uint64_t handle_count = 0;
};

void Print(const Parts& parts, const StatsOptions& options, std::ostream& out) {
  const auto per_handle = [&](uint64_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(parts.handle_count);
  };
  if (options.as_json) {
    for (const Part& part : parts.parts) {
      JsonObject object = {{"part", part.name}, {"bytes", part.bytes}};
      if (part.rows != 0) object["rows"] = part.rows;
      if (parts.handle_count != 0) object["bytes_per_handle"] = per_handle(part.bytes);
      WriteJsonLine(object, out);
    }
    return;
  }
  using Align = TextTable::Align;
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kLeft});
  table.AddRow({"part", "bytes", "rows", "per handle", "content"});
  for (const Part& part : parts.parts) {
    table.AddRow({part.name, std::to_string(part.bytes),
                  part.rows == 0 ? "" : std::to_string(part.rows),
                  parts.handle_count == 0 ? "" : fmt::format("{:.3f}", per_handle(part.bytes)),
                  part.content});
  }
  table.Print(out);
}

Parts PartsOfMap(const DebugMap& map) {
  const debug_map::Stats stats = debug_map::StatsOf(map);
  Parts parts;
  parts.handle_count = stats.handle_count;
  for (const debug_map::PartSize& part : stats.parts) {
    parts.parts.push_back({part.tag, part.size_bytes, part.row_count, part.content});
  }
  parts.parts.push_back(
      {"file", stats.file_bytes, 0, std::to_string(stats.handle_count) + " handles"});
  return parts;
}

bool IsDebugRecord(std::string_view name) {
  return name.ends_with(".debug_pkl") || name == "mobile_debug_handles.pkl" ||
         name == "callstack_debug_map.pkl" || name == "mobile_debug.pkl";
}

// The records of an archive that hold debug info, and what they would take as a debug map.
Result<Parts> PartsOfArchive(std::span<const std::byte> bytes, const std::string& path) {
  Parts parts;
  if (RecognizeContent(bytes) == ContentKind::kZip) {
    MemoryBudget budget(bytes.size());
    HANDRAIL_ASSIGN_OR_RETURN(const Archive archive, Archive::Open(bytes, path, budget));
    for (const ArchiveRecord& record : archive.records()) {
      if (!IsDebugRecord(record.name)) continue;
      parts.parts.push_back(
          {std::string(record.name), record.stored_size_bytes, 0,
           record.is_deflated() ? "deflated, " + std::to_string(record.size_bytes) + " bytes inside"
                                : "stored"});
    }
  }
  HANDRAIL_ASSIGN_OR_RETURN(const TorchDebugInfo torch, ReadTorchDebugInfo(bytes, path));
  for (const Unit& unit : torch.info.units) parts.handle_count += unit.handles.size();
  for (const bool with_text : {true, false}) {
    DebugMapOptions encoding;
    encoding.source_text = with_text;
    HANDRAIL_ASSIGN_OR_RETURN(const auto map, EncodeDebugMap(torch.info, encoding));
    parts.parts.push_back(
        {"debug map", map.size(), 0,
         with_text ? "what 'handrail map' makes of it" : "the same, --no-source"});
  }
  parts.parts.push_back({"file", bytes.size(), 0, std::to_string(parts.handle_count) + " handles"});
  return parts;
}

ExitCode RunStats(const StatsOptions& options, const Streams& streams) {
  const auto file = MappedFile::Open(options.input_path);
  if (!file) return SayUnusable(streams, file.error());
  if (IsPytorchFile(file->bytes())) {
    const auto parts = PartsOfArchive(file->bytes(), options.input_path);
    if (!parts) return SayUnusable(streams, parts.error());
    Print(*parts, options, streams.out);
    return ExitCode::kDone;
  }
  const auto map = DebugMap::Open(options.input_path);
  if (!map) return SayUnusable(streams, map.error());
  Print(PartsOfMap(*map), options, streams.out);
  return ExitCode::kDone;
}

}  // namespace

void AddStats(CLI::App& app, Action& chosen) {
  CLI::App* verb = app.add_subcommand("stats", "The bytes of debug info by part, and per handle");
  const auto options = std::make_shared<StatsOptions>();
  verb->add_option("FILE", options->input_path, "A debug map or a PyTorch archive")
      ->required()
      ->type_name("");
  AddFormatOption(*verb, options->as_json);
  verb->final_callback([options, &chosen] {
    chosen = [options](const Streams& streams) { return RunStats(*options, streams); };
  });
}

}  // namespace handrail::cli
