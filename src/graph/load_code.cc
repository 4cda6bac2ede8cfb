#include "graph/load_code.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "handrail/base/limits.h"

#include "archive/quoted.h"
#include "graph/custom_classes.h"
#include "graph/passes.h"
#include "script/script.h"
#include "torch_debug/tagged_ranges.h"

namespace handrail::graph {
namespace {

constexpr std::string_view kCodeFolder = "code/";
constexpr std::string_view kCodeSuffix = ".py";

std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// `__torch__.torch.classes.a.B`; `__torch__.torch.classes.a` is on the way to one.
bool IsCustomClass(std::string_view name) {
  return name.starts_with(kCustomClasses) &&
         name.find('.', kCustomClasses.size()) != std::string_view::npos;
}

// Counts how deep a definition or function waits for others.
class DepthGuard {
 public:
  explicit DepthGuard(uint32_t& depth) : depth_(depth) { ++depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;
  ~DepthGuard() { --depth_; }

  Status Check(std::string_view what) const {
    if (depth_ <= limits::kLoadDepthMax) return {};
    return Fail(ErrorCode::kLimit,
                fmt::format("{}: need at most {} definitions that wait for another, have more",
                            what, limits::kLoadDepthMax));
  }

 private:
  uint32_t& depth_;
};

}  // namespace

Result<CodeLoader::CodeFile*> CodeLoader::FileOf(std::string_view qualifier) {
  const auto [row, is_new] = files_.try_emplace(std::string(qualifier));
  if (!is_new) return row->second.get();
  std::string record_name(kCodeFolder);
  record_name += qualifier;
  std::replace(record_name.begin() + kCodeFolder.size(), record_name.end(), '.', '/');
  record_name += kCodeSuffix;
  const ArchiveRecord* record = archive_.Find(record_name);
  if (record == nullptr) return nullptr;
  HANDRAIL_ASSIGN_OR_RETURN(row->second, ReadFile(*record));
  return row->second.get();
}

Result<std::unique_ptr<CodeLoader::CodeFile>> CodeLoader::ReadFile(const ArchiveRecord& record) {
  HANDRAIL_ASSIGN_OR_RETURN(RecordBytes bytes, archive_.Read(record.name, budget_));
  std::string record_name(record.name);
  const std::string_view text = AsText(bytes.bytes());
  HANDRAIL_ASSIGN_OR_RETURN(
      script::SyntaxTree tree,
      script::ParseScript({.name = record.name, .first_line = 1, .text = text}));
  const SourceId source =
      unit_.origins.AddSource({.file_name = record_name, .first_line = 1, .text = text});
  auto file = std::make_unique<CodeFile>(CodeFile{std::move(record_name),
                                                  std::move(bytes),
                                                  std::move(tree),
                                                  RecordedRanges(unit_.origins, source, budget_),
                                                  {},
                                                  std::nullopt});
  for (const script::SyntaxId child : file->tree.children(file->tree.root())) {
    std::string_view name;
    switch (file->tree.kind(child)) {
      case script::NodeKind::kClass:
        name = file->tree.class_definition(child).name;
        break;
      case script::NodeKind::kFunction:
        name = file->tree.function(child).name;
        break;
      default:  // imports and version numbers of old archives
        continue;
    }
    if (!file->names.emplace(name, child).second) {
      return tl::unexpected<Error>(script::ErrorAt(ErrorCode::kConflict, file->tree, child,
                                                   fmt::format("'{}' is defined twice", name)));
    }
  }
  ReadRanges(*file);
  return file;
}

void CodeLoader::ReadRanges(CodeFile& file) {
  const std::string record_name = file.record_name + std::string(kRangesSuffix);
  if (archive_.Find(record_name) == nullptr) return;
  Result<RecordBytes> record = archive_.Read(record_name, budget_);
  if (!record) {
    file.fault = std::move(record).error();
    return;
  }
  if (Status status = file.ranges.Read(*std::move(record)); !status) {
    file.fault = std::move(status).error().In(
        fmt::format("{}: record {}", archive_.name(), Quoted(record_name)));
  }
}

std::vector<Error> CodeLoader::Warnings() const {
  std::vector<Error> warnings;
  for (const auto& [qualifier, file] : files_) {
    if (file == nullptr) continue;
    if (file->fault) warnings.push_back(*file->fault);
    if (file->ranges.fault()) {
      warnings.push_back(
          Error(*file->ranges.fault())
              .In(fmt::format("{}: record {}", archive_.name(),
                              Quoted(file->record_name + std::string(kRangesSuffix)))));
    }
  }
  std::sort(warnings.begin(), warnings.end(),
            [](const Error& a, const Error& b) { return a.message < b.message; });
  return warnings;
}

Result<CodeLoader::Place> CodeLoader::Find(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return Place{nullptr, {}};
  HANDRAIL_ASSIGN_OR_RETURN(CodeFile* const file, FileOf(name.substr(0, dot)));
  if (file == nullptr) return Place{nullptr, {}};
  const auto found = file->names.find(name.substr(dot + 1));
  if (found == file->names.end()) return Place{nullptr, {}};
  return Place{file, found->second};
}

DefinitionId CodeLoader::Known(std::string_view name) const {
  const StringId known = unit_.strings.Find(name);
  return known.is_none() ? DefinitionId::none() : unit_.FindDefinition(known);
}

Result<TypeId> CodeLoader::ResolveType(std::string_view name) {
  if (const DefinitionId id = Known(name); !id.is_none()) {
    const TypeId type = unit_.definition(id).type;
    if (!type.is_none()) return type;
    return Fail(ErrorCode::kCorrupt, fmt::format("the type '{}' contains itself", name));
  }
  if (IsCustomClass(name)) return AddCustomClass(name);
  HANDRAIL_ASSIGN_OR_RETURN(const Place place, Find(name));
  if (place.file == nullptr || place.file->tree.kind(place.syntax) != script::NodeKind::kClass) {
    return TypeId::none();
  }
  HANDRAIL_ASSIGN_OR_RETURN(const DefinitionKind kind,
                            DefinitionKindOf(TextOf(*place.file), place.syntax));
  // The type of a NamedTuple is made of its fields'.
  if (kind == DefinitionKind::kNamedTuple) return AddNamedTuple(name, place);
  return AddType(name, place, kind);
}

Result<TypeId> CodeLoader::AddCustomClass(std::string_view name) {
  HANDRAIL_ASSIGN_OR_RETURN(const DefinitionId id, unit_.AddDefinition(DefinitionKind::kCustomClass,
                                                                       unit_.strings.Intern(name)));
  return unit_.definition(id).type;
}

Result<TypeId> CodeLoader::AddType(std::string_view name, const Place& place, DefinitionKind kind) {
  HANDRAIL_ASSIGN_OR_RETURN(const DefinitionId id,
                            unit_.AddDefinition(kind, unit_.strings.Intern(name)));
  definitions_.emplace(id, place);
  if (kind == DefinitionKind::kNamedTuple) HANDRAIL_RETURN_IF_ERROR(Complete(id));
  return unit_.definition(id).type;
}

std::vector<std::string_view> CodeLoader::NamesIn(const Place& place) {
  const script::SyntaxTree& tree = place.file->tree;
  std::vector<std::string_view> names;
  std::vector<script::SyntaxId> pending{place.syntax};
  while (!pending.empty()) {
    const script::SyntaxId id = pending.back();
    pending.pop_back();
    if (id.is_none()) continue;
    if (tree.kind(id) == script::NodeKind::kSelect) names.push_back(tree.text(id));
    const auto children = tree.children(id);
    pending.insert(pending.end(), children.begin(), children.end());
  }
  return names;
}

Result<TypeId> CodeLoader::AddNamedTuple(std::string_view name, const Place& place) {
  struct Waiting {
    std::string name;
    Place place;
    bool waits_for_fields = false;
  };
  std::vector<Waiting> stack{{std::string(name), place}};
  std::unordered_set<std::string> waiting;
  while (!stack.empty()) {
    if (!Known(stack.back().name).is_none()) {
      stack.pop_back();
      continue;
    }
    if (stack.back().waits_for_fields) {
      const Waiting next = std::move(stack.back());
      stack.pop_back();
      HANDRAIL_RETURN_IF_ERROR(AddType(next.name, next.place, DefinitionKind::kNamedTuple));
      continue;
    }
    stack.back().waits_for_fields = true;
    waiting.insert(stack.back().name);
    for (const std::string_view field : NamesIn(stack.back().place)) {
      if (!Known(field).is_none()) continue;
      if (waiting.contains(std::string(field))) {
        return Fail(ErrorCode::kCorrupt, fmt::format("the type '{}' contains itself", field));
      }
      HANDRAIL_ASSIGN_OR_RETURN(const Place found, Find(field));
      if (found.file == nullptr ||
          found.file->tree.kind(found.syntax) != script::NodeKind::kClass) {
        continue;
      }
      HANDRAIL_ASSIGN_OR_RETURN(const DefinitionKind kind,
                                DefinitionKindOf(TextOf(*found.file), found.syntax));
      if (kind == DefinitionKind::kNamedTuple) stack.push_back({std::string(field), found});
    }
  }
  return ResolveType(name);
}

Status CodeLoader::Complete(DefinitionId definition) {
  const Definition& known = unit_.definition(definition);
  if (known.kind == DefinitionKind::kCustomClass && known.methods.empty()) {
    return AddCustomMethods(unit_, definition);
  }
  const auto found = definitions_.find(definition);
  if (found == definitions_.end() || found->second.progress != Progress::kDeclared) return {};
  const DepthGuard guard(depth_);
  HANDRAIL_RETURN_IF_ERROR(guard.Check(unit_.text(unit_.definition(definition).name)));
  Place& place = found->second;  // stays where it is while others are added
  place.progress = Progress::kRunning;
  HANDRAIL_ASSIGN_OR_RETURN(const std::vector<DeclaredMethod> methods,
                            DeclareClass(unit_, TextOf(*place.file), place.syntax, definition));
  for (const DeclaredMethod& method : methods) {
    functions_.emplace(method.function, Place{place.file, method.syntax});
  }
  place.progress = Progress::kDone;
  return {};
}

Result<FunctionId> CodeLoader::ResolveFunction(std::string_view name) {
  if (const StringId known = unit_.strings.Find(name); !known.is_none()) {
    const FunctionId id = unit_.FindFunction(known);
    if (!id.is_none()) return id;
  }
  HANDRAIL_ASSIGN_OR_RETURN(const Place place, Find(name));
  if (place.file == nullptr || place.file->tree.kind(place.syntax) != script::NodeKind::kFunction) {
    return FunctionId::none();
  }
  HANDRAIL_ASSIGN_OR_RETURN(const FunctionId id, unit_.AddFunction(unit_.strings.Intern(name)));
  functions_.emplace(id, place);
  HANDRAIL_RETURN_IF_ERROR(DeclareFunction(unit_, TextOf(*place.file), place.syntax, id));
  return id;
}

Status CodeLoader::CompleteSchema(FunctionId function) {
  const SchemaId schema = unit_.function(function).schema;
  if (!schema.is_none() && !unit_.schema(schema).results.empty()) return {};
  return Compile(function);
}

Status CodeLoader::Compile(FunctionId function) {
  if (unit_.function(function).graph != nullptr) return {};
  const auto found = functions_.find(function);
  const std::string_view name = unit_.text(unit_.function(function).name);
  if (found == functions_.end()) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("function '{}': need one with code in this archive", name));
  }
  Place& place = found->second;
  if (place.progress == Progress::kRunning) {
    return Fail(ErrorCode::kCorrupt,
                fmt::format("function '{}': its result type depends on itself", name));
  }
  const DepthGuard guard(depth_);
  HANDRAIL_RETURN_IF_ERROR(guard.Check(name));
  place.progress = Progress::kRunning;
  Status status = EmitFunction(unit_, TextOf(*place.file), place.syntax, function);
  place.progress = Progress::kDeclared;
  if (!status) return status;
  CleanUp(*unit_.function(function).graph);
  return {};
}

