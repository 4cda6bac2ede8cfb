// handrail dump, without a view: what the file is and how much is in it.
#include <ostream>
#include <string>

#include "cli/dump_parts.h"
#include "cli/json_line.h"
#include "cli/text_table.h"

namespace handrail::cli {
namespace {

// A string of the map, or what there is instead.
std::string StringOf(const DebugMap& map, StringId id) {
  if (id.is_none()) return "";
  TextBuffer buffer;
  const auto text = map.string(id, buffer);
  return text ? std::string(*text) : "(damaged)";
}

std::string KindOf(const InputFile& input) {
  if (!input.torch) return "debug map";
  switch (input.torch->kind) {
    case TorchFileKind::kModule:
      return "PyTorch module archive";
    case TorchFileKind::kMobile:
      return "PyTorch mobile archive";
    case TorchFileKind::kFlatbuffer:
      return "PyTorch mobile flatbuffer";
  }
  return "";
}

std::string Count(uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

ExitCode PrintJson(const InputFile& input, const std::string& path, std::ostream& out) {
  ExitCode code = ExitCode::kDone;
  const DebugMap& map = input.map;
  JsonObject object = {{"file", path},
                       {"kind", input.torch ? ToString(input.torch->kind) : "debug-map"},
                       {"bytes", input.size_bytes}};
  if (input.torch) {
    object["build_id"] = input.torch->build_id.ToHex();
    object["top_type"] = input.torch->top_type;
    if (input.torch->bytecode_version) object["bytecode_version"] = *input.torch->bytecode_version;
    object["has_debug_handles"] = input.torch->has_debug_handles;
    object["has_debug_info"] = input.torch->has_debug_info;
  }
  JsonObject units = JsonObject::array();
  for (uint32_t i = 0; i < map.unit_count(); ++i) {
    const auto unit = map.unit(UnitId{i});
    if (!unit) {
      code = ExitCode::kFaults;
      continue;
    }
    units.push_back({{"key", unit->key.ToHex()},
                     {"kind", ToString(unit->kind)},
                     {"build_id", unit->build_id.ToHex()},
                     {"top_type", StringOf(map, unit->top_type)},
                     {"handles", unit->handle_count},
                     {"first_handle", unit->first_handle},
                     {"last_handle", unit->last_handle}});
  }
  object["units"] = units;
  if (input.torch) {
    JsonObject functions = JsonObject::array();
    for (const TorchFunction& function : input.torch->functions) {
      functions.push_back({{"name", function.name},
                           {"instructions", function.instruction_count},
                           {"handles", function.handle_count}});
    }
    object["functions"] = functions;
  }
  object["sources"] = map.source_count();
  object["source_text"] = map.has_source_text();
  WriteJsonLine(object, out);
  return code;
}

ExitCode PrintText(const InputFile& input, const std::string& path, std::ostream& out) {
  using Align = TextTable::Align;
  ExitCode code = ExitCode::kDone;
  const DebugMap& map = input.map;
  TextTable facts({Align::kLeft, Align::kLeft});
  facts.AddRow({"file", path});
  std::string kind = KindOf(input);
  if (input.torch && input.torch->bytecode_version) {
    kind += ", bytecode version " + std::to_string(*input.torch->bytecode_version);
  }
  facts.AddRow({"kind", kind});
  if (input.torch) {
    facts.AddRow({"top type", input.torch->top_type.empty() ? "-" : input.torch->top_type});
    facts.AddRow({"build id", input.torch->build_id.ToHex()});
  }
  for (uint32_t i = 0; i < map.unit_count(); ++i) {
    const auto unit = map.unit(UnitId{i});
    if (!unit) {
      facts.AddRow({"unit", "damaged"});
      code = ExitCode::kFaults;
      continue;
    }
    std::string handles =
        std::string(ToString(unit->kind)) + ", " + Count(unit->handle_count, "handle", "handles");
    if (unit->handle_count != 0) {
      handles += " from " + std::to_string(unit->first_handle) + " to " +
                 std::to_string(unit->last_handle);
    }
    facts.AddRow({"unit", handles});
    if (input.torch) continue;
    const std::string top_type = StringOf(map, unit->top_type);
    facts.AddRow({"  top type", top_type.empty() ? "-" : top_type});
    facts.AddRow({"  build id", unit->build_id.ToHex()});
    facts.AddRow({"  key", unit->key.ToHex()});
  }
  if (input.torch) {
    for (const TorchFunction& function : input.torch->functions) {
      facts.AddRow(
          {"function", function.name + ", " +
                           Count(function.instruction_count, "instruction", "instructions") + ", " +
                           Count(function.handle_count, "handle", "handles")});
    }
  }
  facts.AddRow({"sources", std::to_string(map.source_count()) +
                               (map.has_source_text() ? ", with text" : ", without text")});
  facts.Print(out);
  return code;
}

}  // namespace

ExitCode DumpSummary(const InputFile& input, const std::string& path, bool as_json,
                     const Streams& streams) {
  return as_json ? PrintJson(input, path, streams.out) : PrintText(input, path, streams.out);
}

ExitCode DumpSources(const InputFile& input, bool as_json, const Streams& streams) {
  using Align = TextTable::Align;
  ExitCode code = ExitCode::kDone;
  const DebugMap& map = input.map;
  TextTable table({Align::kLeft, Align::kRight, Align::kRight});
  table.AddRow({"file", "first line", "bytes"});
  for (uint32_t i = 0; i < map.source_count(); ++i) {
    const auto source = map.source(SourceId{i});
    if (!source) {
      Say(streams,
          "source " + std::to_string(i) + ": " + std::string(Sentence(source.error().reason)));
      code = ExitCode::kFaults;
      continue;
    }
    const std::string name = StringOf(map, source->file_name);
    const auto text = map.SourceText(SourceId{i});
    if (as_json) {
      JsonObject object = {{"file", name}, {"first_line", source->first_line}};
      if (text) object["bytes"] = text->size();
      WriteJsonLine(object, streams.out);
    } else {
      table.AddRow({name, std::to_string(source->first_line),
                    text ? std::to_string(text->size()) : "no text"});
    }
  }
  if (!as_json) table.Print(streams.out);
  return code;
}

}  // namespace handrail::cli
