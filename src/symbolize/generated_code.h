// Recognizes the code that PyTorch generates around a lowered module: frames that no author wrote.
// docs/traces.md, "Generated wrapper code", says how, and why nothing else can look like it.
#pragma once

#include <string_view>

namespace handrail {

// The attribute by which a wrapper holds its lowered module.
inline constexpr std::string_view kLoweredModuleName = "__loweredModule__";

// Whether a module type (qualified name) is one of those that PyTorch makes when it lowers a
// module.
bool IsGeneratedType(std::string_view qualified_type);

// Whether code that begins like `text` is a generated method's call into the lowered module or into
// the backend. For archives that do not say which type a function belongs to.
bool IsGeneratedCall(std::string_view text);

// What is after the last '.', and before it ("" if there is none).
std::string_view LastAtom(std::string_view qualified_name);
std::string_view WithoutLastAtom(std::string_view qualified_name);

}  // namespace handrail
