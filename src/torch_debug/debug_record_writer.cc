#include "torch_debug/debug_record_writer.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "archive/pickle_writer.h"
#include "torch_debug/handle_record.h"
#include "torch_debug/tagged_ranges.h"

namespace handrail {
namespace {

// What an entry says of its place in a .py file if it has none.
constexpr int64_t kNoOffset = -1;

bool CanHaveTag(const DebugInfo& info, const SourceRange& range) {
  if (range.source.is_none()) return range.gap == RangeGap::kNull;
  return !info.sources[range.source.index].text.is_none() && range.start.line > 0 &&
         range.end.line > 0;
}

// The texts of a record, each written once. Text 0 is empty, as PyTorch's.
class TextTable {
 public:
  TextTable() { Add({}); }

  int64_t Add(std::string_view text) {
    const auto [row, is_new] = rows_.try_emplace(text, static_cast<int64_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return row->second;
  }
  const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, int64_t> rows_;
};

// A source as the record writes it.
struct WrittenSource {
  std::vector<int64_t> lines;         // places in the text table, as PyTorch: line ends included
  std::vector<uint64_t> line_starts;  // bytes
  int64_t file_name = 0;
};

WrittenSource MakeSource(const DebugInfo& info, const Source& source, TextTable& texts) {
  WrittenSource result;
  const std::string_view text = info.text(source.text);
  size_t start = 0;
  for (bool is_last = false; !is_last;) {
    const size_t line_end = text.find('\n', start);
    is_last = line_end == std::string_view::npos;
    const size_t end = is_last ? text.size() : line_end + 1;
    result.line_starts.push_back(start);
    result.lines.push_back(texts.Add(text.substr(start, end - start)));
    start = end;
  }
  if (!source.file_name.is_none()) result.file_name = texts.Add(info.strings.at(source.file_name));
  return result;
}

// The byte offset of a position; lines beyond the last do not occur in debug info.
uint64_t OffsetOf(const WrittenSource& source, Position position) {
  const size_t line = std::min<size_t>(position.line, source.line_starts.size());
  return source.line_starts[line - 1] + position.column - 1;
}

}  // namespace

RangeTags::RangeTags(const DebugInfo& info) : RangeTags(info, {}) {
  null_tag_ = kNoTag;
}

RangeTags::RangeTags(const DebugInfo& info, std::span<const KnownTag> known)
    : tags_(info.ranges.size(), kNoTag), null_tag_(kNoTag) {
  int64_t next = 0;
  for (const auto& [range, tag] : known) {
    if (tags_[range.index] == kNoTag) tags_[range.index] = tag;
    if (tag >= next) next = tag + 1;
  }
  for (uint32_t i = 0; i < info.ranges.size(); ++i) {
    if (tags_[i] == kNoTag && CanHaveTag(info, info.ranges[i])) {
      tags_[i] = next++;
      tagged_.push_back(RangeId{i});
    }
    if (info.ranges[i].source.is_none() && info.ranges[i].gap == RangeGap::kNull) {
      null_tag_ = tags_[i];
    }
  }
}

std::string WriteRangeRecord(const DebugInfo& info, const RangeTags& tags) {
  TextTable texts;
  std::unordered_map<SourceId, WrittenSource> sources;
  for (const RangeId id : tags.tagged()) {
    const SourceId source = info.ranges[id.index].source;
    if (source.is_none() || sources.contains(source)) continue;
    sources.emplace(source, MakeSource(info, info.sources[source.index], texts));
  }

  PickleWriter writer;
  writer.BeginTuple(3);
  writer.Text(kStringTableForm);
  writer.BeginTuple(texts.texts().size());
  for (const std::string_view text : texts.texts()) writer.Text(text);
  writer.EndTuple(texts.texts().size());
  writer.BeginTuple(tags.tagged().size());
  std::unordered_map<SourceId, uint32_t> memo;
  for (const RangeId id : tags.tagged()) {
    const SourceRange& range = info.ranges[id.index];
    writer.BeginTuple(3);
    writer.Int(kNoOffset);
    writer.BeginTuple(3);
    if (const auto known = memo.find(range.source); known != memo.end()) {
      writer.Get(known->second);
    } else {
      const WrittenSource null_source;
      const WrittenSource& source = range.source.is_none() ? null_source : sources.at(range.source);
      writer.BeginTuple(3);
      writer.IntList(source.lines);
      writer.Int(source.file_name);
      writer.Int(range.source.is_none() ? 0 : info.sources[range.source.index].first_line);
      writer.EndTuple(3);
      memo.emplace(range.source, writer.Memoize());
    }
    const bool is_null = range.source.is_none();
    const auto offset = [&](Position position) {
      return is_null ? 0 : static_cast<int64_t>(OffsetOf(sources.at(range.source), position));
    };
    writer.Int(offset(range.start));
    writer.Int(offset(range.end));
    writer.EndTuple(3);
    writer.Int(tags.TagOf(id));
    writer.EndTuple(3);
  }
  writer.EndTuple(tags.tagged().size());
  writer.EndTuple(3);
  return std::move(writer).Finish();
}

std::string WriteHandleRecord(int64_t bytecode_version,
                              std::span<const FunctionHandles> functions) {
  PickleWriter writer;
  writer.BeginTuple(functions.size() + 1);
  writer.Int(bytecode_version);
  for (const FunctionHandles& function : functions) {
    writer.BeginTuple(2);
    writer.Text(function.name);
    writer.BeginTuple(1);
    writer.BeginTuple(2);
    writer.Text(kHandlesKey);
    writer.BeginTuple(1);
    writer.IntList(function.handles);
    writer.EndTuple(1);
    writer.EndTuple(2);
    writer.EndTuple(1);
    writer.EndTuple(2);
  }
  writer.EndTuple(functions.size() + 1);
  return std::move(writer).Finish();
}

}  // namespace handrail
