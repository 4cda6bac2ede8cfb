#include "lowering/code_files.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "handrail/graph/definition.h"

#include "script/literals.h"
#include "script/script.h"

namespace handrail {
namespace {

using script::NodeKind;
using script::SyntaxId;

// From `start` to the end of its line.
size_t LineEnd(std::string_view text, size_t start) {
  return std::min(text.find('\n', start), text.size());
}

size_t LineStart(std::string_view text, size_t at) {
  const size_t line_break = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return line_break == std::string_view::npos ? 0 : line_break + 1;
}

void ReadAssign(const CodeFile& file, SyntaxId statement, ClassPlace& place) {
  const script::SyntaxTree& tree = file.tree;
  const script::AssignView view = tree.assign(statement);
  const SyntaxId target = view.targets[0];
  std::string name;
  SyntaxId type = view.type;
  if (tree.kind(target) == NodeKind::kSubscript) {
    // `__annotations__["0"] = T`
    const script::SubscriptView subscript = tree.subscript(target);
    if (subscript.indices.size() != 1 || tree.kind(subscript.indices[0]) != NodeKind::kString) {
      return;
    }
    name = script::StringValue(tree, subscript.indices[0]);
    type = view.value;
  } else {
    name = tree.text(target);
  }
  if (type.is_none()) return;
  const size_t start = tree.range(type).start;
  place.annotations.push_back({std::move(name), start, LineEnd(file.text(), start)});
}

void ReadMethod(const CodeFile& file, SyntaxId function, ClassPlace& place) {
  const script::FunctionView view = file.tree.function(function);
  if (view.parameters.empty()) return;
  const script::ParameterView self = file.tree.parameter(view.parameters[0]);
  if (self.type.is_none()) return;
  const size_t start = file.tree.range(self.type).start;
  place.selves.push_back({std::string(view.name), start, LineEnd(file.text(), start)});
}

}  // namespace

const ClassPlace::Annotation* ClassPlace::Find(std::string_view attribute) const {
  const auto found =
      std::find_if(annotations.begin(), annotations.end(),
                   [&](const Annotation& one) { return one.attribute == attribute; });
  return found == annotations.end() ? nullptr : &*found;
}

std::string CodeRecordName(std::string_view class_name) {
  std::string path(class_name.substr(0, class_name.rfind('.')));
  std::replace(path.begin(), path.end(), '.', '/');
  return fmt::format("code/{}.py", path);
}

Result<const CodeFile*> CodeFiles::FileAt(const std::string& record_name) {
  const auto [row, is_new] = files_.try_emplace(record_name);
  if (!is_new) return row->second.get();
  if (archive_.Find(record_name) == nullptr) return nullptr;
  HANDRAIL_ASSIGN_OR_RETURN(RecordBytes bytes, archive_.Read(record_name, budget_));
  const std::string_view text(reinterpret_cast<const char*>(bytes.bytes().data()),
                              bytes.bytes().size());
  HANDRAIL_ASSIGN_OR_RETURN(
      script::SyntaxTree tree,
      script::ParseScript({.name = record_name, .first_line = 1, .text = text}));
  row->second =
      std::make_unique<CodeFile>(CodeFile{record_name, std::move(bytes), std::move(tree)});
  return row->second.get();
}

Result<const ClassPlace*> CodeFiles::ClassAt(const std::string& class_name) {
  if (const auto known = classes_.find(class_name); known != classes_.end()) return &known->second;
  HANDRAIL_ASSIGN_OR_RETURN(const CodeFile* const file, FileAt(CodeRecordName(class_name)));
  ClassPlace place;
  place.file = file;
  if (file != nullptr) {
    const script::SyntaxTree& tree = file->tree;
    const auto definitions = tree.children(tree.root());
    for (size_t i = 0; i < definitions.size(); ++i) {
      if (tree.kind(definitions[i]) != NodeKind::kClass) continue;
      const script::ClassView view = tree.class_definition(definitions[i]);
      if (view.name != graph::LastAtom(class_name)) continue;
      place.start = LineStart(file->text(), tree.range(definitions[i]).start);
      place.end = i + 1 < definitions.size()
                      ? LineStart(file->text(), tree.range(definitions[i + 1]).start)
                      : file->text().size();
      for (const SyntaxId statement : tree.children(view.body)) {
        if (tree.kind(statement) == NodeKind::kAssign) ReadAssign(*file, statement, place);
        if (tree.kind(statement) == NodeKind::kFunction) ReadMethod(*file, statement, place);
      }
      return &classes_.emplace(class_name, std::move(place)).first->second;
    }
  }
  return Fail(ErrorCode::kNotFound,
              fmt::format("{}: need a class {} in the archive's code, have none", archive_.name(),
                          class_name));
}

}  // namespace handrail
