#include "handrail/debug_info/handle.h"

namespace handrail {

uint32_t HandleSpaceForKey(const Hash128& key, uint32_t ordinal) {
  Hash128 derived = key;
  if (ordinal != 0) derived = FieldHasher().Add(key).Add(uint64_t{ordinal}).Finish();
  const auto space = static_cast<uint32_t>(derived.high >> (64 - kHandleSpaceBits));
  // Bytecode owns space 0. Its neighbour takes the keys that fall there: two keys that meet in it
  // are detected like any other clash.
  return space == kBytecodeSpace ? 1 : space;
}

}  // namespace handrail
