#include "handrail/runtime/load.h"

#include <fmt/format.h>

#include "archive/archive.h"
#include "runtime/load_archive.h"

namespace handrail::runtime {
namespace {

// What only archives for the mobile runtime have.
constexpr std::string_view kBytecodeRecord = "bytecode.pkl";

Result<ModuleParts> ReadParts(std::span<const std::byte> bytes, const std::string& name,
                              std::shared_ptr<const void> owner) {
  MemoryBudget budget(bytes.size());
  if (const ContentKind content = RecognizeContent(bytes); content != ContentKind::kZip) {
    return Fail(content == ContentKind::kEmpty ? ErrorCode::kTruncated : ErrorCode::kUnsupported,
                fmt::format("{}: need a module archive or a mobile archive, have {}", name,
                            content == ContentKind::kEmpty ? "no bytes" : "another kind of file"));
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Archive archive, Archive::Open(bytes, name, budget));
  const bool is_mobile = archive.Find(kBytecodeRecord) != nullptr;
  return is_mobile ? ReadMobileArchive(archive, bytes, budget, std::move(owner))
                   : ReadModuleArchive(archive, bytes, budget, std::move(owner));
}

}  // namespace

Result<Module> Load(std::span<const std::byte> bytes, const std::string& name,
                    const ModuleOptions& options, std::shared_ptr<const void> owner) {
  HANDRAIL_ASSIGN_OR_RETURN(ModuleParts parts, ReadParts(bytes, name, std::move(owner)));
  Result<Module> module = Module::Make(std::move(parts), options);
  if (!module) return tl::unexpected<Error>(std::move(module).error().In(name));
  return module;
}

}  // namespace handrail::runtime
