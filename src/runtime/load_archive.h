// The parts of a module, from each kind of archive.
#pragma once

#include <memory>
#include <span>

#include "handrail/runtime/module.h"

#include "archive/archive.h"

namespace handrail::runtime {

// A `.pt`: compiles its methods. `archive` is over `bytes`; for `owner` see Load.
Result<ModuleParts> ReadModuleArchive(const Archive& archive, std::span<const std::byte> bytes,
                                      MemoryBudget& budget, std::shared_ptr<const void> owner);

// A `.ptl`: reads its bytecode.
Result<ModuleParts> ReadMobileArchive(const Archive& archive, std::span<const std::byte> bytes,
                                      MemoryBudget& budget, std::shared_ptr<const void> owner);

}  // namespace handrail::runtime
