// The code of the two classes that take a lowered module's place, in PyTorch's shape:
// the lowered module, which hands inputs to the backend, and the wrapper around it, which has the
// methods of the module that was lowered.
#pragma once

#include <string>
#include <vector>

#include "lowering/generated_class.h"

namespace handrail {

// A method that was lowered; types as Python annotates them.
struct LoweredMethod {
  struct Argument {
    std::string name;
    std::string type;
  };
  std::string name;
  std::vector<Argument> arguments;  // without `self`
  std::string result_type;
  // What the backend gives: the elements of a tuple, or the one result.
  std::vector<std::string> output_types;
  bool returns_tuple = false;
};

// `class_name` is qualified: "torch.jit.LoweredModule.demo.__torch__.M".
GeneratedClass LoweredModuleCode(const std::string& class_name, const std::string& backend,
                                 const std::vector<LoweredMethod>& methods);
// `lowered_class`: the class of its attribute `__loweredModule__`.
GeneratedClass LoweredWrapperCode(const std::string& class_name, const std::string& lowered_class,
                                  const std::vector<LoweredMethod>& methods);

}  // namespace handrail