Result<ConstantId> CodeLoader::ResolveConstant(uint32_t index) {
  const values::ValueId root = constants_.root();
  const bool is_table = !root.is_none() && (constants_.kind(root) == values::ValueKind::kTuple ||
                                            constants_.kind(root) == values::ValueKind::kList);
  const size_t count = is_table ? constants_.elements(root).size() : 0;
  if (index >= count) {
    return Fail(
        ErrorCode::kCorrupt,
        fmt::format("constant {}: need an index below {} (of constants.pkl)", index, count));
  }
  return ConstantOf(constants_.elements(root)[index], index, 0);
}

Result<ConstantId> CodeLoader::ConstantOf(values::ValueId value, uint32_t row, uint32_t depth) {
  using values::ValueKind;
  if (depth > limits::kTypeDepthMax) {
    return Fail(ErrorCode::kLimit,
                fmt::format("constant {}: need at most {} levels of values, have more", row,
                            limits::kTypeDepthMax));
  }
  ConstantTable& table = unit_.constants;
  switch (constants_.kind(value)) {
    case ValueKind::kNone:
      return table.None();
    case ValueKind::kBool:
      return table.Bool(constants_.bool_value(value));
    case ValueKind::kInt:
      return table.Int(constants_.int_value(value));
    case ValueKind::kFloat:
      return table.Float(constants_.float_value(value));
    case ValueKind::kComplex:
      return table.Complex(constants_.complex_value(value));
    case ValueKind::kString:
      return table.String(unit_.strings.Intern(constants_.string_value(value)));
    case ValueKind::kDevice:
      return table.Device(unit_.strings.Intern(constants_.device(value)));
    case ValueKind::kTensor:
      return table.External(types::kTensor, row);
    case ValueKind::kTuple: {
      std::vector<ConstantId> elements;
      std::vector<TypeId> element_types;
      for (const values::ValueId element : constants_.elements(value)) {
        HANDRAIL_ASSIGN_OR_RETURN(const ConstantId part, ConstantOf(element, row, depth + 1));
        elements.push_back(part);
        element_types.push_back(table.at(part).type);
      }
      return table.Compound(ConstantKind::kTuple, unit_.types.Tuple(element_types), elements);
    }
    case ValueKind::kObject: {
      HANDRAIL_ASSIGN_OR_RETURN(const TypeId type, ResolveType(constants_.class_name(value)));
      if (type.is_none()) break;
      return table.External(type, row);
    }
    case ValueKind::kList:
    case ValueKind::kDict:
    case ValueKind::kEnum:
      break;
  }
  return Fail(ErrorCode::kUnsupported,
              fmt::format("constant {}: need a tensor, a plain value or an object, have {}", row,
                          values::ToString(constants_.kind(value))));
}

}  // namespace handrail::graph
