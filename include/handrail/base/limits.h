// Named limits on everything that input can ask for. Each says what it stops.
#pragma once

#include <cstdint>

namespace handrail::limits {

// A debug map or archive holds at most this many of each kind of row; ids are 32 bits wide and the
// largest is "none".
inline constexpr uint32_t kRowsMax = UINT32_MAX - 1;
// Depth of one inlined call stack: stops runaway recursion in input, not honest models. Chains are
// walked by loops, so depth costs time only.
inline constexpr uint32_t kCallStackDepthMax = 1u << 20;
// Nested containers in one pickle value: stops "((((" from growing the mark stack without end.
inline constexpr uint32_t kPickleDepthMax = 1u << 20;
// Memory that reading an archive may take: kArchiveMemoryBase + kArchiveMemoryFactor x file size.
// Stops zip bombs and pickles that expand.
inline constexpr uint64_t kArchiveMemoryBase = 12ull << 20;
inline constexpr uint64_t kArchiveMemoryFactor = 3;

}  // namespace handrail::limits
