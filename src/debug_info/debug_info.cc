#include "handrail/debug_info/debug_info.h"

namespace handrail {

uint64_t HashOf(const Source& source) {
  return MixHash(MixHash(source.file_name.index, source.first_line), source.text.index);
}

uint64_t HashOf(const SourceRange& range) {
  const uint64_t start = uint64_t{range.start.line} << 32 | range.start.column;
  const uint64_t end = uint64_t{range.end.line} << 32 | range.end.column;
  const uint64_t source = uint64_t{range.source.index} << 8 | static_cast<uint64_t>(range.gap);
  return MixHash(MixHash(source, start), end);
}

uint64_t HashOf(const CallSite& call_site) {
  const uint64_t callee = uint64_t{call_site.function.index} << 32 | call_site.range.index;
  const uint64_t module = uint64_t{call_site.module_type.index} << 32 | call_site.module_name.index;
  return MixHash(callee, module);
}

uint64_t HashOf(const Stack& stack) {
  return MixHash(0, uint64_t{stack.caller.index} << 32 | stack.call_site.index);
}

std::string_view ToString(RangeGap gap) {
  switch (gap) {
#define HANDRAIL_RANGE_GAP(name, text) \
  case RangeGap::name:                 \
    return text;
#include "handrail/debug_info/range_gaps.def"
  }
  return "of an unknown kind";
}

std::string_view ToString(UnitKind kind) {
  switch (kind) {
#define HANDRAIL_UNIT_KIND(name, value, text) \
  case UnitKind::name:                        \
    return text;
#include "handrail/debug_info/unit_kinds.def"
  }
  return "unknown";
}

}  // namespace handrail
