// The verbs of the golden tests of debug maps. docs/testing.md lists them.
#pragma once

#include "test/support/golden.h"

namespace handrail::golden {

// Verbs of one file of cases. They share what the cases before have made: `map` describes debug
// info (test/support/debug_info_text.h) and makes a map of it, the others look at the last one.
GoldenVerbs MakeMapVerbs();

}  // namespace handrail::golden
