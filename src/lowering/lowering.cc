#include "handrail/lowering/lowering.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "handrail/debug_map/debug_map_writer.h"
#include "handrail/graph/loaded_module.h"

#include "archive/archive.h"
#include "archive/archive_edit.h"
#include "archive/pickle.h"
#include "archive/pickle_copy.h"
#include "graph/lowered_class.h"
#include "lowering/backend_call.h"
#include "lowering/class_changes.h"
#include "lowering/class_names.h"
#include "lowering/code_files.h"
#include "lowering/lowered_code.h"
#include "lowering/module_tree.h"
#include "lowering/range_records.h"
#include "torch_debug/own_records.h"
#include "torch_debug/tagged_ranges.h"
#include "values/value_writer.h"

namespace handrail {
namespace {

constexpr std::string_view kObjects = "data.pkl";
constexpr std::string_view kStorages = "data/";
constexpr std::string_view kWrapped = "__loweredModule__";
// Files that PyTorch writes for the custom classes that lowered modules mention.
constexpr std::string_view kCustomClassFiles[] = {"code/__torch__/torch/classes/__backends__.py",
                                                  "code/__torch__/torch/classes/backendutils.py"};

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void WriteNewObject(std::string_view class_name, PickleWriter& writer) {
  const size_t dot = class_name.rfind('.');
  writer.Global(class_name.substr(0, dot), class_name.substr(dot + 1));
  writer.BeginTuple(0);
  writer.EndTuple(0);
  writer.NewObject();
}

// The records in data/: those that the archive has, and new ones for the tensors of a blob.
class StorageRecords {
 public:
  StorageRecords(const Archive& archive, const values::ObjectGraph& objects) {
    for (const ArchiveRecord& record : archive.records()) {
      if (!record.name.starts_with(kStorages)) continue;
      const std::string_view key = record.name.substr(kStorages.size());
      uint64_t number = 0;
      const auto read = std::from_chars(key.data(), key.data() + key.size(), number);
      if (read.ec == std::errc()) next_number_ = std::max(next_number_, number + 1);
    }
    for (uint32_t i = 0; i < objects.storage_count(); ++i) {
      const values::Storage& storage = objects.storage({i});
      if (storage.bytes.empty()) continue;
      known_.try_emplace(
          storage.bytes.data(),
          values::StorageName{std::string(objects.text(storage.key)),
                              std::string(objects.text(storage.device)), storage.element_count});
    }
  }

  // Buffers that view the archive keep the names of their records.
  values::StorageName NameOf(const values::Tensor& tensor) {
    const values::Buffer& buffer = *tensor.buffer();
    const auto known = known_.find(buffer.bytes());
    if (known != known_.end() && buffer.size() != 0) {
      used_.insert(known->second.key);
      return known->second;
    }
    const std::string key = std::to_string(next_number_++);
    added_.push_back({std::string(kStorages) + key, AsText({buffer.bytes(), buffer.size()})});
    return {key, "cpu", buffer.size() / tensor.element_bytes()};
  }

  void Use(PickleValue persistent_id) {
    // ("storage", class, key, device, number of elements)
    if (persistent_id.is_tuple() && persistent_id.size() > 2 && persistent_id.at(2).is_text()) {
      used_.emplace(persistent_id.at(2).as_text());
    }
  }

  bool IsUnused(std::string_view record_name) const {
    return record_name.starts_with(kStorages) &&
           !used_.contains(record_name.substr(kStorages.size()));
  }
  std::vector<ArchiveEdit::NewRecord>& added() { return added_; }

 private:
  std::unordered_map<const void*, values::StorageName> known_;  // by where the bytes lie
  std::set<std::string, std::less<>> used_;                     // keys
  std::vector<ArchiveEdit::NewRecord> added_;
  uint64_t next_number_ = 0;
};

// Lowers one module of an archive.
class OneLowering {
 public:
  OneLowering(std::span<const std::byte> bytes, std::string_view name,
              const LowerSelection& selection)
      : bytes_(bytes), name_(name), selection_(selection), budget_(bytes.size()) {}

