#include "handrail/graph/text_unit.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "handrail/base/limits.h"

#include "graph/emit.h"
#include "graph/passes.h"
#include "script/script.h"

namespace handrail::graph {

using script::NodeKind;
using script::SyntaxId;

namespace {

tl::unexpected<Error> Conflict(std::string_view what, std::string_view name) {
  return Fail(ErrorCode::kConflict,
              fmt::format("need a new name of {}, have '{}' twice", what, name));
}

}  // namespace

class TextUnit::State final : public Resolver {
 public:
  // One text that is being defined.
  struct Text {
    script::SyntaxTree tree;
    TextRanges ranges;
    std::string qualifier;                          // with the dot behind it
    std::unordered_map<FunctionId, SyntaxId> open;  // functions that are not compiled yet
  };

  Result<TypeId> ResolveType(std::string_view name) override {
    HANDRAIL_ASSIGN_OR_RETURN(const DefinitionId id, FindDefinition(name));
    return id.is_none() ? TypeId::none() : unit_.definition(id).type;
  }

  Result<FunctionId> ResolveFunction(std::string_view name) override {
    if (text_ != nullptr) {
      const FunctionId own = unit_.FindFunction(Intern(text_->qualifier + std::string(name)));
      if (!own.is_none()) return own;
    }
    return unit_.FindFunction(Intern(name));
  }

  Result<ConstantId> ResolveConstant(uint32_t index) override {
    if (index < constants_.size()) return constants_[index];
    return Fail(ErrorCode::kCorrupt,
                fmt::format("need one of {} constants, have number {}", constants_.size(), index));
  }

  Status CompleteSchema(FunctionId function) override {
    const SchemaId schema = unit_.function(function).schema;
    if (!schema.is_none() && !unit_.schema(schema).results.empty()) return {};
    return Compile(function);
  }

  Status Define(DefinitionId module, std::string_view content, std::string_view qualifier,
                const TextName& name) {
    const std::string_view kept = unit_.origins.KeepText(std::string(content));
    const graph::SourceId source = unit_.origins.AddSource(
        {.file_name = name.file_name, .first_line = name.first_line, .text = kept});
    HANDRAIL_ASSIGN_OR_RETURN(
        script::SyntaxTree tree,
        script::ParseScript({name.file_name, name.first_line, kept},
                            module.is_none() ? script::DefinitionKind::kFunctions
                                             : script::DefinitionKind::kMethods));
    Text text{std::move(tree),
              TextRanges(unit_.origins, source),
              qualifier.empty() ? std::string() : fmt::format("{}.", qualifier),
              {}};
    text_ = &text;
    Status status = Declare(module);
    if (status) status = CompileAll();
    text_ = nullptr;
    return status;
  }

  Status AddAttribute(DefinitionId module, std::string_view name, TypeId type, bool is_parameter,
                      bool is_buffer) {
    Definition& definition = unit_.definition(module);
    const StringId id = Intern(name);
    if (definition.FindAttribute(id)) return Conflict("an attribute", name);
    definition.attributes.push_back({.name = id,
                                     .type = type,
                                     .is_parameter = is_parameter,
                                     .is_buffer = is_buffer,
                                     .default_value = {}});
    return {};
  }

  Result<TypeId> ReadTypeText(std::string_view type) {
    HANDRAIL_ASSIGN_OR_RETURN(const script::SyntaxTree tree,
                              script::ParseExpression({"type", 1, type}));
    TextRanges ranges(unit_.origins, graph::SourceId::none());
    return ReadType(unit_, {tree, *this, ranges}, tree.root());
  }

  StringId Intern(std::string_view text) { return unit_.strings.Intern(text); }

  CompilationUnit unit_;
  std::vector<ConstantId> constants_;

 private:
  EmitText text() { return {text_->tree, *this, text_->ranges}; }

  Result<DefinitionId> FindDefinition(std::string_view name) {
    if (text_ != nullptr) {
      const DefinitionId own = unit_.FindDefinition(Intern(text_->qualifier + std::string(name)));
      if (!own.is_none()) return own;
    }
    return unit_.FindDefinition(Intern(name));
  }

  Status Declare(DefinitionId module) {
    const script::SyntaxTree& tree = text_->tree;
    const script::SyntaxIds definitions = tree.children(tree.root());
    HANDRAIL_RETURN_IF_ERROR(DeclareClasses(definitions));
    for (const SyntaxId id : definitions) {
      if (tree.kind(id) == NodeKind::kClass) continue;
      if (tree.kind(id) != NodeKind::kFunction) {
        return tl::unexpected<Error>(script::ErrorAt(ErrorCode::kUnsupported, tree, id,
                                                     "only functions and classes can stand here"));
      }
      HANDRAIL_RETURN_IF_ERROR(DeclareOne(id, module));
    }
    return {};
  }

