// Names of the classes that a lowered module brings with it, as PyTorch makes them.
#pragma once

#include <string_view>

namespace handrail::graph {

// "__torch__.torch.classes.__backends__.demo": the custom class of the backend "demo".
inline constexpr std::string_view kBackendClassPrefix = "__torch__.torch.classes.__backends__.";
// PyTorch's holder of a lowered module's debug info; ours is elsewhere (torch_debug/own_records.h).
inline constexpr std::string_view kBackendDebugInfoClass =
    "__torch__.torch.classes.backendutils.BackendDebugInfo";
// "torch.jit.LoweredModule.demo.__torch__.M": a module that was lowered to it.
inline constexpr std::string_view kLoweredModulePrefix = "torch.jit.LoweredModule.";

// Whether a class, by its qualified name, is one of a lowered module.
inline bool IsLoweredModule(std::string_view class_name) {
  return class_name.find(".LoweredModule.") != std::string_view::npos;
}

}  // namespace handrail::graph
