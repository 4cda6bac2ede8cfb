// Heads of functions and classes.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "graph/emit.h"
#include "graph/emit_literal_value.h"
#include "script/literals.h"

namespace handrail::graph {

using script::NodeKind;
using script::SyntaxId;

namespace {

tl::unexpected<Error> FailAt(const EmitText& text, SyntaxId id, std::string_view message,
                             ErrorCode code = ErrorCode::kCorrupt) {
  return tl::unexpected<Error>(script::ErrorAt(code, text.tree, id, message));
}

Argument MakeArgument(StringId name, TypeId type) {
  return {.name = name, .type = type, .default_value = {}, .alias = {}};
}

// `int[2]` of `BroadcastingList2[int]`; 0: it is another annotation.
uint32_t ListSizeOf(const EmitText& text, SyntaxId annotation) {
  constexpr std::string_view kPrefix = "BroadcastingList";
  if (text.tree.kind(annotation) != NodeKind::kSubscript) return 0;
  const std::string_view name = text.tree.text(text.tree.subscript(annotation).value);
  if (!name.starts_with(kPrefix) || name.size() != kPrefix.size() + 1) return 0;
  const char digit = name.back();
  return digit >= '1' && digit <= '9' ? static_cast<uint32_t>(digit - '0') : 0;
}

Result<Schema> ReadHead(CompilationUnit& unit, const EmitText& text, SyntaxId function_syntax,
                        StringId name, TypeId self_type) {
  const script::FunctionView view = text.tree.function(function_syntax);
  Schema schema{.name = name, .overload = unit.strings.Intern(""), .arguments = {}, .results = {}};
  bool is_self = !self_type.is_none();
  if (is_self && view.parameters.empty()) {
    return FailAt(text, function_syntax, "need 'self' as a method's first parameter");
  }
  for (const SyntaxId id : view.parameters) {
    const script::ParameterView parameter = text.tree.parameter(id);
    Argument argument = MakeArgument(unit.strings.Intern(parameter.name), types::kTensor);
    argument.is_keyword_only = parameter.is_keyword_only;
    if (is_self) {
      argument.type = self_type;
      is_self = false;
    } else if (!parameter.type.is_none()) {
      HANDRAIL_ASSIGN_OR_RETURN(argument.type, ReadType(unit, text, parameter.type));
      argument.list_size = ListSizeOf(text, parameter.type);
    }
    if (!parameter.default_value.is_none()) {
      HANDRAIL_ASSIGN_OR_RETURN(argument.default_value,
                                LiteralValue(unit, text, parameter.default_value, argument.type));
    }
    schema.arguments.push_back(argument);
  }
  if (!view.result_type.is_none()) {
    HANDRAIL_ASSIGN_OR_RETURN(const TypeId result, ReadType(unit, text, view.result_type));
    schema.results.push_back(MakeArgument(StringId::none(), result));
  }
  return schema;
}

class ClassReader {
 public:
  ClassReader(CompilationUnit& unit, const EmitText& text, DefinitionId id)
      : unit_(unit), text_(text), tree_(text.tree), id_(id) {}

  Result<std::vector<DeclaredMethod>> Read(SyntaxId class_syntax) {
    const script::ClassView view = tree_.class_definition(class_syntax);
    for (const SyntaxId statement : tree_.children(view.body)) {
      switch (tree_.kind(statement)) {
        case NodeKind::kAssign:
          HANDRAIL_RETURN_IF_ERROR(ReadAssign(statement));
          break;
        case NodeKind::kFunction:
          HANDRAIL_RETURN_IF_ERROR(ReadMethod(statement));
          break;
        case NodeKind::kPass:
        case NodeKind::kExpressionStatement:  // a text that documents the class
          break;
        default:
          return FailAt(text_, statement, "this cannot stand in a class");
      }
    }
    for (AttributeDefinition& attribute : definition().attributes) {
      attribute.is_parameter = Has(parameters_, attribute.name);
      attribute.is_buffer = Has(buffers_, attribute.name);
    }
    if (definition().kind == DefinitionKind::kNamedTuple) unit_.CompleteNamedTuple(id_);
    if (definition().kind == DefinitionKind::kEnum && !definition().constants.empty()) {
      definition().enum_value_type = unit_.constants.at(definition().constants[0].value).type;
    }
    return std::move(methods_);
  }

