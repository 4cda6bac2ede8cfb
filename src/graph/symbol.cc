#include "handrail/graph/symbol.h"

#include "handrail/base/check.h"

namespace handrail::graph {

void AddSymbols(StringPool& strings) {
#define HANDRAIL_SYMBOL(name, text) HANDRAIL_CHECK(strings.Intern(text) == symbols::name);
#include "handrail/graph/symbols.def"
}

}  // namespace handrail::graph
