#include "graph/emit_scope.h"

namespace handrail::graph {

void Scope::Close() {
  const uint32_t first = first_of_frame_.back();
  while (variables_.size() > first) {
    const Variable& variable = variables_.back();
    if (variable.hidden == kNone) {
      newest_.erase(variable.name);
    } else {
      newest_[variable.name] = variable.hidden;
    }
    variables_.pop_back();
  }
  first_of_frame_.pop_back();
}

const Scope::Variable* Scope::Find(StringId name) const {
  const auto found = newest_.find(name);
  if (found == newest_.end() || variables_[found->second].is_removed) return nullptr;
  return &variables_[found->second];
}

const Scope::Variable* Scope::FindOutside(StringId name) const {
  const Variable* variable = Find(name);
  if (variable == nullptr || variable->frame < innermost()) return variable;
  if (variable->hidden == kNone) return nullptr;
  variable = &variables_[variable->hidden];
  return variable->is_removed ? nullptr : variable;
}

void Scope::Set(StringId name, const Meaning& meaning) {
  const auto [found, is_new] = newest_.try_emplace(name, static_cast<uint32_t>(variables_.size()));
  if (!is_new && variables_[found->second].frame == innermost()) {
    variables_[found->second].meaning = meaning;
    variables_[found->second].is_removed = false;
    return;
  }
  const uint32_t hidden = is_new ? kNone : found->second;
  found->second = static_cast<uint32_t>(variables_.size());
  variables_.push_back({name, innermost(), hidden, false, meaning});
}

bool Scope::Remove(StringId name) {
  const auto found = newest_.find(name);
  if (found == newest_.end() || variables_[found->second].is_removed) return false;
  for (uint32_t row = found->second; row != kNone; row = variables_[row].hidden) {
    variables_[row].is_removed = true;
  }
  return true;
}

}  // namespace handrail::graph