 private:
  Definition& definition() { return unit_.definition(id_); }
  bool Has(const std::vector<StringId>& names, StringId name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  Status ReadNames(SyntaxId list, std::vector<StringId>& names) {
    if (list.is_none() || tree_.kind(list) != NodeKind::kList) {
      return FailAt(text_, list.is_none() ? SyntaxId{0} : list, "need a list of names");
    }
    for (const SyntaxId name : tree_.children(list)) {
      if (tree_.kind(name) != NodeKind::kString)
        return FailAt(text_, name, "need a name in quotes");
      names.push_back(unit_.strings.Intern(script::StringValue(tree_, name)));
    }
    return {};
  }

  Status AddAttribute(SyntaxId place, StringId name, SyntaxId annotation, SyntaxId value) {
    HANDRAIL_ASSIGN_OR_RETURN(const TypeId type, ReadType(unit_, text_, annotation));
    if (definition().FindAttribute(name)) {
      return FailAt(text_, place, fmt::format("attribute '{}' is defined twice", unit_.text(name)));
    }
    AttributeDefinition attribute{.name = name, .type = type, .default_value = {}};
    if (!value.is_none()) {
      HANDRAIL_ASSIGN_OR_RETURN(attribute.default_value, LiteralValue(unit_, text_, value, type));
    }
    definition().attributes.push_back(attribute);
    return {};
  }

  Status AddConstant(SyntaxId place, StringId name, SyntaxId value, TypeId type) {
    HANDRAIL_ASSIGN_OR_RETURN(const ConstantId constant, LiteralValue(unit_, text_, value, type));
    if (definition().FindConstant(name)) {
      return FailAt(text_, place, fmt::format("'{}' is defined twice", unit_.text(name)));
    }
    definition().constants.push_back({name, constant});
    return {};
  }

  Status ReadAssign(SyntaxId statement) {
    const script::AssignView view = tree_.assign(statement);
    const SyntaxId target = view.targets[0];
    if (tree_.kind(target) == NodeKind::kSubscript) {
      // `__annotations__["0"] = T`: attributes whose names are no names of Python.
      const script::SubscriptView subscript = tree_.subscript(target);
      if (subscript.indices.size() != 1 || view.value.is_none() ||
          tree_.kind(subscript.indices[0]) != NodeKind::kString) {
        return FailAt(text_, statement, "this cannot stand in a class");
      }
      return AddAttribute(target,
                          unit_.strings.Intern(script::StringValue(tree_, subscript.indices[0])),
                          view.value, SyntaxId::none());
    }
    if (tree_.kind(target) != NodeKind::kName) {
      return FailAt(text_, statement, "this cannot stand in a class");
    }
    const std::string_view name = tree_.text(target);
    if (name == "__parameters__") return ReadNames(view.value, parameters_);
    if (name == "__buffers__") return ReadNames(view.value, buffers_);
    if (name == "__forward_hooks__") return ReadNames(view.value, hooks_);
    if (name == "__forward_pre_hooks__") return ReadNames(view.value, pre_hooks_);
    if (name == "__annotations__") return {};
    const StringId id = unit_.strings.Intern(name);
    if (definition().kind == DefinitionKind::kEnum) {
      if (view.value.is_none()) return FailAt(text_, statement, "need a value of an enum's member");
      return AddConstant(target, id, view.value, TypeId::none());
    }
    if (view.type.is_none()) return FailAt(text_, statement, "need a type of an attribute");
    if (view.value.is_none() || definition().kind == DefinitionKind::kNamedTuple) {
      return AddAttribute(target, id, view.type, view.value);
    }
    HANDRAIL_ASSIGN_OR_RETURN(const TypeId type, ReadType(unit_, text_, view.type));
    return AddConstant(target, id, view.value, type);
  }

  Status ReadMethod(SyntaxId statement) {
    const script::FunctionView view = tree_.function(statement);
    const StringId name = unit_.strings.Intern(view.name);
    const StringId qualified =
        unit_.strings.Intern(fmt::format("{}.{}", unit_.text(definition().name), view.name));
    HANDRAIL_ASSIGN_OR_RETURN(Schema schema,
                              ReadHead(unit_, text_, statement, qualified, definition().type));
    const SchemaId schema_id = unit_.AddSchema(std::move(schema));
    if (definition().is_interface()) {
      definition().methods.push_back({name, schema_id, FunctionId::none()});
      return {};
    }
    Result<FunctionId> function = unit_.AddFunction(qualified, id_);
    if (!function) return FailAt(text_, statement, function.error().message, function.error().code);
    unit_.function(*function).schema = schema_id;
    methods_.push_back({*function, statement});
    if (Has(hooks_, name)) {
      definition().forward_hooks.push_back(*function);
    } else if (Has(pre_hooks_, name)) {
      definition().forward_pre_hooks.push_back(*function);
    } else {
      definition().methods.push_back({name, schema_id, *function});
    }
    return {};
  }

  CompilationUnit& unit_;
  const EmitText& text_;
  const script::SyntaxTree& tree_;
  DefinitionId id_;
  std::vector<StringId> parameters_;
  std::vector<StringId> buffers_;
  std::vector<StringId> hooks_;
  std::vector<StringId> pre_hooks_;
  std::vector<DeclaredMethod> methods_;
};

}  // namespace

Result<DefinitionKind> DefinitionKindOf(const EmitText& text, SyntaxId class_syntax) {
  const SyntaxId base = text.tree.class_definition(class_syntax).base;
  if (base.is_none()) return DefinitionKind::kClass;
  const std::string_view name = text.tree.text(base);
  if (name == "Module") return DefinitionKind::kModule;
  if (name == "Interface") return DefinitionKind::kInterface;
  if (name == "ModuleInterface") return DefinitionKind::kModuleInterface;
  if (name == "NamedTuple") return DefinitionKind::kNamedTuple;
  if (name == "Enum") return DefinitionKind::kEnum;
  return FailAt(text, base,
                fmt::format("need Module, Interface, ModuleInterface, NamedTuple or Enum as the "
                            "base of a class, have '{}'",
                            name));
}

Result<std::vector<DeclaredMethod>> DeclareClass(CompilationUnit& unit, const EmitText& text,
                                                 SyntaxId class_syntax, DefinitionId definition) {
  return ClassReader(unit, text, definition).Read(class_syntax);
}

Status DeclareFunction(CompilationUnit& unit, const EmitText& text, SyntaxId function_syntax,
                       FunctionId function) {
  Function& row = unit.function(function);
  const TypeId self = row.owner.is_none() ? TypeId::none() : unit.definition(row.owner).type;
  HANDRAIL_ASSIGN_OR_RETURN(Schema schema, ReadHead(unit, text, function_syntax, row.name, self));
  row.schema = unit.AddSchema(std::move(schema));
  return {};
}

}  // namespace handrail::graph
