#include "lowering/class_names.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "lowering/code_files.h"

namespace handrail {
namespace {

constexpr std::string_view kMangle = "___torch_mangle_";

}  // namespace

ClassNames::ClassNames(const Archive& archive) : archive_(archive) {
  for (const ArchiveRecord& record : archive.records()) {
    const size_t at = record.name.find(kMangle);
    if (at == std::string_view::npos) continue;
    const std::string_view digits = record.name.substr(at + kMangle.size());
    uint64_t number = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (read.ec == std::errc() && number < UINT32_MAX) {
      next_number_ = std::max(next_number_, number + 1);
    }
  }
}

std::string ClassNames::Unused(const std::string& class_name) {
  const std::string record_name = CodeRecordName(class_name);
  if (archive_.Find(record_name) == nullptr && given_.insert(record_name).second) {
    return class_name;
  }
  return Mangled(class_name);
}

std::string ClassNames::Mangled(std::string_view class_name) {
  const size_t dot = class_name.rfind('.');
  std::string_view qualifier = class_name.substr(0, dot);
  const std::string_view name = class_name.substr(dot + 1);
  const size_t last = qualifier.rfind('.');
  if (last != std::string_view::npos && qualifier.substr(last + 1).starts_with(kMangle)) {
    qualifier = qualifier.substr(0, last);
  }
  std::string mangled = fmt::format("{}.{}{}.{}", qualifier, kMangle, next_number_++, name);
  given_.insert(CodeRecordName(mangled));
  return mangled;
}

}  // namespace handrail
