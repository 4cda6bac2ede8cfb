#include "lowering/range_records.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "archive/pickle.h"
#include "archive/pickle_copy.h"
#include "archive/pickle_writer.h"
#include "torch_debug/tagged_ranges.h"

namespace handrail {
namespace {

constexpr std::string_view kFileName = "<string>";
constexpr size_t kEntrySize = 3;

// The lines of a text, line ends included; the last may have none.
std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

// The texts of a record, each once; the first is empty, as in PyTorch's.
class LineTable {
 public:
  LineTable() { Add(""); }
  int64_t Add(std::string_view line) {
    const auto [row, is_new] = rows_.try_emplace(line, static_cast<int64_t>(lines_.size()));
    if (is_new) lines_.push_back(line);
    return row->second;
  }
  const std::vector<std::string_view>& lines() const { return lines_; }

 private:
  std::vector<std::string_view> lines_;
  std::map<std::string_view, int64_t> rows_;
};

}  // namespace

Result<std::string> MovedRangeRecord(
    std::span<const std::byte> record,
    const std::function<std::optional<int64_t>(int64_t old_offset)>& offset_of,
    MemoryBudget& budget) {
  HANDRAIL_ASSIGN_OR_RETURN(const Pickle pickle, Pickle::Parse(record, budget));
  HANDRAIL_ASSIGN_OR_RETURN(const RangesRecord ranges, ReadRangesRecord(pickle));
  struct Moved {
    int64_t offset;
    std::span<const PickleValue> entry;
  };
  std::vector<Moved> moved;
  for (const PickleValue entry : ranges.entries) {
    HANDRAIL_ASSIGN_OR_RETURN(const auto parts, pickle.ExpectTuple(entry, "entry", 2));
    HANDRAIL_ASSIGN_OR_RETURN(const int64_t offset, pickle.ExpectInt(parts[0], "offset"));
    if (const auto place = offset_of(offset)) moved.push_back({*place, parts});
  }
  PickleWriter writer;
  PickleCopier copier(pickle, pickle.root(), writer);
  const bool has_texts = !ranges.texts.empty();
  if (has_texts) {
    writer.BeginTuple(3);
    writer.Text(kStringTableForm);
    writer.BeginTuple(ranges.texts.size());
    for (const PickleValue text : ranges.texts) HANDRAIL_RETURN_IF_ERROR(copier.Copy(text));
    writer.EndTuple(ranges.texts.size());
  }
  writer.BeginTuple(moved.size());
  for (const Moved& entry : moved) {
    writer.BeginTuple(entry.entry.size());
    writer.Int(entry.offset);
    for (const PickleValue part : entry.entry.subspan(1)) {
      HANDRAIL_RETURN_IF_ERROR(copier.Copy(part));
    }
    writer.EndTuple(entry.entry.size());
  }
  writer.EndTuple(moved.size());
  if (has_texts) writer.EndTuple(3);
  return std::move(writer).Finish();
}

Result<int64_t> LargestTag(std::span<const std::byte> record, MemoryBudget& budget) {
  HANDRAIL_ASSIGN_OR_RETURN(const Pickle pickle, Pickle::Parse(record, budget));
  HANDRAIL_ASSIGN_OR_RETURN(const RangesRecord ranges, ReadRangesRecord(pickle));
  int64_t largest = kNoTag;
  for (const PickleValue entry : ranges.entries) {
    if (entry.is_tuple() && entry.size() >= kEntrySize && entry.at(kEntrySize - 1).is_int()) {
      largest = std::max(largest, entry.at(kEntrySize - 1).as_int());
    }
  }
  return largest;
}

std::string WriteGeneratedRanges(std::span<const GeneratedRange> ranges,
                                 std::span<const std::string> texts, int64_t& next_tag) {
  LineTable table;
  std::vector<std::vector<int64_t>> lines(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    for (const std::string_view line : LinesOf(texts[i])) lines[i].push_back(table.Add(line));
  }
  const int64_t file_name = table.Add(kFileName);
  PickleWriter writer;
  writer.BeginTuple(3);
  writer.Text(kStringTableForm);
  writer.BeginTuple(table.lines().size());
  for (const std::string_view line : table.lines()) writer.Text(line);
  writer.EndTuple(table.lines().size());
  writer.BeginTuple(ranges.size());
  std::map<std::optional<size_t>, uint32_t> sources;
  std::map<std::tuple<std::optional<size_t>, int64_t, int64_t>, int64_t> tags;
  for (const GeneratedRange& range : ranges) {
    writer.BeginTuple(kEntrySize);
    writer.Int(range.offset);
    writer.BeginTuple(3);
    if (const auto known = sources.find(range.text); known != sources.end()) {
      writer.Get(known->second);
    } else {
      writer.BeginTuple(3);
      writer.IntList(range.text ? std::span<const int64_t>(lines[*range.text])
                                : std::span<const int64_t>());
      writer.Int(range.text ? file_name : 0);
      writer.Int(range.text ? 1 : 0);
      writer.EndTuple(3);
      sources.emplace(range.text, writer.Memoize());
    }
    writer.Int(range.start);
    writer.Int(range.end);
    writer.EndTuple(3);
    const auto [tag, is_new] = tags.try_emplace({range.text, range.start, range.end}, next_tag);
    if (is_new) ++next_tag;
    writer.Int(tag->second);
    writer.EndTuple(kEntrySize);
  }
  writer.EndTuple(ranges.size());
  writer.EndTuple(3);
  return std::move(writer).Finish();
}

}  // namespace handrail
