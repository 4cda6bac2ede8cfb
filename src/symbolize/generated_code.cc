#include "symbolize/generated_code.h"

namespace handrail {

bool IsGeneratedType(std::string_view qualified_type) {
  // Types that authors write begin with "__torch__.".
  if (!qualified_type.starts_with("torch.jit.")) return false;
  if (qualified_type.starts_with("torch.jit.LoweredWrapper.")) return true;
  if (qualified_type.starts_with("torch.jit.LoweredModule.")) return true;
  // PyTorch before 1.10: torch.jit.<backend>LoweredModule, and no wrapper.
  return LastAtom(qualified_type).ends_with("LoweredModule");
}

bool IsGeneratedCall(std::string_view text) {
  return text.starts_with("self.__backend.execute(self.__handles[\"") ||
         text.starts_with("self.__loweredModule__.");
}

std::string_view LastAtom(std::string_view qualified_name) {
  return qualified_name.substr(qualified_name.rfind('.') + 1);
}

std::string_view WithoutLastAtom(std::string_view qualified_name) {
  const size_t dot = qualified_name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : qualified_name.substr(0, dot);
}

}  // namespace handrail
