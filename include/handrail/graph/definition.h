// Definitions of named types: classes, modules, interfaces, enums, NamedTuples, and the custom
// classes that only a runtime knows.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "handrail/base/id.h"
#include "handrail/base/string_pool.h"
#include "handrail/graph/constant.h"
#include "handrail/graph/schema.h"
#include "handrail/graph/type.h"

namespace handrail::graph {

using FunctionId = Id<struct FunctionTag>;

enum class DefinitionKind : uint8_t {
  kClass,
  kModule,
  kInterface,        // of classes
  kModuleInterface,  // of modules
  kEnum,
  kNamedTuple,
  kCustomClass,  // `__torch__.torch.classes.…`: known by name, methods by their schemas
};

// An attribute of a class or module, or a field of a NamedTuple.
struct AttributeDefinition {
  StringId name;
  TypeId type;
  bool is_parameter = false;
  bool is_buffer = false;
  ConstantId default_value = {};  // of a NamedTuple's field; none: there is none
};

// A name that stands for a value known to the class: `__constants__`, members of an enum.
struct ConstantDefinition {
  StringId name;
  ConstantId value;
};

struct MethodDefinition {
  StringId name;        // without the class: "forward"
  SchemaId schema;      // `self` first; none until the method's head was read
  FunctionId function;  // none: of an interface or custom class
};

struct Definition {
  DefinitionKind kind;
  StringId name;  // qualified, mangling atoms included: "__torch__.___torch_mangle_3.C"
  TypeId type;    // its own; NamedTuples: none until CompleteNamedTuple
  std::vector<AttributeDefinition> attributes;
  std::vector<ConstantDefinition> constants;
  std::vector<MethodDefinition> methods;
  // Functions called around forward, in order.
  std::vector<FunctionId> forward_hooks;
  std::vector<FunctionId> forward_pre_hooks;
  TypeId enum_value_type;  // of an enum: int, float or str

  bool is_module() const {
    return kind == DefinitionKind::kModule || kind == DefinitionKind::kModuleInterface;
  }
  bool is_interface() const {
    return kind == DefinitionKind::kInterface || kind == DefinitionKind::kModuleInterface;
  }
  // Positions in the vectors above, or nothing.
  std::optional<uint32_t> FindAttribute(StringId attribute) const;
  std::optional<uint32_t> FindConstant(StringId constant) const;
  std::optional<uint32_t> FindMethod(StringId method) const;
};

// The last part of a qualified name: "C" of "__torch__.___torch_mangle_3.C".
std::string_view LastAtom(std::string_view qualified_name);

}  // namespace handrail::graph
