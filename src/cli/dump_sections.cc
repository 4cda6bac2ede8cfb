// handrail dump --sections and --bytes: the file's own structure.
#include <ostream>
#include <string>

#include "handrail/base/mapped_file.h"

#include "archive/archive.h"
#include "cli/dump_parts.h"
#include "cli/json_line.h"
#include "cli/text_table.h"
#include "debug_map/dump_bytes.h"
#include "debug_map/reader.h"

namespace handrail::cli {
namespace {

using Align = TextTable::Align;

void PrintSections(const DebugMap& map, bool as_json, std::ostream& out) {
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight});
  table.AddRow({"section", "offset", "bytes", "rows"});
  for (const DebugMap::Reader::SectionPlace& place : map.reader().places()) {
    const uint64_t rows = place.known ? map.reader().row_count(*place.known) : 0;
    if (as_json) {
      JsonObject object = {
          {"section", place.tag}, {"offset", place.begin}, {"bytes", place.size_bytes}};
      if (rows != 0) object["rows"] = rows;
      WriteJsonLine(object, out);
    } else {
      table.AddRow({place.tag, std::to_string(place.begin), std::to_string(place.size_bytes),
                    rows == 0 ? "" : std::to_string(rows)});
    }
  }
  if (!as_json) table.Print(out);
}

void PrintRecords(const Archive& archive, bool as_json, std::ostream& out) {
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight});
  table.AddRow({"record", "offset", "bytes", "stored"});
  for (const ArchiveRecord& record : archive.records()) {
    if (as_json) {
      WriteJsonLine({{"record", record.name},
                     {"offset", record.local_header_offset},
                     {"bytes", record.size_bytes},
                     {"stored_bytes", record.stored_size_bytes}},
                    out);
    } else {
      table.AddRow({std::string(record.name), std::to_string(record.local_header_offset),
                    std::to_string(record.size_bytes), std::to_string(record.stored_size_bytes)});
    }
  }
  if (!as_json) table.Print(out);
}

}  // namespace

ExitCode DumpSections(const std::string& path, bool as_json, const Streams& streams) {
  const auto file = MappedFile::Open(path);
  if (!file) return SayUnusable(streams, file.error());
  if (!IsPytorchFile(file->bytes())) {
    const auto map = DebugMap::Open(path);
    if (!map) return SayUnusable(streams, map.error());
    PrintSections(*map, as_json, streams.out);
    return ExitCode::kDone;
  }
  if (RecognizeContent(file->bytes()) == ContentKind::kMobileFlatbuffer) {
    Say(streams, path + ": a mobile flatbuffer has neither sections nor records");
    return ExitCode::kUsage;
  }
  MemoryBudget budget(file->bytes().size());
  const auto archive = Archive::Open(file->bytes(), path, budget);
  if (!archive) return SayUnusable(streams, archive.error());
  for (const std::string& warning : archive->warnings()) Say(streams, warning);
  PrintRecords(*archive, as_json, streams.out);
  return ExitCode::kDone;
}

ExitCode DumpAnnotatedBytes(const std::string& path, const Streams& streams) {
  const auto file = MappedFile::Open(path);
  if (!file) return SayUnusable(streams, file.error());
  if (IsPytorchFile(file->bytes())) {
    Say(streams, path + ": --bytes shows debug maps only; 'handrail map' makes one of an archive");
    return ExitCode::kUsage;
  }
  const auto map = DebugMap::Open(path);
  if (!map) return SayUnusable(streams, map.error());
  streams.out << debug_map::DumpBytes(*map);
  return ExitCode::kDone;
}

}  // namespace handrail::cli