  Result<std::string> Lower(const Backend& backend) {
    HANDRAIL_ASSIGN_OR_RETURN(archive_, Archive::Open(bytes_, name_, budget_));
    HANDRAIL_ASSIGN_OR_RETURN(graph::LoadedModule module, graph::LoadedModule::Load(bytes_, name_));
    HANDRAIL_ASSIGN_OR_RETURN(const RecordBytes objects, archive_->Read(kObjects, budget_));
    HANDRAIL_ASSIGN_OR_RETURN(const Pickle pickle, Pickle::Parse(objects.bytes(), budget_));
    HANDRAIL_ASSIGN_OR_RETURN(const ModuleTree tree, ModuleTree::Read(pickle));
    HANDRAIL_ASSIGN_OR_RETURN(const uint32_t target, tree.At(selection_.module_path));
    const ModuleTree::Object& lowered = tree.objects()[target];
    HANDRAIL_RETURN_IF_ERROR(CheckCanBeLowered(module, lowered));
    // Of the lowerings that the archive went through already.
    HANDRAIL_ASSIGN_OR_RETURN(const DebugInfo others, ReadOwnUnits(*archive_, budget_));
    HANDRAIL_ASSIGN_OR_RETURN(const LoweredPart part,
                              CallBackend(module, selection_,
                                          {.class_name = lowered.class_name,
                                           .callers = CallersOf(tree, target),
                                           .other_lowerings = &others},
                                          backend));

    CodeFiles code(*archive_, budget_);
    ClassNames names(*archive_);
    const std::string of = fmt::format("{}.{}", selection_.backend, lowered.class_name);
    lowered_class_ = names.Unused(std::string(graph::kLoweredModulePrefix) + of);
    wrapper_class_ = names.Unused("torch.jit.LoweredWrapper." + of);
    HANDRAIL_ASSIGN_OR_RETURN(const ClassChanges changes,
                              ChangeClasses(tree, target, wrapper_class_, code, names));

    StorageRecords storages(*archive_, module.objects());
    HANDRAIL_RETURN_IF_ERROR(WriteObjects(pickle, tree, target, changes, part, storages));
    HANDRAIL_RETURN_IF_ERROR(WriteChangedCode(changes));
    HANDRAIL_RETURN_IF_ERROR(WriteLoweredCode(part));
    HANDRAIL_RETURN_IF_ERROR(WriteDebugInfo(others, part.debug_info));
    edit_.removes = [&](std::string_view record) { return storages.IsUnused(record); };
    for (ArchiveEdit::NewRecord& record : storages.added()) {
      edit_.added.push_back(std::move(record));
    }
    return EditArchive(*archive_, edit_);
  }

 private:
  Status CheckCanBeLowered(graph::LoadedModule& module, const ModuleTree::Object& object) const {
    HANDRAIL_ASSIGN_OR_RETURN(const graph::DefinitionId id, module.ClassNamed(object.class_name));
    const graph::Definition& definition = module.unit().definition(id);
    std::string_view why;
    if (definition.kind != graph::DefinitionKind::kModule) {
      why = "it is no module";
    } else if (!object.has_dict_state) {
      why = "it sets its own state (it may be lowered already)";
    } else if (!definition.forward_hooks.empty() || !definition.forward_pre_hooks.empty()) {
      why = "it has hooks, which a lowered module would lose";
    }
    if (why.empty()) return {};
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: cannot lower '{}' of type {}: {}", name_, selection_.module_path,
                            object.class_name, why));
  }

  static std::vector<ModuleCaller> CallersOf(const ModuleTree& tree, uint32_t target) {
    std::vector<ModuleCaller> callers;
    for (const ModuleTree::Object& object : tree.objects()) {
      for (const ModuleTree::Attribute& attribute : object.attributes) {
        if (attribute.object != target) continue;
        callers.push_back({object.class_name, std::string(attribute.name)});
      }
    }
    return callers;
  }

  Status WriteObjects(const Pickle& pickle, const ModuleTree& tree, uint32_t target,
                      const ClassChanges& changes, const LoweredPart& part,
                      StorageRecords& storages) {
    const values::StorageNameOf name_of = [&](const values::Tensor& tensor) {
      return Result<values::StorageName>(storages.NameOf(tensor));
    };
    PickleCopyChanges copy;
    copy.replace = [&](PickleValue object, PickleWriter& writer) -> Result<bool> {
      const uint32_t* const row = tree.Find(object);
      if (row == nullptr || *row != target) return false;
      WriteNewObject(wrapper_class_, writer);
      writer.BeginDict();
      writer.Text(kWrapped);
      WriteNewObject(lowered_class_, writer);
      // What `__getstate__` of the lowered module gives: the state is set up again when it loads.
      HANDRAIL_RETURN_IF_ERROR(values::WriteValue(
          values::MakeTuple({part.compile_spec, part.blob, values::Value(true)}), name_of, writer));
      writer.Build();
      writer.EndDict();
      writer.Build();
      return true;
    };
    copy.rename = [&](PickleValue object) -> std::string {
      const uint32_t* const row = tree.Find(object);
      if (row == nullptr || changes.class_names[*row] == tree.objects()[*row].class_name) return {};
      return changes.class_names[*row];
    };
    copy.persistent_id = [&](PickleValue id) { storages.Use(id); };
    PickleWriter writer;
    PickleCopier copier(pickle, pickle.root(), writer, std::move(copy));
    if (Status status = copier.Copy(pickle.root()); !status) {
      return tl::unexpected<Error>(
          std::move(status).error().In(fmt::format("{}: record '{}'", name_, kObjects)));
    }
    Add(std::string(kObjects), std::move(writer).Finish());
    return {};
  }

  void Add(std::string record_name, std::string content) {
    edit_.added.push_back({std::move(record_name), std::move(content)});
  }

