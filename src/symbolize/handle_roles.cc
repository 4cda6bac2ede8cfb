#include "symbolize/handle_roles.h"

#include <vector>

#include "handrail/symbolize/symbolizer.h"

#include "symbolize/generated_code.h"

namespace handrail {
namespace {

constexpr ListStates kAtStart = 1;
constexpr ListStates kAfterBackend = 2;
constexpr ListStates kAfterInstruction = 4;

bool IsCall(std::string_view node_name) {
  return node_name.starts_with("prim::Call") || node_name.starts_with("prim::fork") ||
         node_name.starts_with("prim::await");
}

// Whether a call in `frame` may be one into a backend. What cannot be read may be anything.
bool MayBeGenerated(const DebugMap& map, const FrameIds& frame, bool is_first) {
  const auto is_generated = [&map](StringId id, bool is_function) {
    TextBuffer buffer;
    const Answer<std::string_view> text = map.string(id, buffer);
    if (!text) return true;
    return IsGeneratedType(is_function ? WithoutLastAtom(*text) : *text) ||
           *text == kLoweredModuleName;
  };
  const StringId id = is_first ? frame.function : frame.module_type;
  if (id.is_none() || is_generated(id, is_first)) return true;
  return !frame.module_name.is_none() && is_generated(frame.module_name, false);
}

}  // namespace

HandleRole RoleOf(const DebugMap& map, DebugHandle handle) {
  std::vector<FrameIds> frames;
  const Answer<DebugMap::FoundNode> found = ReadFrames(map, {}, handle, frames);
  if (!found) {
    switch (found.error().reason) {
      case UnknownReason::kSentinel:
        return HandleRole::kNoHandle;
      case UnknownReason::kNotIssued:
      case UnknownReason::kOtherSpace:
      case UnknownReason::kOtherBuild:
      case UnknownReason::kNoMap:
        return HandleRole::kNone;
      default:
        return HandleRole::kAny;
    }
  }
  const Answer<DebugMap::UnitInfo> unit = map.unit(found->unit);
  if (!unit) return HandleRole::kAny;
  if (unit->kind == UnitKind::kBackend || found->node.function.is_none()) {
    return HandleRole::kBackend;
  }
  TextBuffer buffer;
  bool is_call = true;  // unless the map says otherwise
  if (!found->node.name.is_none()) {
    const Answer<std::string_view> name = map.string(found->node.name, buffer);
    if (!name) return HandleRole::kAny;
    is_call = IsCall(*name);
  }
  if (!is_call) return HandleRole::kInstruction;
  return MayBeGenerated(map, frames.back(), frames.size() == 1) ? HandleRole::kGeneratedCall
                                                                : HandleRole::kCall;
}

ListStates Step(ListStates states, HandleRole role) {
  const bool at_start = (states & kAtStart) != 0;
  const bool after_backend = (states & kAfterBackend) != 0;
  const bool after_instruction = (states & kAfterInstruction) != 0;
  switch (role) {
    case HandleRole::kNone:
      return kImpossible;
    case HandleRole::kBackend:
      return at_start || after_backend ? kAfterBackend : kImpossible;
    case HandleRole::kInstruction:
      return at_start ? kAfterInstruction : kImpossible;
    case HandleRole::kCall:
      return at_start || after_instruction ? kAfterInstruction : kImpossible;
    case HandleRole::kNoHandle:
    case HandleRole::kGeneratedCall:
      return states != kImpossible ? kAfterInstruction : kImpossible;
    case HandleRole::kAny:
      return static_cast<ListStates>((at_start || after_backend ? kAfterBackend : kImpossible) |
                                     (states != kImpossible ? kAfterInstruction : kImpossible));
  }
  return kImpossible;
}

}  // namespace handrail
