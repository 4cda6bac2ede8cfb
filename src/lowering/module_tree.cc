#include "lowering/module_tree.h"

#include <algorithm>

#include <fmt/format.h>

namespace handrail {
namespace {

bool IsObject(PickleValue value) {
  return value.kind() == PickleKind::kObject && value.is_new_object() &&
         value.callable().kind() == PickleKind::kGlobal;
}

}  // namespace

Result<ModuleTree> ModuleTree::Read(const Pickle& pickle) {
  if (!IsObject(pickle.root())) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("need a module, have {}", pickle.Describe(pickle.root())));
  }
  ModuleTree tree;
  const auto row_of = [&tree](PickleValue value) {
    const auto [row, is_new] =
        tree.rows_.try_emplace(value.identity(), static_cast<uint32_t>(tree.objects_.size()));
    if (is_new) {
      const PickleValue callable = value.callable();
      tree.objects_.push_back(
          {value,
           fmt::format("{}.{}", callable.global_module(), callable.global_name()),
           false,
           {}});
    }
    return row->second;
  };
  row_of(pickle.root());
  for (uint32_t row = 0; row < tree.objects_.size(); ++row) {
    const auto state = tree.objects_[row].value.state();
    if (!state || !state->is_dict()) continue;
    std::vector<Attribute> attributes;
    const auto elements = state->elements();
    for (size_t i = 0; i + 1 < elements.size(); i += 2) {
      if (!elements[i].is_text() || !IsObject(elements[i + 1])) continue;
      attributes.push_back({elements[i].as_text(), row_of(elements[i + 1])});
    }
    tree.objects_[row].has_dict_state = true;
    tree.objects_[row].attributes = std::move(attributes);
  }
  return tree;
}

const uint32_t* ModuleTree::Find(PickleValue object) const {
  const auto found = rows_.find(object.identity());
  return found == rows_.end() ? nullptr : &found->second;
}

Result<uint32_t> ModuleTree::At(std::string_view path) const {
  uint32_t at = 0;
  std::string_view rest = path;
  while (!rest.empty()) {
    const size_t dot = rest.find('.');
    const std::string_view name = rest.substr(0, dot);
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    const Object& object = objects_[at];
    const auto found = std::find_if(object.attributes.begin(), object.attributes.end(),
                                    [&](const Attribute& one) { return one.name == name; });
    if (found == object.attributes.end()) {
      std::string names;
      for (const Attribute& one : object.attributes) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
      }
      return Fail(ErrorCode::kNotFound,
                  fmt::format("module path '{}': '{}' is no module in one of type {} (it has: {})",
                              path, name, object.class_name, names.empty() ? "none" : names));
    }
    at = found->object;
  }
  return at;
}

Result<std::vector<uint32_t>> ModuleTree::PartsFirst() const {
  enum class Progress : uint8_t { kNotBegun, kOpen, kDone };
  std::vector<Progress> progress(objects_.size(), Progress::kNotBegun);
  std::vector<uint32_t> order;
  std::vector<uint32_t> stack{0};
  while (!stack.empty()) {
    const uint32_t row = stack.back();
    if (progress[row] != Progress::kNotBegun) {
      stack.pop_back();
      if (progress[row] == Progress::kOpen) order.push_back(row);
      progress[row] = Progress::kDone;
      continue;
    }
    progress[row] = Progress::kOpen;
    for (const Attribute& attribute : objects_[row].attributes) {
      if (progress[attribute.object] == Progress::kOpen) {
        return Fail(ErrorCode::kUnsupported,
                    fmt::format("a module of type {} contains itself", objects_[row].class_name));
      }
      if (progress[attribute.object] == Progress::kNotBegun) stack.push_back(attribute.object);
    }
  }
  return order;
}

}  // namespace handrail
