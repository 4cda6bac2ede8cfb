// The variables of a body while it is compiled: which value each name has, frame by frame.
//
// A frame is opened for each block and for each comprehension. Names that are set in a frame hide
// those of the frames around it until it is closed; what was set in it is then merged by whoever
// closed it (emit_branch.cc, emit_loop.cc).
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "graph/emit_meaning.h"

namespace handrail::graph {

class Scope {
 public:
  struct Variable {
    StringId name;
    uint32_t frame;
    uint32_t hidden;  // the variable of the same name that it hides; kNone: none
    bool is_removed = false;
    Meaning meaning;

    bool is_value() const { return meaning.kind == MeaningKind::kValue; }
  };

  // Returns the frame's number, for Close.
  void Open() { first_of_frame_.push_back(static_cast<uint32_t>(variables_.size())); }
  // Closes the innermost frame; `visit(variable)` sees each that was set in it, before it is gone.
  template <typename Visit>
  void Close(Visit visit) {
    const uint32_t first = first_of_frame_.back();
    for (uint32_t row = first; row < variables_.size(); ++row) {
      if (!variables_[row].is_removed) visit(static_cast<const Variable&>(variables_[row]));
    }
    Close();
  }
  void Close();

  // The variable that a use of the name means, or null. Valid until the next Set.
  const Variable* Find(StringId name) const;
  // As Find, from the frame around the innermost one.
  const Variable* FindOutside(StringId name) const;
  // Sets the name in the innermost frame. A value's type is what the variable is declared as.
  void Set(StringId name, const Meaning& meaning);
  // `del name`, in all frames. False: there was none.
  bool Remove(StringId name);

  // Why a name that was set on some way has no value here, for the message of its use.
  void SetReason(StringId name, std::string reason) { reasons_[name] = std::move(reason); }
  std::string_view reason(StringId name) const {
    const auto found = reasons_.find(name);
    return found == reasons_.end() ? std::string_view() : found->second;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t innermost() const { return static_cast<uint32_t>(first_of_frame_.size()) - 1; }

  std::vector<Variable> variables_;  // those of inner frames behind those of outer ones
  std::vector<uint32_t> first_of_frame_;
  std::unordered_map<StringId, uint32_t> newest_;  // row in variables_
  std::unordered_map<StringId, std::string> reasons_;
};

}  // namespace handrail::graph
