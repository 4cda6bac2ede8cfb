#include "torch_debug/tagged_ranges.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "archive/quoted.h"
#include "torch_debug/pickle_shape.h"

namespace handrail {
namespace {

constexpr uint32_t kNoRow = UINT32_MAX;
// Of one definition, in the tables here and as a range of the debug info.
constexpr uint64_t kDefinitionBytes = 96;

}  // namespace

Result<RangesRecord> ReadRangesRecord(const Pickle& pickle) {
  RangesRecord record;
  HANDRAIL_ASSIGN_OR_RETURN(record.entries, ExpectAnyTuple(pickle, pickle.root(), "source ranges"));
  if (record.entries.empty() || !record.entries[0].is_text() ||
      record.entries[0].as_text() != kStringTableForm) {
    return record;
  }
  HANDRAIL_ASSIGN_OR_RETURN(
      const auto parts, ExpectTupleOf(pickle, pickle.root(), "source ranges with text table", 3));
  HANDRAIL_ASSIGN_OR_RETURN(record.texts, ExpectAnyTuple(pickle, parts[1], "text table"));
  HANDRAIL_ASSIGN_OR_RETURN(record.entries, ExpectAnyTuple(pickle, parts[2], "source ranges"));
  return record;
}

TaggedRanges::TaggedRanges(Use use, DebugInfoBuilder& builder, MemoryBudget& budget,
                           WarningList& warnings)
    : use_(use),
      builder_(builder),
      warnings_(warnings),
      budget_(budget),
      costs_(budget),
      charge_(budget),
      not_recorded_(builder.AddGap(RangeGap::kNotRecorded)),
      undefined_(builder.AddGap(RangeGap::kUndefinedTag)) {}

void TaggedRanges::AddRecord(std::string_view record_name, std::span<const std::byte> content) {
  record_names_.emplace_back(record_name);
  if (Status status = ReadRecord(record_name, content); !status) {
    warnings_.Add(record_name, Fault::kRecord, std::move(status).error());
  }
}

Status TaggedRanges::ReadRecord(std::string_view, std::span<const std::byte> content) {
  HANDRAIL_ASSIGN_OR_RETURN(const Pickle pickle, Pickle::Parse(content, budget_));
  HANDRAIL_ASSIGN_OR_RETURN(const RangesRecord record, ReadRangesRecord(pickle));
  const auto entries = record.entries;
  HANDRAIL_RETURN_IF_ERROR(charge_.Take(entries.size() * kDefinitionBytes, "source ranges"));
  SourceTable sources(pickle, record.texts, builder_, costs_);
  for (size_t i = 0; i < entries.size(); ++i) ReadEntry(pickle, i, entries[i], sources);
  return {};
}

void TaggedRanges::ReadEntry(const Pickle& pickle, size_t index, PickleValue entry,
                             SourceTable& sources) {
  const std::string_view record = record_names_.back();
  const auto warn = [&](Fault fault, Error error) {
    warnings_.Add(record, error.code == ErrorCode::kLimit ? Fault::kMemory : fault,
                  std::move(error).In(fmt::format("entry {}", index)));
  };
  // Before 1.9 entries have no tag; PyTorch's mobile runtime skips them.
  const bool has_tag = entry.is_tuple() && entry.size() == 3;
  if (!has_tag && !(entry.is_tuple() && entry.size() == 2)) {
    return warn(Fault::kEntry,
                FailShape(pickle, entry, "source range", "a tuple of 2 or 3").value());
  }
  if (!has_tag && use_ == Use::kTagged) return;
  const auto parts = entry.elements();
  int64_t tag = 0;
  if (has_tag && use_ == Use::kTagged) {
    if (!parts[2].is_int()) {
      return warn(Fault::kEntry, FailShape(pickle, parts[2], "tag", "an int").value());
    }
    tag = parts[2].as_int();
  }
  Result<Definition> definition = ReadRange(pickle, index, parts[1], sources);
  if (!definition) {
    damaged_tags_.push_back(tag);
    return warn(Fault::kRange, std::move(definition).error());
  }
  if (use_ == Use::kEverything) {
    if (!definition->source.is_none()) {
      builder_.AddRange(definition->source, definition->start, definition->end);
    }
    return;
  }
  definition->tag = tag;
  definitions_.push_back(*definition);
}

Result<TaggedRanges::Definition> TaggedRanges::ReadRange(const Pickle& pickle, size_t index,
                                                         PickleValue range, SourceTable& sources) {
  HANDRAIL_ASSIGN_OR_RETURN(const auto parts, ExpectTupleOf(pickle, range, "source range", 3));
  HANDRAIL_ASSIGN_OR_RETURN(const int64_t start, pickle.ExpectInt(parts[1], "start"));
  HANDRAIL_ASSIGN_OR_RETURN(const int64_t end, pickle.ExpectInt(parts[2], "end"));
  HANDRAIL_ASSIGN_OR_RETURN(const RecordedSource source, sources.Read(parts[0]));
  // PyTorch takes offsets as unsigned: negative ones are beyond every text.
  Definition definition{.tag = 0,
                        .start = static_cast<uint64_t>(start),
                        .end = static_cast<uint64_t>(end),
                        .source = source.id,
                        .range = {},
                        .record = static_cast<uint32_t>(record_names_.size() - 1)};
  if (source.is_null && start == 0 && end == 0) {
    definition.range = builder_.AddGap(RangeGap::kNull);
  } else if (definition.start > source.text_size_bytes) {
    warnings_.Add(record_names_.back(), Fault::kStart, ErrorCode::kCorrupt, [&] {
      return fmt::format(
          "entry {}: start: need at most {} (the size of the source's text), have {}", index,
          source.text_size_bytes, start);
    });
    definition.source = SourceId::none();
    definition.range = builder_.AddGap(RangeGap::kOutsideText);
  } else if (source.is_null) {
    // Not PyTorch's null range: it prints a header for this one.
    DebugInfoBuilder::SourceOptions options{.file_name = {}, .first_line = 0, .text = ""};
    if (source.has_name) options.file_name = "";
    definition.source = builder_.AddSource(options);
  }
  return definition;
}

void TaggedRanges::Index() {
  const auto for_each_tag = [this](auto&& add) {
    for (const Definition& definition : definitions_) add(definition.tag);
    for (const int64_t tag : damaged_tags_) add(tag);
  };
  Result<Int64Index> tags = Int64Index::Of(for_each_tag, sizeof(uint32_t), budget_, "tags");
  if (!tags) {
    return warnings_.Add(record_names_.back(), Fault::kMemory, std::move(tags).error());
  }
  tags_ = *std::move(tags);
  rows_.assign(tags_.place_count(), kNoRow);
  for (uint32_t i = 0; i < definitions_.size(); ++i) {
    const Definition& definition = definitions_[i];
    uint32_t& row = rows_[tags_.PlaceOf(definition.tag)];
    if (row == kNoRow) {
      row = i;
    } else if (!definitions_[row].IsSameRange(definition)) {
      warnings_.Add(
          record_names_[definition.record], Fault::kTagConflict, ErrorCode::kConflict, [&] {
            return fmt::format("tag {} is another range than in record {}, which comes first",
                               definition.tag, Quoted(record_names_[definitions_[row].record]));
          });
    }
  }
  // What is damaged in one record may be whole in another.
  const RangeId damaged = builder_.AddGap(RangeGap::kDamagedRecord);
  for (const int64_t tag : damaged_tags_) {
    uint32_t& row = rows_[tags_.PlaceOf(tag)];
    if (row != kNoRow) continue;
    row = static_cast<uint32_t>(definitions_.size());
    definitions_.push_back(Definition{tag, 0, 0, {}, damaged, 0});
  }
}

std::vector<int64_t> TaggedRanges::DefinedTags() const {
  std::vector<int64_t> tags;
  for (uint32_t i = 0; i < definitions_.size(); ++i) {
    const int64_t tag = definitions_[i].tag;
    if (rows_[tags_.PlaceOf(tag)] == i) tags.push_back(tag);
  }
  return tags;
}

RangeId TaggedRanges::Find(int64_t tag) {
  const uint32_t place = tags_.PlaceOf(tag);
  const uint32_t row = place == Int64Index::kAbsent ? kNoRow : rows_[place];
  if (row == kNoRow) return tag == kNoTag ? not_recorded_ : undefined_;
  Definition& definition = definitions_[row];
  if (definition.range.is_none()) {
    definition.range = builder_.AddRange(definition.source, definition.start, definition.end);
  }
  return definition.range;
}

}  // namespace handrail