  // The names of all classes are there before the first is read; NamedTuples are read before the
  // others, because their types are made of their fields.
  Status DeclareClasses(script::SyntaxIds definitions) {
    const script::SyntaxTree& tree = text_->tree;
    std::vector<std::pair<DefinitionId, SyntaxId>> classes;
    for (const SyntaxId id : definitions) {
      if (tree.kind(id) != NodeKind::kClass) continue;
      HANDRAIL_ASSIGN_OR_RETURN(const DefinitionKind kind, DefinitionKindOf(text(), id));
      const std::string name = text_->qualifier + std::string(tree.class_definition(id).name);
      Result<DefinitionId> definition = unit_.AddDefinition(kind, Intern(name));
      if (!definition) return Conflict("a class", name);
      classes.emplace_back(*definition, id);
    }
    for (const bool reads_tuples : {true, false}) {
      for (const auto& [definition, id] : classes) {
        const bool is_tuple = unit_.definition(definition).kind == DefinitionKind::kNamedTuple;
        if (is_tuple != reads_tuples) continue;
        HANDRAIL_ASSIGN_OR_RETURN(const std::vector<DeclaredMethod> methods,
                                  DeclareClass(unit_, text(), id, definition));
        for (const DeclaredMethod& method : methods) {
          text_->open.emplace(method.function, method.syntax);
          order_.push_back(method.function);
        }
      }
    }
    return {};
  }

  Status DeclareOne(SyntaxId id, DefinitionId module) {
    const std::string_view name = text_->tree.function(id).name;
    const std::string qualified =
        module.is_none() ? text_->qualifier + std::string(name)
                         : fmt::format("{}.{}", unit_.text(unit_.definition(module).name), name);
    Result<FunctionId> function = unit_.AddFunction(Intern(qualified), module);
    if (!function) return Conflict("a function", qualified);
    HANDRAIL_RETURN_IF_ERROR(DeclareFunction(unit_, text(), id, *function));
    if (!module.is_none()) {
      unit_.definition(module).methods.push_back(
          {Intern(name), unit_.function(*function).schema, *function});
    }
    text_->open.emplace(*function, id);
    order_.push_back(*function);
    return {};
  }

  Status CompileAll() {
    const std::vector<FunctionId> order = std::exchange(order_, {});
    for (const FunctionId function : order) HANDRAIL_RETURN_IF_ERROR(Compile(function));
    return {};
  }

  // A function is no longer open once its compilation has begun: if it needs its own result type,
  // that stays unknown, which is an error at the call.
  Status Compile(FunctionId function) {
    const auto open =
        text_ == nullptr ? decltype(text_->open.begin()){} : text_->open.find(function);
    if (text_ == nullptr || open == text_->open.end()) return {};
    const SyntaxId syntax = open->second;
    if (depth_ >= limits::kEmitWaitingMax) {
      return tl::unexpected<Error>(
          script::ErrorAt(ErrorCode::kLimit, text_->tree, syntax,
                          "too many functions wait for the result types of others: annotate them"));
    }
    text_->open.erase(open);
    ++depth_;
    HANDRAIL_RETURN_IF_ERROR(EmitFunction(unit_, text(), syntax, function));
    --depth_;
    CleanUp(*unit_.function(function).graph);
    return {};
  }

  Text* text_ = nullptr;
  std::vector<FunctionId> order_;  // of the functions of the text
  uint32_t depth_ = 0;
};

TextUnit::TextUnit() : state_(std::make_unique<State>()) {}
TextUnit::TextUnit(TextUnit&&) noexcept = default;
TextUnit& TextUnit::operator=(TextUnit&&) noexcept = default;
TextUnit::~TextUnit() = default;

CompilationUnit& TextUnit::unit() {
  return state_->unit_;
}
const CompilationUnit& TextUnit::unit() const {
  return state_->unit_;
}

Result<DefinitionId> TextUnit::AddModule(std::string_view qualified_name) {
  Result<DefinitionId> module =
      state_->unit_.AddDefinition(DefinitionKind::kModule, state_->Intern(qualified_name));
  if (!module) return Conflict("a module", qualified_name);
  return module;
}

Status TextUnit::AddAttribute(DefinitionId module, std::string_view name, std::string_view type) {
  HANDRAIL_ASSIGN_OR_RETURN(const TypeId read, state_->ReadTypeText(type));
  return state_->AddAttribute(module, name, read, false, false);
}

Status TextUnit::AddParameter(DefinitionId module, std::string_view name) {
  return state_->AddAttribute(module, name, types::kTensor, true, false);
}

Status TextUnit::AddBuffer(DefinitionId module, std::string_view name) {
  return state_->AddAttribute(module, name, types::kTensor, false, true);
}

Status TextUnit::AddSubmodule(DefinitionId module, std::string_view name, DefinitionId submodule) {
  return state_->AddAttribute(module, name, unit().definition(submodule).type, false, false);
}

Status TextUnit::AddConstant(DefinitionId module, std::string_view name, ConstantId value) {
  Definition& definition = unit().definition(module);
  const StringId id = state_->Intern(name);
  if (definition.FindConstant(id)) return Conflict("a constant", name);
  definition.constants.push_back({id, value});
  return {};
}

void TextUnit::SetConstants(std::span<const ConstantId> constants) {
  state_->constants_.assign(constants.begin(), constants.end());
}

Status TextUnit::Define(DefinitionId module, std::string_view text, const TextName& name) {
  return state_->Define(module, text, "", name);
}

Status TextUnit::Define(std::string_view text, std::string_view qualifier, const TextName& name) {
  return state_->Define(DefinitionId::none(), text, qualifier, name);
}

FunctionId TextUnit::FindMethod(DefinitionId module, std::string_view name) const {
  const Definition& definition = unit().definition(module);
  const auto row = definition.FindMethod(unit().strings.Find(name));
  return row ? definition.methods[*row].function : FunctionId::none();
}

}  // namespace handrail::graph
