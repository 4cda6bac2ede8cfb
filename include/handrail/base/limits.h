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
// Nested expressions and blocks of a script that is compiled: stops a stack overflow, since
// compiling recurses over them. Measured: 1,000 levels take 2 MB of stack with sanitizers on.
// Chains such as `a.b().c()` and `a + b + c` are not deep.
inline constexpr uint32_t kEmitDepthMax = 1'000;
// Functions that are compiled because another needs their result types, which is compiled for a
// third, and so on: each takes the stack of all that it is nested in.
inline constexpr uint32_t kEmitWaitingMax = 100;

// Types inside of types, walked by recursion when types are compared: stops ((((…)))) from
// exhausting the stack. What lies deeper compares as different.
inline constexpr uint32_t kTypeDepthMax = 256;
// Pairs of types that one comparison looks at: stops unions of tuples of unions from taking for
// ever. Beyond it, types compare as different.
inline constexpr uint32_t kTypeComparisonsMax = 1u << 20;

// Dimensions of one tensor (PyTorch's operators take 64): many tensors may name one tuple of sizes.
inline constexpr uint32_t kTensorDimensionsMax = 64;
// One tensor that a program makes: stops sizes out of corrupt constants from taking all memory.
inline constexpr uint64_t kTensorBytesMax = 1ull << 36;

// Classes and functions of an archive's code that wait for each other: enums whose members are
// those of other enums, functions whose result types only their bodies tell. Each level may take as
// much stack as kEmitDepthMax allows; what PyTorch writes has one.
inline constexpr uint32_t kLoadDepthMax = 3;

// Nodes of one graph whose calls were replaced: n functions that call each other twice spell 2^n.
inline constexpr uint32_t kInlinedNodesMax = 1u << 23;

}  // namespace handrail::limits
