#include "handrail/graph/loaded_module.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "archive/archive.h"
#include "archive/quoted.h"
#include "graph/load_code.h"
#include "values/values.h"

namespace handrail::graph {
namespace {

constexpr std::string_view kObjectsRecord = "data.pkl";
constexpr std::string_view kObjectsFolder = "data/";
constexpr std::string_view kConstantsRecord = "constants.pkl";
constexpr std::string_view kConstantsFolder = "constants/";

}  // namespace

// Members that others point to stand before those, and stay where they are: a State is not moved.
class LoadedModule::State {
 public:
  State(std::span<const std::byte> bytes, std::string file_name)
      : bytes_(bytes), name_(std::move(file_name)), budget_(bytes.size()) {}

  Status Read() {
    if (const ContentKind content = RecognizeContent(bytes_); content != ContentKind::kZip) {
      return Fail(
          content == ContentKind::kEmpty ? ErrorCode::kTruncated : ErrorCode::kUnsupported,
          fmt::format("{}: need a module archive, have {}", name_,
                      content == ContentKind::kEmpty ? "no bytes" : "another kind of file"));
    }
    HANDRAIL_ASSIGN_OR_RETURN(archive_, Archive::Open(bytes_, name_, budget_));
    for (const std::string& warning : archive_->warnings()) {
      warnings_.push_back({ErrorCode::kCorrupt, Error::kNoOffset, warning});
    }
    HANDRAIL_ASSIGN_OR_RETURN(
        objects_, values::ReadObjectGraph(*archive_, kObjectsRecord, kObjectsFolder, budget_));
    if (archive_->Find(kConstantsRecord) != nullptr) {
      HANDRAIL_ASSIGN_OR_RETURN(constants_, values::ReadObjectGraph(*archive_, kConstantsRecord,
                                                                    kConstantsFolder, budget_));
    }
    code_.emplace(unit_, *archive_, budget_, constants_);
    return FindTop();
  }

  Status FindTop() {
    const auto in_file = [this](Error error) {
      return tl::unexpected<Error>(std::move(error).In(name_));
    };
    const values::ValueId root = objects_.root();
    if (objects_.kind(root) != values::ValueKind::kObject) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: record '{}': need a module, have {}", name_, kObjectsRecord,
                              values::ToString(objects_.kind(root))));
    }
    const std::string_view class_name = objects_.class_name(root);
    Result<TypeId> type = code_->ResolveType(class_name);
    if (!type) return in_file(std::move(type).error());
    const Definition* definition = type->is_none() ? nullptr : unit_.DefinitionOf(*type);
    if (definition == nullptr || definition->kind != DefinitionKind::kModule) {
      return Fail(
          ErrorCode::kCorrupt,
          fmt::format("{}: record '{}': need a module of a class in the archive's code, have "
                      "one of {}",
                      name_, kObjectsRecord, Quoted(class_name)));
    }
    top_ = unit_.types.at(*type).definition;
    if (Status status = code_->Complete(top_); !status) return in_file(std::move(status).error());
    return {};
  }

  std::span<const std::byte> bytes_;
  std::string name_;
  MemoryBudget budget_;
  std::optional<Archive> archive_;
  values::ObjectGraph objects_;
  values::ObjectGraph constants_;
  CompilationUnit unit_;
  std::optional<CodeLoader> code_;
  DefinitionId top_;
  std::vector<Error> warnings_;
};

LoadedModule::LoadedModule(std::unique_ptr<State> state) : state_(std::move(state)) {}
LoadedModule::LoadedModule(LoadedModule&&) noexcept = default;
LoadedModule& LoadedModule::operator=(LoadedModule&&) noexcept = default;
LoadedModule::~LoadedModule() = default;

Result<LoadedModule> LoadedModule::Load(std::span<const std::byte> bytes, std::string name) {
  auto state = std::make_unique<State>(bytes, std::move(name));
  HANDRAIL_RETURN_IF_ERROR(state->Read());
  return LoadedModule(std::move(state));
}

CompilationUnit& LoadedModule::unit() {
  return state_->unit_;
}
const CompilationUnit& LoadedModule::unit() const {
  return state_->unit_;
}
DefinitionId LoadedModule::top() const {
  return state_->top_;
}
const values::ObjectGraph& LoadedModule::objects() const {
  return state_->objects_;
}
const values::ObjectGraph& LoadedModule::constants() const {
  return state_->constants_;
}

Result<DefinitionId> LoadedModule::ClassNamed(std::string_view qualified_name) {
  const auto in_file = [this](Error error) {
    return tl::unexpected<Error>(std::move(error).In(state_->name_));
  };
  const Result<TypeId> type = state_->code_->ResolveType(qualified_name);
  if (!type) return in_file(type.error());
  if (type->is_none() || state_->unit_.DefinitionOf(*type) == nullptr) {
    return in_file({ErrorCode::kNotFound, Error::kNoOffset,
                    fmt::format("need a class {}, have none", Quoted(qualified_name))});
  }
  const DefinitionId id = state_->unit_.types.at(*type).definition;
  if (Status status = state_->code_->Complete(id); !status) {
    return in_file(std::move(status).error());
  }
  return id;
}

Result<FunctionId> LoadedModule::FindMethod(std::string_view method) const {
  const Definition& top = state_->unit_.definition(state_->top_);
  const StringId name = state_->unit_.strings.Find(method);
  if (!name.is_none()) {
    if (const auto row = top.FindMethod(name)) return top.methods[*row].function;
  }
  std::string names;
  for (const MethodDefinition& one : top.methods) {
    names += names.empty() ? "" : ", ";
    names += state_->unit_.text(one.name);
  }
  return Fail(ErrorCode::kNotFound,
              fmt::format("{}: need a method '{}' of {}, have {}", state_->name_, method,
                          state_->unit_.text(top.name), names.empty() ? "none" : names));
}

Result<const Graph*> LoadedModule::GraphOf(FunctionId function) {
  if (Status status = state_->code_->Compile(function); !status) {
    return tl::unexpected<Error>(std::move(status).error().In(state_->name_));
  }
  return state_->unit_.function(function).graph.get();
}

Status LoadedModule::CompileAll() {
  for (uint32_t row = 0; row < state_->unit_.function_count(); ++row) {
    HANDRAIL_RETURN_IF_ERROR(GraphOf({row}));
  }
  return {};
}

std::vector<Error> LoadedModule::warnings() const {
  std::vector<Error> all = state_->warnings_;
  for (Error& warning : state_->code_->Warnings()) all.push_back(std::move(warning));
  return all;
}

}  // namespace handrail::graph
