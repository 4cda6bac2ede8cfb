#include "graph/load_ranges.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "torch_debug/pickle_shape.h"
#include "torch_debug/tagged_ranges.h"

namespace handrail::graph {
namespace {

constexpr uint64_t kSourceBytes = 128;

}  // namespace

Status RecordedRanges::Read(RecordBytes record) {
  HANDRAIL_ASSIGN_OR_RETURN(Pickle pickle, Pickle::Parse(record.bytes(), budget_));
  HANDRAIL_ASSIGN_OR_RETURN(const RangesRecord ranges, ReadRangesRecord(pickle));
  const auto rows = ranges.entries;
  HANDRAIL_RETURN_IF_ERROR(charge_.Take(rows.size() * sizeof(Entry), "source ranges"));
  std::vector<Entry> entries;
  entries.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    HANDRAIL_ASSIGN_OR_RETURN(const auto parts, pickle.ExpectTuple(rows[i], "source range", 2));
    HANDRAIL_ASSIGN_OR_RETURN(const int64_t offset, pickle.ExpectInt(parts[0], "offset"));
    if (!entries.empty() && offset < entries.back().offset) {
      return Fail(ErrorCode::kCorrupt,
                  fmt::format("entry {}: offset: need {} or more, as the one before, have {}", i,
                              entries.back().offset, offset));
    }
    entries.push_back({offset, parts[1], RangeId::none()});
  }
  record_ = std::move(record);
  pickle_ = std::move(pickle);
  texts_ = ranges.texts;
  entries_ = std::move(entries);
  return {};
}

RangeId RecordedRanges::RangeOf(script::TextRange range) {
  const auto after =
      std::upper_bound(entries_.begin(), entries_.end(), int64_t{range.start},
                       [](int64_t offset, const Entry& entry) { return offset < entry.offset; });
  if (after == entries_.begin()) return origins_.AddRange(code_file_, range.start, range.end);
  Entry& entry = *(after - 1);
  if (entry.id.is_none() && !entry.is_damaged) {
    Result<RangeId> id = ReadRange(entry.range);
    entry.is_damaged = !id;
    if (id) {
      entry.id = *id;
    } else if (!fault_) {
      fault_ = std::move(id).error().In(fmt::format("entry {}", after - 1 - entries_.begin()));
    }
  }
  if (entry.is_damaged) return origins_.AddRange(code_file_, range.start, range.end);
  return entry.id;
}

Result<RangeId> RecordedRanges::ReadRange(PickleValue range) {
  HANDRAIL_ASSIGN_OR_RETURN(const auto parts, ExpectTupleOf(*pickle_, range, "source range", 3));
  HANDRAIL_ASSIGN_OR_RETURN(const int64_t start, pickle_->ExpectInt(parts[1], "start"));
  HANDRAIL_ASSIGN_OR_RETURN(const int64_t end, pickle_->ExpectInt(parts[2], "end"));
  for (const int64_t offset : {start, end}) {
    if (offset < 0 || offset > int64_t{UINT32_MAX}) {
      return Fail(ErrorCode::kCorrupt, fmt::format("source range: need offsets of 0 to {}, have {}",
                                                   UINT32_MAX, offset));
    }
  }
  HANDRAIL_ASSIGN_OR_RETURN(const SourceId source, SourceOf(parts[0]));
  if (source.is_none() && start == 0 && end == 0) return OriginTable::null_range();
  if (source.is_none()) return origins_.AddGap(RangeGap::kOutsideText);
  return origins_.AddRange(source, static_cast<uint32_t>(start), static_cast<uint32_t>(end));
}

Result<SourceId> RecordedRanges::SourceOf(PickleValue source) {
  if (const auto known = sources_.find(source.identity()); known != sources_.end()) {
    return known->second;
  }
  HANDRAIL_ASSIGN_OR_RETURN(const SourceId id, ReadSource(source));
  sources_.emplace(source.identity(), id);
  return id;
}

Result<std::string_view> RecordedRanges::TextAt(PickleValue index) const {
  HANDRAIL_ASSIGN_OR_RETURN(const int64_t row, pickle_->ExpectInt(index, "source: text"));
  if (row < 0 || static_cast<uint64_t>(row) >= texts_.size()) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("source: text: need an index below {} (the text table), have {}",
                            texts_.size(), row));
  }
  return pickle_->ExpectText(texts_[static_cast<size_t>(row)], "text table");
}

Result<std::string_view> RecordedRanges::TextOf(PickleValue lines) {
  if (lines.is_text()) return lines.as_text();
  if (const auto known = assembled_.find(lines.identity()); known != assembled_.end()) {
    return known->second;
  }
  HANDRAIL_ASSIGN_OR_RETURN(const auto rows, pickle_->ExpectIntList(lines, "source: lines"));
  uint64_t size_bytes = 0;
  for (const PickleValue row : rows) {
    HANDRAIL_ASSIGN_OR_RETURN(const std::string_view line, TextAt(row));
    size_bytes += line.size();
  }
  HANDRAIL_RETURN_IF_ERROR(charge_.Take(size_bytes, "the text of a source"));
  std::string text;
  text.reserve(size_bytes);
  for (const PickleValue row : rows) text += texts_[static_cast<size_t>(row.as_int())].as_text();
  const std::string_view kept = origins_.KeepText(std::move(text));
  assembled_.emplace(lines.identity(), kept);
  return kept;
}

Result<SourceId> RecordedRanges::ReadSource(PickleValue source) {
  HANDRAIL_ASSIGN_OR_RETURN(const auto parts, ExpectTupleOf(*pickle_, source, "source", 3));
  HANDRAIL_ASSIGN_OR_RETURN(const int64_t first_line,
                            pickle_->ExpectInt(parts[2], "source: first line"));
  if (first_line < 0 || first_line > int64_t{UINT32_MAX}) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("source: first line: need 0 to {}, have {}", UINT32_MAX, first_line));
  }
  SourceRow row;
  row.first_line = static_cast<uint32_t>(first_line);
  if (!parts[0].is_text()) {
    HANDRAIL_ASSIGN_OR_RETURN(row.file_name, TextAt(parts[1]));
  } else if (!parts[1].is_none()) {
    HANDRAIL_ASSIGN_OR_RETURN(row.file_name, pickle_->ExpectText(parts[1], "source: file name"));
  }
  HANDRAIL_RETURN_IF_ERROR(charge_.Take(kSourceBytes, "sources"));
  HANDRAIL_ASSIGN_OR_RETURN(const std::string_view text, TextOf(parts[0]));
  if (text.empty() && row.file_name.value_or("").empty() && first_line == 0) {
    return SourceId::none();
  }
  row.text = text;
  return origins_.AddSource(row);
}

}  // namespace handrail::graph
