// Names for classes that lowering adds to an archive.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "archive/archive.h"

namespace handrail {

// Each class gets a code file of its own. Like PyTorch, names that are taken get one more part:
// "__torch__.___torch_mangle_3.M".
class ClassNames {
 public:
  // `archive` must outlive it.
  explicit ClassNames(const Archive& archive);

  // The name itself, if the archive has no code file for it, else a mangled one.
  std::string Unused(const std::string& class_name);
  std::string Mangled(std::string_view class_name);

 private:
  const Archive& archive_;
  uint64_t next_number_ = 0;
  std::set<std::string> given_;  // names of code files
};

}  // namespace handrail
