// The lines of schemas.txt, as the build embeds them.
#pragma once

#include <string_view>

namespace handrail::graph {

// Comments begin with `#`; every other line is one schema. Sorted by operator name.
extern const std::string_view kSchemaText;

}  // namespace handrail::graph
