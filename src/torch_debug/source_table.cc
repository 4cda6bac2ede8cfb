#include "torch_debug/source_table.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "torch_debug/pickle_shape.h"

namespace handrail {
namespace {

// Work may exceed memory this many times: equal texts are assembled once per record they occur in,
// and kept once.
constexpr uint64_t kWorkPerMemoryByte = 16;
// One source's rows in the builder and in the tables here.
constexpr uint64_t kSourceBytes = 256;
// One line in the builder's table of line starts, which grows by doubling.
constexpr uint64_t kLineBytes = 2 * sizeof(uint64_t);
constexpr uint64_t kTextRowBytes = 128;

}  // namespace

SourceCosts::SourceCosts(MemoryBudget& budget)
    : budget_(budget),
      work_total_bytes_(budget.total_bytes() * kWorkPerMemoryByte),
      work_left_bytes_(work_total_bytes_),
      charge_(budget) {}

Status SourceCosts::TakeWork(uint64_t size_bytes) {
  if (size_bytes > work_left_bytes_) {
    return Fail(ErrorCode::kLimit,
                fmt::format("source texts: need {} bytes of work, have {} of {} left", size_bytes,
                            work_left_bytes_, work_total_bytes_));
  }
  work_left_bytes_ -= size_bytes;
  return {};
}

Status SourceCosts::TakeSource() {
  return charge_.Take(kSourceBytes, "sources");
}

Status SourceCosts::TakeText(std::string_view text) {
  const Hash128 hash = HashBytes(text);
  if (texts_.contains(hash)) return {};
  const auto line_count = static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n'));
  HANDRAIL_RETURN_IF_ERROR(
      charge_.Take(text.size() + line_count * kLineBytes + kTextRowBytes, "source texts"));
  texts_.insert(hash);
  return {};
}

Result<RecordedSource> SourceTable::Read(PickleValue source) {
  // Values without an identity of their own are cheap to look at again, and no source is one.
  const auto [row, is_new] = sources_.try_emplace(source.identity());
  if (is_new) row->second = ReadNew(source);
  return row->second;
}

Result<std::string_view> SourceTable::TextAt(PickleValue index, std::string_view what) const {
  HANDRAIL_ASSIGN_OR_RETURN(const int64_t row, pickle_.ExpectInt(index, what));
  if (row < 0 || static_cast<uint64_t>(row) >= texts_.size()) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("{}: need an index below {} (the text table), have {}", what,
                            texts_.size(), row));
  }
  return pickle_.ExpectText(texts_[static_cast<size_t>(row)],
                            fmt::format("text {} of the text table", row));
}

Status SourceTable::AssembleText(PickleValue lines) {
  if (text_identity_ == lines.identity()) return {};
  text_identity_.reset();
  if (lines.is_text()) {
    text_ = lines.as_text();
    HANDRAIL_RETURN_IF_ERROR(costs_.TakeWork(text_.size()));
    text_identity_ = lines.identity();
    return {};
  }
  HANDRAIL_ASSIGN_OR_RETURN(const auto rows, pickle_.ExpectIntList(lines, "source: lines"));
  uint64_t size_bytes = 0;
  for (const PickleValue row : rows) {
    HANDRAIL_ASSIGN_OR_RETURN(const std::string_view line, TextAt(row, "source: line"));
    HANDRAIL_RETURN_IF_ERROR(costs_.TakeWork(line.size() + sizeof(row)));
    size_bytes += line.size();
  }
  if (size_bytes > assembled_charge_.taken_bytes()) {
    HANDRAIL_RETURN_IF_ERROR(assembled_charge_.Take(size_bytes - assembled_charge_.taken_bytes(),
                                                    "the text of a source"));
  }
  assembled_.clear();
  assembled_.reserve(size_bytes);
  for (const PickleValue row : rows) {
    assembled_ += texts_[static_cast<size_t>(row.as_int())].as_text();
  }
  text_ = assembled_;
  text_identity_ = lines.identity();
  return {};
}

Result<RecordedSource> SourceTable::ReadNew(PickleValue source) {
  HANDRAIL_ASSIGN_OR_RETURN(const auto parts, ExpectTupleOf(pickle_, source, "source", 3));
  const PickleValue lines = parts[0];
  const PickleValue name = parts[1];
  HANDRAIL_ASSIGN_OR_RETURN(const int64_t first_line,
                            pickle_.ExpectInt(parts[2], "source: first line"));
  if (first_line < 0 || first_line > int64_t{UINT32_MAX}) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("source: first line: need 0 to {}, have {}", UINT32_MAX, first_line));
  }
  DebugInfoBuilder::SourceOptions options;
  options.first_line = static_cast<uint32_t>(first_line);
  if (lines.is_text()) {
    if (!name.is_none()) {
      HANDRAIL_ASSIGN_OR_RETURN(options.file_name, pickle_.ExpectText(name, "source: file name"));
    }
  } else {
    HANDRAIL_ASSIGN_OR_RETURN(options.file_name, TextAt(name, "source: file name"));
  }
  HANDRAIL_RETURN_IF_ERROR(costs_.TakeSource());
  HANDRAIL_RETURN_IF_ERROR(costs_.TakeWork(options.file_name.value_or("").size()));
  HANDRAIL_RETURN_IF_ERROR(AssembleText(lines));
  RecordedSource result;
  result.text_size_bytes = text_.size();
  result.has_name = options.file_name.has_value();
  result.is_null = text_.empty() && options.file_name.value_or("").empty() && first_line == 0;
  if (result.is_null) return result;
  HANDRAIL_RETURN_IF_ERROR(costs_.TakeText(text_));
  options.text = text_;
  result.id = builder_.AddSource(options);
  return result;
}

}  // namespace handrail
