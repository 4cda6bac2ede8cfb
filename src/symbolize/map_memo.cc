#include "symbolize/map_memo.h"

#include <optional>

#include "symbolize/generated_code.h"
#include "symbolize/snippet.h"

namespace handrail {
namespace {

// The byte offset of a position, or nothing if the text has no such line.
std::optional<uint64_t> OffsetOf(const std::vector<uint64_t>& line_starts, Position position) {
  if (position.line == 0 || position.column == 0) return std::nullopt;
  if (position.line > line_starts.size()) return std::nullopt;
  return line_starts[position.line - 1] + position.column - 1;
}

}  // namespace

Answer<const MapMemo::Name*> MapMemo::NameOf(StringId id) {
  if (const Name* known = names_.Find(id.index)) return known;
  TextBuffer buffer;
  const Answer<std::string_view> text = map_->string(id, buffer);
  if (!text) return tl::unexpected<Unknown>(text.error());
  Name name;
  name.text = arena_.Copy(*text);
  name.last_atom = LastAtom(name.text);
  name.owner = WithoutLastAtom(name.text);
  name.is_generated_type = IsGeneratedType(name.text);
  name.is_owner_generated = IsGeneratedType(name.owner);
  return names_.Insert(id.index, name);
}

Answer<const MapMemo::Name*> MapMemo::NameOrNull(StringId id) {
  if (id.is_none()) return nullptr;
  return NameOf(id);
}

Answer<const MapMemo::Call*> MapMemo::CallOf(StackId id) {
  if (const Call* known = calls_.Find(id.index)) return known;
  const Answer<Stack> stack = map_->stack(id);
  if (!stack) return tl::unexpected<Unknown>(stack.error());
  const Answer<CallSite> site = map_->call_site(stack->call_site);
  if (!site) return tl::unexpected<Unknown>(site.error());
  const auto function = NameOrNull(site->function);
  if (!function) return tl::unexpected<Unknown>(function.error());
  const auto type = NameOrNull(site->module_type);
  if (!type) return tl::unexpected<Unknown>(type.error());
  const auto instance = NameOrNull(site->module_name);
  if (!instance) return tl::unexpected<Unknown>(instance.error());
  const auto range = RangeOf(site->range);
  if (!range) return tl::unexpected<Unknown>(range.error());
  return calls_.Insert(id.index, Call{*function, *type, *instance, *range, stack->caller});
}

Answer<const MapMemo::Range*> MapMemo::RangeOf(RangeId id) {
  if (const Range* known = ranges_.Find(id.index)) return known;
  const Answer<DebugMap::Location> location = map_->location(id);
  if (!location) return tl::unexpected<Unknown>(location.error());
  Range range;
  range.location = *location;
  range.has_source = !location->range.source.is_none();
  range.gap = location->range.gap;
  if (range.has_source) {
    if (!location->file_name.is_none()) {
      const Answer<const Name*> file = NameOf(location->file_name);
      if (!file) return tl::unexpected<Unknown>(file.error());
      range.file = (*file)->text;
    }
    Render(range);
  }
  return ranges_.Insert(id.index, range);
}

void MapMemo::Render(Range& range) {
  const DebugMap::Location& location = range.location;
  const bool has_file_name = !location.file_name.is_none();
  const SourceText& source = TextOf(location.range.source);
  const std::optional<uint64_t> start = OffsetOf(source.line_starts, location.range.start);
  const std::optional<uint64_t> end = OffsetOf(source.line_starts, location.range.end);
  if (source.has_text && start && end) {
    const RangeText text =
        RenderRange(source.text, *start, *end, has_file_name, range.file, location.line);
    range.has_header = text.has_header;
    range.header = arena_.Copy(text.header);
    range.body = arena_.Copy(text.body);
    if (*start <= source.text.size()) {
      range.is_generated_call = IsGeneratedCall(std::string_view(source.text).substr(*start));
    }
    return;
  }
  if (!has_file_name) return;
  range.has_header = true;
  range.header = arena_.Copy(FrameHeader(range.file, location.line));
}

const MapMemo::SourceText& MapMemo::TextOf(SourceId id) {
  if (const SourceText* known = sources_.Find(id.index)) return *known;
  SourceText source;
  if (map_->has_source_text()) {
    // A text that cannot be read leaves the frame's header, which is right without it.
    if (Result<std::string> text = map_->SourceText(id)) {
      source.has_text = true;
      source.text = *std::move(text);
    }
  }
  source.line_starts.push_back(0);
  for (size_t at = source.text.find('\n'); at != std::string::npos;
       at = source.text.find('\n', at + 1)) {
    source.line_starts.push_back(at + 1);
  }
  source_bytes_ += source.text.capacity() + source.line_starts.capacity() * sizeof(uint64_t);
  return *sources_.Insert(id.index, std::move(source));
}

size_t MapMemo::size_bytes() const {
  return arena_.size_bytes() + names_.size_bytes() + ranges_.size_bytes() + calls_.size_bytes() +
         sources_.size_bytes() + source_bytes_;
}

void MapMemo::Clear() {
  arena_.Clear();
  names_.Clear();
  ranges_.Clear();
  calls_.Clear();
  sources_.Clear();
  source_bytes_ = 0;
}

}  // namespace handrail
