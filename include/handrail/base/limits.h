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
// What looking for the records of an archive without a directory may inflate: kRecoveryInflateBase
// + kRecoveryInflateFactor x file size. Stops bombs that take time rather than memory.
inline constexpr uint64_t kRecoveryInflateBase = 64ull << 20;
inline constexpr uint64_t kRecoveryInflateFactor = 16;
// One pickle: offsets in it are 32 bits wide.
inline constexpr uint64_t kPickleBytesMax = UINT32_MAX;
// One script: offsets in it are 32 bits wide, and its tree takes up to 40 times its size.
inline constexpr uint32_t kScriptBytesMax = 64u << 20;
// Open brackets, operators and blocks at one place of a script: stops "((((" from growing the
// parser's stack without end. Chains such as `a.b().c()` and `a + b + c` are not deep.
inline constexpr uint32_t kScriptDepthMax = 1u << 20;

}  // namespace handrail::limits
