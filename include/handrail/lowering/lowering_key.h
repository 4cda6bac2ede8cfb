// What names a lowering and gives it its handle space.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "handrail/backend/backend.h"
#include "handrail/base/hash128.h"
#include "handrail/graph/compilation_unit.h"

namespace handrail {

struct LoweringIdentity {
  std::string_view backend;
  std::string_view module_type;  // qualified
  std::string_view module_path;  // dotted; "" for the whole model
  std::string_view options;      // the compile spec, in any form that is always the same
};

// A hash of everything that the debug info of a lowering depends on: its identity, the methods, and
// for each of their nodes, in the order in which they get handles, its name, range and call stack,
// with the names and texts of the sources. The same model gives the same key in every process and
// on every machine; a change that moves a line gives another. `methods` are graphs of `unit`.
Hash128 LoweringKey(const LoweringIdentity& identity, const graph::CompilationUnit& unit,
                    std::span<const MethodToLower> methods);

// The key to take instead of one whose handle space another lowering has; `salt` counts the tries
// from 1.
Hash128 SaltedKey(const Hash128& key, uint64_t salt);

}  // namespace handrail
