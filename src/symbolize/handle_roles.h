// What part a handle can play in a list of handles that PyTorch prints: what keeps a list that was
// printed without separators from being split at random.
#pragma once

#include <cstdint>

#include "handrail/debug_map/debug_map.h"

namespace handrail {

enum class HandleRole : uint8_t {
  kNone,           // not of this map
  kNoHandle,       // -1: an instruction without a handle
  kBackend,        // a node inside a backend's blob
  kInstruction,    // an instruction that calls nothing: only ever innermost
  kCall,           // an instruction that calls another function
  kGeneratedCall,  // the same in generated wrapper code, so that a backend may be what it calls
  kAny,            // of this map, but it does not say what it stands for
};

HandleRole RoleOf(const DebugMap& map, DebugHandle handle);

// Which lists are possible, as an automaton: a list of handles, innermost first, is possible if its
// roles lead from kListStart to a set other than kImpossible. PyTorch lists the handles of a
// backend, if one failed, then those of the interpreter's frames: the innermost, then the calls
// around it.
using ListStates = uint8_t;
inline constexpr ListStates kImpossible = 0;
inline constexpr ListStates kListStart = 1;
inline constexpr ListStates kListStatesCount = 8;
ListStates Step(ListStates states, HandleRole role);

}  // namespace handrail