  // Code that changes, and where each piece of it came from.
  Status AddEdited(const CodeFile& file, const std::string& record_name, EditedText edited,
                   size_t end) {
    const std::string ranges_name = file.record_name + std::string(kRangesSuffix);
    if (archive_->Find(ranges_name) != nullptr) {
      HANDRAIL_ASSIGN_OR_RETURN(const RecordBytes ranges, archive_->Read(ranges_name, budget_));
      Result<std::string> moved = MovedRangeRecord(
          ranges.bytes(),
          [&](int64_t offset) {
            return offset < static_cast<int64_t>(end) ? edited.OffsetOf(offset) : std::nullopt;
          },
          budget_);
      if (!moved) {
        return tl::unexpected<Error>(
            std::move(moved).error().In(fmt::format("{}: record '{}'", name_, ranges_name)));
      }
      Add(record_name + std::string(kRangesSuffix), *std::move(moved));
    }
    Add(record_name, edited.text());
    return {};
  }

  Status WriteChangedCode(const ClassChanges& changes) {
    std::map<const CodeFile*, std::vector<TextEdit>> in_place;
    for (const ClassChange& change : changes.changes) {
      HANDRAIL_ASSIGN_OR_RETURN(std::vector<TextEdit> edits, EditsOf(change));
      const ClassPlace& place = *change.place;
      if (!change.is_copy()) {
        auto& all = in_place[place.file];
        all.insert(all.end(), std::make_move_iterator(edits.begin()),
                   std::make_move_iterator(edits.end()));
        continue;
      }
      HANDRAIL_RETURN_IF_ERROR(AddEdited(
          *place.file, CodeRecordName(change.new_name),
          EditedText(place.file->text(), place.start, place.end, std::move(edits)), place.end));
    }
    for (auto& [file, edits] : in_place) {
      const size_t size = file->text().size();
      HANDRAIL_RETURN_IF_ERROR(AddEdited(
          *file, file->record_name, EditedText(file->text(), 0, size, std::move(edits)), size + 1));
    }
    return {};
  }

  Status WriteLoweredCode(const LoweredPart& part) {
    int64_t next_tag = 0;
    for (const ArchiveRecord& record : archive_->records()) {
      if (!record.name.ends_with(kRangesSuffix)) continue;
      HANDRAIL_ASSIGN_OR_RETURN(const RecordBytes ranges, archive_->Read(record, budget_));
      const Result<int64_t> largest = LargestTag(ranges.bytes(), budget_);
      // A record that cannot be read gives nobody a tag.
      if (largest) next_tag = std::max(next_tag, *largest + 1);
    }
    const auto add = [&](std::string_view class_name, const GeneratedClass& code) {
      const std::string record_name = CodeRecordName(class_name);
      Add(record_name, code.code());
      Add(record_name + std::string(kRangesSuffix),
          WriteGeneratedRanges(code.ranges(), code.texts(), next_tag));
    };
    add(wrapper_class_, LoweredWrapperCode(wrapper_class_, lowered_class_, part.methods));
    add(lowered_class_, LoweredModuleCode(lowered_class_, selection_.backend, part.methods));
    for (const std::string_view file : kCustomClassFiles) {
      if (archive_->Find(file) != nullptr) continue;
      Add(std::string(file), "");
      Add(std::string(file) + std::string(kRangesSuffix), WriteGeneratedRanges({}, {}, next_tag));
    }
    return {};
  }

  Status WriteDebugInfo(const DebugInfo& others, const DebugInfo& own) {
    const DebugInfo* const both[] = {&others, &own};
    HANDRAIL_ASSIGN_OR_RETURN(const DebugInfo merged, MergeDebugInfo(both));
    HANDRAIL_ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, EncodeDebugMap(merged));
    Add(std::string(kOwnDebugInfoName), AsText(bytes));
    return {};
  }

  std::span<const std::byte> bytes_;
  std::string name_;
  const LowerSelection& selection_;
  MemoryBudget budget_;
  std::optional<Archive> archive_;
  std::string lowered_class_;
  std::string wrapper_class_;
  ArchiveEdit edit_;
};

size_t DepthOf(const LowerSelection& selection) {
  if (selection.module_path.empty()) return 0;
  return 1 + static_cast<size_t>(
                 std::count(selection.module_path.begin(), selection.module_path.end(), '.'));
}

}  // namespace

Result<std::string> Lower(std::span<const std::byte> archive, std::string_view name,
                          std::span<const LowerSelection> selections,
                          const BackendRegistry& registry) {
  std::vector<const LowerSelection*> inner_first;
  std::set<std::string_view> paths;
  for (const LowerSelection& selection : selections) {
    if (!paths.insert(selection.module_path).second) {
      return Fail(ErrorCode::kConflict,
                  fmt::format("module '{}' is selected twice", selection.module_path));
    }
    inner_first.push_back(&selection);
  }
  std::stable_sort(
      inner_first.begin(), inner_first.end(),
      [](const LowerSelection* a, const LowerSelection* b) { return DepthOf(*a) > DepthOf(*b); });
  std::string bytes = AsText(archive);
  for (const LowerSelection* const selection : inner_first) {
    HANDRAIL_ASSIGN_OR_RETURN(const std::shared_ptr<const Backend> backend,
                              registry.Find(selection->backend));
    HANDRAIL_ASSIGN_OR_RETURN(bytes, OneLowering(AsBytes(bytes), name, *selection).Lower(*backend));
  }
  return bytes;
}

}  // namespace handrail
