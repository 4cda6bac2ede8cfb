// Words that the writer and the parser of the text form share.
#pragma once

#include <optional>
#include <string_view>

#include "handrail/debug_info/debug_info.h"
#include "handrail/graph/graph.h"
#include "handrail/graph/symbol.h"

namespace handrail::graph {

std::string_view NameOf(RangeGap gap);
std::optional<RangeGap> RangeGapOf(std::string_view name);

// The kind that an attribute of that name has when nothing else is said.
AttributeKind UsualAttributeKind(StringId attribute);

}  // namespace handrail::graph
