#include "graph/graph_text_words.h"

#include <algorithm>
#include <iterator>

namespace handrail::graph {
namespace {

struct GapName {
  RangeGap gap;
  std::string_view name;
};
constexpr GapName kGapNames[] = {
#define HANDRAIL_RANGE_GAP(name, text) {RangeGap::name, #name},
#include "handrail/debug_info/range_gaps.def"
};

}  // namespace

std::string_view NameOf(RangeGap gap) {
  return std::ranges::find(kGapNames, gap, &GapName::gap)->name;
}

std::optional<RangeGap> RangeGapOf(std::string_view name) {
  const auto* found = std::ranges::find(kGapNames, name, &GapName::name);
  if (found == std::end(kGapNames)) return std::nullopt;
  return found->gap;
}

AttributeKind UsualAttributeKind(StringId attribute) {
  if (attribute == symbols::kAttributeValue || attribute == symbols::kAttributeBegin ||
      attribute == symbols::kAttributeEnd) {
    return AttributeKind::kConstant;
  }
  return attribute == symbols::kAttributeTypes ? AttributeKind::kType : AttributeKind::kString;
}

}  // namespace handrail::graph
