#include "handrail/graph/origin.h"

#include <algorithm>
#include <functional>

#include "handrail/base/check.h"

namespace handrail::graph {
namespace {

// Texts are compared by their bytes, but hashed by their size only: sources are few, and a file's
// name and size nearly name it.
uint64_t HashText(const std::optional<std::string_view>& text, bool by_size) {
  if (!text) return 1;
  return by_size ? text->size() + 2 : std::hash<std::string_view>()(*text);
}

struct LineColumn {
  uint32_t line;
  uint32_t column;
};

LineColumn Locate(std::string_view text, uint32_t first_line, size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto newlines = static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  // Beyond the text, the last line goes on for ever.
  return {first_line + newlines, static_cast<uint32_t>(offset - line_start + 1)};
}

}  // namespace

uint64_t HashOf(const SourceRow& row) {
  uint64_t hash = MixHash(HashText(row.file_name, false), row.first_line);
  return MixHash(hash, HashText(row.text, true));
}

uint64_t HashOf(const RangeRow& row) {
  const uint64_t hash = MixHash(row.source.index, uint64_t{row.start} << 32 | row.end);
  return MixHash(hash, static_cast<uint64_t>(row.gap));
}

uint64_t HashOf(const StackRow& row) {
  uint64_t hash = MixHash(row.caller.index, row.range.index);
  hash = MixHash(hash, uint64_t{row.function.index} << 32 | row.module_type.index);
  return MixHash(hash, row.module_name.index);
}

OriginTable::OriginTable() {
  HANDRAIL_CHECK(AddGap(RangeGap::kNull) == null_range());
}

std::string_view OriginTable::KeepText(std::string text) {
  return *texts_.emplace_back(std::make_unique<std::string>(std::move(text)));
}

SourceId OriginTable::AddSource(const SourceRow& source) {
  SourceRow row = source;
  if (row.file_name) row.file_name = file_names_.at(file_names_.Intern(*row.file_name));
  return sources_.Intern(row);
}

OriginTable::Place OriginTable::PlaceOf(RangeId id) const {
  const RangeRow& row = range(id);
  if (row.source.is_none()) return {};
  const SourceRow& from = source(row.source);
  if (!from.text || row.start > from.text->size()) return {};
  const LineColumn start = Locate(*from.text, from.first_line, row.start);
  const LineColumn end = Locate(*from.text, from.first_line, row.end);
  return {start.line, start.column, end.line, end.column};
}

StackId StackPrefixer::operator()(StackId stack) {
  if (prefix_.is_none()) return stack;
  // Outwards to a stack that is known, then back.
  std::vector<StackId> chain;
  StackId result = prefix_;
  for (; !stack.is_none(); stack = origins_.stack(stack).caller) {
    const auto known = known_.find(stack);
    if (known != known_.end()) {
      result = known->second;
      break;
    }
    chain.push_back(stack);
  }
  for (size_t i = chain.size(); i-- > 0;) {
    StackRow row = origins_.stack(chain[i]);
    row.caller = result;
    result = origins_.AddStack(row);
    known_.emplace(chain[i], result);
  }
  return result;
}

}  // namespace handrail::graph
